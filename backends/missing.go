package backends

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/internal/tally"
)

// Missing is the error for an engine that is not installed, or whose installed version cannot be
// used. Its text is one line that ends with the remedy.
type Missing struct {
	Backend string // the name in MODELPARITY_REQUIRE: "ort", "trt"
	Reason  string // what was not found; if it is too old, its version and the needed one
	Remedy  string // what to run or which variable to set
}

func (m *Missing) Error() string {
	return fmt.Sprintf("%s is missing: %s; %s", m.Backend, m.Reason, m.Remedy)
}

// RequireVariable is the name of an environment variable with a comma-separated list of backends
// that must be present; "all" means every backend. A spec that would be skipped because a listed
// backend is missing fails instead. Set the variable on build servers. Otherwise a suite passes
// there even if it skips every spec.
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

// T has the methods of *testing.T and GinkgoT() with which [SkipMissing] skips or fails a spec.
type T interface {
	Helper()
	Skipf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// SkipMissing skips the spec of t if err is a [Missing], or fails the spec if the missing backend
// is required. Either way it prints the text of err. It also prints the first skip of each backend
// to standard error, because test runners hide why specs were skipped. Any other error fails the
// spec.
//
// If err is nil, SkipMissing skips the spec if its ginkgo.ComponentSemVerConstraint excludes the
// installed version of an engine. This works only with ginkgoreport.Suite; otherwise use
// [RequireVersion].
//
// Each engine calls SkipMissing from a function of its own, such as ort.Require.
func SkipMissing(t T, err error) {
	t.Helper()
	var missing *Missing
	switch {
	case err == nil:
		if why := tally.WhyUnfit(); why != "" {
			t.Skipf("%s", why)
		}
	case !errors.As(err, &missing):
		t.Fatalf("%v", err)
	case Required(missing.Backend):
		t.Fatalf("%v (%s=%s makes this a failure)", err, RequireVariable, os.Getenv(RequireVariable))
	default:
		if _, said := announced.LoadOrStore(missing.Backend, true); !said {
			fmt.Fprintf(os.Stderr, "modelparity: specs are skipped: %v\n", err)
		}
		t.Skipf("%v", err)
	}
}

// announced contains the names of the backends that were already reported as missing on standard
// error.
var announced sync.Map
