package backends

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
)

// Missing is the error of an engine that this machine lacks, or has in an unusable version. It is
// one line that says what to do.
type Missing struct {
	Backend string // as MODELPARITY_REQUIRE names it: "ort", "trt"
	Reason  string // what was looked for and not found, both versions where one is too old
	Remedy  string // what to run or to set
}

func (m *Missing) Error() string {
	return fmt.Sprintf("%s is missing: %s; %s", m.Backend, m.Reason, m.Remedy)
}

// RequireVariable names the environment variable that lists, separated by commas, the backends
// whose absence is a failure; "all" is every one. Set it on build servers, so that a suite that
// skips everything is not taken for one that passes.
const RequireVariable = "MODELPARITY_REQUIRE"

// Required reports whether [RequireVariable] lists the backend.
func Required(backend string) bool {
	for name := range strings.SplitSeq(os.Getenv(RequireVariable), ",") {
		if name = strings.TrimSpace(name); name == backend || name == "all" {
			return true
		}
	}
	return false
}

// T is the part of *testing.T and of Ginkgo's GinkgoT() that ends a spec.
type T interface {
	Helper()
	Skip(args ...any)
	Fatal(args ...any)
}

// SkipMissing ends the spec of t if err says that an engine is missing: it is skipped with err's
// one line, or fails with it where the backend is required. The first skip of each backend is
// also printed to standard error, because test runners hide the reasons of skipped specs. Any
// other error fails the spec, and nil does nothing.
//
// Engines call it from a function of their own, such as ort.Require.
func SkipMissing(t T, err error) {
	t.Helper()
	var missing *Missing
	switch {
	case err == nil:
	case !errors.As(err, &missing):
		t.Fatal(err)
	case Required(missing.Backend):
		t.Fatal(fmt.Sprintf("%v (%s=%s makes this a failure)",
			err, RequireVariable, os.Getenv(RequireVariable)))
	default:
		if _, said := announced.LoadOrStore(missing.Backend, true); !said {
			fmt.Fprintf(os.Stderr, "modelparity: specs are skipped: %v\n", err)
		}
		t.Skip(err.Error())
	}
}

// announced holds the backends whose absence was printed.
var announced sync.Map
