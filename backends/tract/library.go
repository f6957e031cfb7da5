package tract

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
	abi "github.com/modelparity/modelparity/internal/tract"
)

// LibraryVariable names the environment variable that holds the path of tract's shared library.
const LibraryVariable = "MODELPARITY_TRACT_LIBRARY_PATH"

// Name is what MODELPARITY_REQUIRE calls this backend.
const Name = "tract"

// ErrNoLibrary is wrapped by every error about an unusable tract: it is missing or does not load.
var ErrNoLibrary = errors.New("tract cannot be used")

// remedy ends every message about a missing library.
var remedy = fmt.Sprintf("run `go run github.com/modelparity/modelparity/cmd/modelparity setup "+
	"--tract` or `pip install tract==%s`, or set %s to the path of its library",
	engines.Tract.Version, LibraryVariable)

// Require skips the spec of t if tract is not on this machine, with one line that says what to run;
// if MODELPARITY_REQUIRE names "tract" or "all", the spec fails with that line. It belongs in a
// BeforeEach:
//
//	BeforeEach(func() { tract.Require(GinkgoT()) })
//
// The library is looked for in this order: the option [Library]; MODELPARITY_TRACT_LIBRARY_PATH,
// which fails the spec if it is set and wrong; the cache that `modelparity setup --tract` fills;
// the Python package tract, of an active virtual environment or of python3.
//
// Where the module has a modelparity.lock that names tract, only a library with one of its sums is
// run, as with ONNX Runtime (ort.Require).
func Require(t backends.T, options ...Option) {
	t.Helper()
	backends.SkipMissing(t, Available(options...))
}

// Available returns the error for which [Require] skips or fails a spec, or nil.
func Available(options ...Option) error {
	s, err := kind.List(options...).Settings()
	if err != nil {
		return err
	}
	_, err = open(s.Library)
	return err
}

// open finds the library and opens it.
func open(option string) (*abi.Library, error) {
	if err := abi.Supported(); err != nil {
		return nil, &noLibrary{backends.Missing{Backend: Name, Reason: err.Error(),
			Remedy: "build it with CGO_ENABLED=1 and a C compiler"}}
	}
	choice, err := enginelock.Choose(engines.Tract)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoLibrary, err)
	}
	for _, named := range []struct{ path, by string }{
		{option, "tract.Library"}, {os.Getenv(LibraryVariable), LibraryVariable},
	} {
		if named.path == "" {
			continue
		}
		if err := choice.Admit(named.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: %s: %w", ErrNoLibrary, named.by, err)
		}
		library, err := abi.Open(named.path)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w; name another library, or name none and one is looked for",
				ErrNoLibrary, named.by, err)
		}
		return library, nil
	}
	return search(choice)
}

// search looks for a library that nobody named: in the cache, then in Python.
func search(choice enginelock.Choice) (library *abi.Library, err error) {
	cached, err := choice.Library()
	if errors.Is(err, engines.ErrDamaged) {
		return nil, fmt.Errorf("%w: %w; %s", ErrNoLibrary, err, remedy)
	}
	cache := func() []string {
		if err != nil {
			return nil
		}
		return []string{cached}
	}
	python := func() []string { return enginelock.InPython("tract", "tract*.so") }
	open := func(path string) (err error) {
		library, err = abi.Open(path)
		return err
	}
	path, reasons := choice.Search(open, enginelock.Source{Paths: cache},
		enginelock.Source{Paths: python})
	if path != "" {
		return library, nil
	}
	reason := "no tract in the cache or in Python"
	if choice.Lock != "" {
		reason = fmt.Sprintf("no tract %s, which %s names", choice.Version, choice.Lock)
	}
	if len(reasons) > 0 {
		reason = strings.Join(reasons, "; ")
	}
	return nil, &noLibrary{backends.Missing{Backend: Name, Reason: reason, Remedy: remedy}}
}

// noLibrary is a backends.Missing that also wraps ErrNoLibrary.
type noLibrary struct{ backends.Missing }

func (e *noLibrary) Unwrap() []error { return []error{ErrNoLibrary, &e.Missing} }
