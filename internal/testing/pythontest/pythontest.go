// Package pythontest finds the Python interpreter for specs that compare modelparity with other
// programs, such as the real Polygraphy.
package pythontest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/python"
)

// T lists the methods of *testing.T or GinkgoT() that are needed.
type T interface {
	Helper()
	Skipf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// With returns a Python interpreter that can import all of the packages: the one in
// MODELPARITY_PYTHON, the one in .venv at the module's root, or python3. If there is none, the spec
// is skipped. If MODELPARITY_REQUIRE contains "polygraphy" or "all", the spec fails instead.
func With(t T, packages ...string) string {
	t.Helper()
	imports := "import " + strings.Join(packages, ", ")
	candidates := []string{os.Getenv("MODELPARITY_PYTHON"), venv(), "python3"}
	for _, interpreter := range candidates {
		if interpreter == "" {
			continue
		}
		if _, err := python.Ask(context.Background(), interpreter, "-c", imports); err == nil {
			return interpreter
		}
	}
	const remedy = "no Python can %s; run: make setup-polygraphy"
	required := strings.Split(os.Getenv("MODELPARITY_REQUIRE"), ",")
	if slices.Contains(required, "polygraphy") || slices.Contains(required, "all") {
		t.Fatalf("MODELPARITY_REQUIRE requires it: "+remedy, imports)
	}
	t.Skipf(remedy, imports)
	return ""
}

// venv returns the Python interpreter in the nearest .venv at or above the test's folder.
func venv() string {
	folder, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return filepath.Join(folder, ".venv", "bin", "python")
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return ""
		}
		folder = parent
	}
}
