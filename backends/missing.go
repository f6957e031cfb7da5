package backends

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
)

// Missing is the error for an engine that is not installed, or whose version is unusable. It is one
// line with the remedy.
type Missing struct {
	Backend string // as MODELPARITY_REQUIRE names it: "ort", "trt"
	Reason  string // what was not found; both versions if one is too old
	Remedy  string // what to run or to set
}

func (m *Missing) Error() string {
	return fmt.Sprintf("%s is missing: %s; %s", m.Backend, m.Reason, m.Remedy)
}

// RequireVariable names the environment variable that lists the backends whose absence is a
// failure, separated by commas; "all" means every backend. Set it on build servers, so that a suite
// that skips everything does not pass.
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

// T is the part of *testing.T and of GinkgoT() that ends a spec.
type T interface {
	Helper()
	Skip(args ...any)
	Fatal(args ...any)
}

// SkipMissing skips the spec of t with err's one line if err says that an engine is missing, or
// fails it if the backend is required. It also prints the first skip of each backend to standard
// error, because test runners hide the reasons of skipped specs. Any other error fails the spec;
// nil does nothing.
//
// Engines call it from their own function, such as ort.Require.
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

// announced holds the backends whose absence has been printed.
var announced sync.Map
