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

// T is the part of *testing.T or GinkgoT() that is needed.
type T interface {
	Helper()
	Skipf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// With returns a Python that can import all these packages: from MODELPARITY_PYTHON, from .venv at
// the module's root, or python3. If there is none, the spec is skipped, or fails if
// MODELPARITY_REQUIRE contains "polygraphy" or "all".
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
		t.Fatalf("MODELPARITY_REQUIRE asks for it: "+remedy, imports)
	}
	t.Skipf(remedy, imports)
	return ""
}

// venv is the Python of .venv at the module's root, in a folder above the test's.
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
