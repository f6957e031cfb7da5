package ort_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
)

// TestRequire runs this test binary again, because whether there is a library is decided once in a
// process.
func TestRequire(t *testing.T) {
	if os.Getenv("MODELPARITY_TEST_NEED") != "" {
		ort.Require(t)
		return
	}
	for _, row := range []struct {
		reason  string
		env     []string
		passes  bool
		printed []string
	}{
		{"is skipped with the reason, which also reaches standard error", []string{}, true,
			[]string{"--- SKIP: TestRequire", "modelparity: specs are skipped: ort is missing: "}},
		{"fails where the backend is required", []string{"MODELPARITY_REQUIRE=trt, ort"}, false,
			[]string{"--- FAIL: TestRequire", "ort is missing", "(MODELPARITY_REQUIRE=trt, ort"}},
		{"fails where every backend is", []string{"MODELPARITY_REQUIRE=all"}, false,
			[]string{"--- FAIL: TestRequire"}},
		{"is skipped where another backend is required", []string{"MODELPARITY_REQUIRE=trt"}, true,
			[]string{"--- SKIP: TestRequire"}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			g := NewWithT(t)
			again := exec.Command(os.Args[0], "-test.run=^TestRequire$", "-test.v")
			again.Env = append([]string{"MODELPARITY_TEST_NEED=1", "PATH=" + t.TempDir(),
				"HOME=" + t.TempDir(), "XDG_CACHE_HOME=" + t.TempDir()}, row.env...)
			output, err := again.CombinedOutput()
			if strings.Contains(string(output), "--- PASS: TestRequire") {
				t.Skip("the system's loader knows an ONNX Runtime here")
			}
			g.Expect(err == nil).To(Equal(row.passes), "%s", output)
			for _, text := range row.printed {
				g.Expect(string(output)).To(ContainSubstring(text))
			}
		})
	}
}
