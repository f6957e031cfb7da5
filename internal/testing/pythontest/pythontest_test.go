package pythontest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelparity/modelparity/internal/testing/pythontest"
)

// recorder takes down how a spec would have ended.
type recorder struct{ skipped, failed string }

func (*recorder) Helper()                        {}
func (r *recorder) Skipf(f string, args ...any)  { r.skipped = fmt.Sprintf(f, args...) }
func (r *recorder) Fatalf(f string, args ...any) { r.failed = fmt.Sprintf(f, args...) }

func TestWithout(t *testing.T) {
	var r recorder
	t.Setenv("MODELPARITY_REQUIRE", "ort")
	python := pythontest.With(&r, "no_such_package", "sys")
	if python != "" || r.failed != "" || !strings.Contains(r.skipped, "make setup-polygraphy") {
		t.Errorf("not skipped with the remedy: %q, %+v", python, r)
	}
}

func TestWithoutWhereRequired(t *testing.T) {
	for _, required := range []string{"polygraphy", "ort,polygraphy", "all"} {
		var r recorder
		t.Setenv("MODELPARITY_REQUIRE", required)
		pythontest.With(&r, "no_such_package")
		if !strings.Contains(r.failed, "import no_such_package; run: make setup-polygraphy") {
			t.Errorf("MODELPARITY_REQUIRE=%s: not failed: %+v", required, r)
		}
	}
}

func TestTheOneThatIsNamedComesFirst(t *testing.T) {
	python := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(python, []byte("#!/bin/sh\nexit 0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MODELPARITY_PYTHON", python)
	var r recorder
	if got := pythontest.With(&r, "anything"); got != python {
		t.Errorf("got %q, want %q: %+v", got, python, r)
	}
}
