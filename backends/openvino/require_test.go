//go:build cgo

package openvino_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/internal/engines"
)

// TestRequire runs this test binary again, because whether there is a library is decided once in a
// process.
func TestRequire(t *testing.T) {
	if os.Getenv("MODELPARITY_TEST_REQUIRE") != "" {
		openvino.Require(t)
		return
	}
	text := filepath.Join(t.TempDir(), "libopenvino_c.so")
	NewWithT(t).Expect(os.WriteFile(text, []byte("text"), 0o600)).To(Succeed())
	for _, row := range []struct {
		reason  string
		env     []string
		passes  bool
		printed []string
	}{
		{"is skipped with the reason, which also reaches standard error", nil, true,
			[]string{"--- SKIP: TestRequire", "modelparity: specs are skipped: openvino is missing: ",
				"cmd/modelparity setup --openvino`, or `pip install openvino==2026."}},
		{"fails where the backend is required", []string{"MODELPARITY_REQUIRE=trt, openvino"}, false,
			[]string{"--- FAIL: TestRequire", "openvino is missing", "(MODELPARITY_REQUIRE=trt, openv"}},
		{"fails where every backend is", []string{"MODELPARITY_REQUIRE=all"}, false,
			[]string{"--- FAIL: TestRequire"}},
		{"is skipped where another backend is required", []string{"MODELPARITY_REQUIRE=trt"}, true,
			[]string{"--- SKIP: TestRequire"}},
		{"fails where the library that is named is wrong",
			[]string{engines.OpenVINO.Variable + "=" + text}, false,
			[]string{"--- FAIL: TestRequire", "OpenVINO cannot be used", engines.OpenVINO.Variable,
				"name a different libopenvino_c or none; without a name, modelparity searches for one"}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			g := NewWithT(t)
			again := exec.Command(os.Args[0], "-test.run=^TestRequire$", "-test.v")
			again.Env = append([]string{"MODELPARITY_TEST_REQUIRE=1", "PATH=" + t.TempDir(),
				"HOME=" + t.TempDir(), "XDG_CACHE_HOME=" + t.TempDir()}, row.env...)
			output, err := again.CombinedOutput()
			if strings.Contains(string(output), "--- PASS: TestRequire") {
				t.Skip("the system's loader knows an OpenVINO here")
			}
			g.Expect(err == nil).To(Equal(row.passes), "%s", output)
			for _, text := range row.printed {
				g.Expect(string(output)).To(ContainSubstring(text))
			}
		})
	}
}
