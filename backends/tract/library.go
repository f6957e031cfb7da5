package tract

import (
	"errors"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/sharedlib"

	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/tally"
	abi "github.com/modelparity/modelparity/internal/tract"
)

// backendName is the name of this backend in MODELPARITY_REQUIRE.
const backendName = "tract"

// ErrNoLibrary is wrapped by every error which says that tract's library is missing or does not
// load.
var ErrNoLibrary = errors.New("tract cannot be used")

// Require skips the spec of t if tract is not on this machine. The message is one line that says
// what to run. If MODELPARITY_REQUIRE lists "tract" or "all", the spec fails with that message
// instead. Call Require in a BeforeEach:
//
//	BeforeEach(func() { tract.Require(GinkgoT()) })
//
// The library is searched for in this order: the option [Library]; MODELPARITY_TRACT_LIBRARY_PATH;
// the cache that `modelparity setup --tract` fills; the Python package tract of an active virtual
// environment or of python3. If the option or the variable names an unusable library, the spec
// fails.
//
// If the module has a modelparity.lock that names tract, only a library with a checksum from that
// file is used, as with ONNX Runtime (ort.Require).
func Require(t backends.T, options ...Option) {
	t.Helper()
	backends.SkipMissing(t, Available(options...))
}

// Available returns nil if tract can be used with these options. Otherwise it returns the
// error with which [Require] skips or fails a spec.
func Available(options ...Option) error {
	s, err := kind.List(options...).Settings()
	if err == nil {
		_, err = open(s.Library)
	}
	return err
}

// open finds the library and opens it.
func open(option string) (opened *abi.Library, err error) {
	_, err = sharedlib.Need{Engine: engines.Tract, Backend: backendName, File: "library",
		Option: "tract.Library", Unusable: ErrNoLibrary, Package: "tract", Pattern: "tract*.so",
		Usable: func(path string) (err error) {
			opened, err = abi.Open(path)
			return err
		}}.Find(option)
	if err != nil {
		return nil, err
	}
	tally.Found(backendName, backendName, opened.Version)
	return opened, nil
}
