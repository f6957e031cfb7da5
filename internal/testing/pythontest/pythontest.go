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
	"github.com/modelparity/modelparity/internal/testing/usermodule"
)

// T lists the methods of *testing.T or GinkgoT() that [With] needs.
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
	const remedy = "no Python interpreter can %s; run: make setup-polygraphy"
	required := strings.Split(os.Getenv("MODELPARITY_REQUIRE"), ",")
	if slices.Contains(required, "polygraphy") || slices.Contains(required, "all") {
		t.Fatalf(remedy+"; MODELPARITY_REQUIRE requires it", imports)
	}
	t.Skipf(remedy, imports)
	return ""
}

// venv returns the path of the Python interpreter in .venv at the module's root.
func venv() string {
	root, err := usermodule.Root()
	if err != nil {
		return ""
	}
	return filepath.Join(root, ".venv", "bin", "python")
}
