package tract_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/internal/engines"
)

var _ = Describe("tract's library", func() {
	DescribeTable("that is named and wrong is an error, and nothing else is looked for",
		func(named func(path string) error, by string) {
			path := filepath.Join(GinkgoT().TempDir(), "tract.so")
			Expect(os.WriteFile(path, []byte("no library"), 0o600)).To(Succeed())
			err := named(path)
			Expect(err).To(MatchError(tract.ErrNoLibrary))
			Expect(err).To(MatchError(And(HavePrefix("tract cannot be used: "+by+": "+path),
				HaveSuffix("name a different library or none; without a name, modelparity searches "+
					"for one"))))
			Expect(errors.As(err, new(*backends.Missing))).To(BeFalse(), "it fails, and is not skipped")
		},
		Entry("by the option", func(path string) error {
			return tract.Available(tract.Library(path))
		}, "tract.Library"),
		Entry("by the variable", func(path string) error {
			GinkgoT().Setenv(engines.Tract.Variable, path)
			return tract.Available()
		}, engines.Tract.Variable),
	)

	It("is missing with one line where there is none", func() {
		nothing := GinkgoT().TempDir()
		for _, variable := range []string{"PATH", "HOME", "XDG_CACHE_HOME", "VIRTUAL_ENV"} {
			GinkgoT().Setenv(variable, nothing)
		}
		GinkgoT().Setenv(engines.Tract.Variable, "")
		err := tract.Available()
		Expect(err).To(MatchError(tract.ErrNoLibrary))
		Expect(errors.As(err, new(*backends.Missing))).To(BeTrue())
		Expect(err).To(MatchError(And(HavePrefix("tract is missing: "),
			ContainSubstring("pip install tract=="), Not(ContainSubstring("\n")))))
	})
})

// TestRequire runs this test binary again, without a library.
func TestRequire(t *testing.T) {
	if os.Getenv("MODELPARITY_TEST_REQUIRE") != "" {
		tract.Require(t)
		return
	}
	for required, expected := range map[string]string{"": "--- SKIP: TestRequire",
		"ort": "--- SKIP: TestRequire", "tract": "--- FAIL: TestRequire",
		"all": "--- FAIL: TestRequire"} {
		g := NewWithT(t)
		again := exec.Command(os.Args[0], "-test.run=^TestRequire$", "-test.v")
		again.Env = []string{"MODELPARITY_TEST_REQUIRE=1", "MODELPARITY_REQUIRE=" + required,
			"PATH=" + t.TempDir(), "HOME=" + t.TempDir(), "XDG_CACHE_HOME=" + t.TempDir()}
		output, err := again.CombinedOutput()
		g.Expect(err == nil).To(Equal(expected == "--- SKIP: TestRequire"), "%s", output)
		g.Expect(string(output)).To(And(ContainSubstring(expected),
			ContainSubstring("tract is missing: ")))
	}
}
