package tract

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/modelparity/modelparity/backends"
	abi "github.com/modelparity/modelparity/internal/tract"
)

// LibraryVariable names the environment variable that holds the path of tract's shared library.
const LibraryVariable = "MODELPARITY_TRACT_LIBRARY_PATH"

// Name is what MODELPARITY_REQUIRE calls this backend.
const Name = "tract"

// ErrNoLibrary is wrapped by every error about a tract that cannot be used: one that is not there,
// or that does not load.
var ErrNoLibrary = errors.New("tract cannot be used")

// Version is the tract that this release was tested with.
const Version = "0.23.9"

// remedy ends what a user reads when there is no library.
var remedy = fmt.Sprintf("run `go run github.com/modelparity/modelparity/cmd/modelparity setup "+
	"--tract` or `pip install tract==%s`, or set %s to the path of its library", Version,
	LibraryVariable)

// Require ends the spec of t if tract is not on this machine: it is skipped with one line that says
// what to run, or fails with that line where MODELPARITY_REQUIRE names "tract" or "all". It belongs
// in a BeforeEach:
//
//	BeforeEach(func() { tract.Require(GinkgoT()) })
//
// The library is looked for in this order: the option [Library]; MODELPARITY_TRACT_LIBRARY_PATH,
// which fails the spec if it is set and wrong; the cache that `modelparity setup --tract` fills;
// the Python package tract, of an active virtual environment or of python3.
func Require(t backends.T, options ...Option) {
	t.Helper()
	backends.SkipMissing(t, Available(options...))
}

// Available is the error that [Require] skips or fails a spec for, or nil.
func Available(options ...Option) error {
	s := resolve(options)
	if err := s.check(); err != nil {
		return fmt.Errorf("tract: %w", err)
	}
	_, err := open(s.Library)
	return err
}

// open finds the library and opens it.
func open(option string) (*abi.Library, error) {
	if err := abi.Supported(); err != nil {
		return nil, &noLibrary{backends.Missing{Backend: Name, Reason: err.Error(),
			Remedy: "build it with CGO_ENABLED=1 and a C compiler"}}
	}
	for _, named := range []struct{ path, by string }{
		{option, "tract.Library"}, {os.Getenv(LibraryVariable), LibraryVariable},
	} {
		if named.path == "" {
			continue
		}
		library, err := abi.Open(named.path)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w; name another library, or none, and one is looked for",
				ErrNoLibrary, named.by, err)
		}
		return library, nil
	}
	var reasons []string
	for _, paths := range sources {
		for _, path := range paths() {
			library, err := abi.Open(path)
			if err == nil {
				return library, nil
			}
			reasons = append(reasons, err.Error())
		}
	}
	reason := "no tract in the cache or in Python"
	if len(reasons) > 0 {
		reason = strings.Join(reasons, "; ")
	}
	return nil, &noLibrary{backends.Missing{Backend: Name, Reason: reason, Remedy: remedy}}
}

// noLibrary is a backends.Missing that is also an ErrNoLibrary.
type noLibrary struct{ backends.Missing }

func (e *noLibrary) Unwrap() []error { return []error{ErrNoLibrary, &e.Missing} }
