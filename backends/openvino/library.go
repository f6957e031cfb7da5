package openvino

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/sharedlib"
	"github.com/modelparity/modelparity/internal/engines"
	abi "github.com/modelparity/modelparity/internal/openvino"
	"github.com/modelparity/modelparity/internal/tally"
)

// backendName is the name of this backend in MODELPARITY_REQUIRE.
const backendName = "openvino"

// ErrNoLibrary is wrapped by every error which says that OpenVINO is missing, does not load, or is
// too old.
var ErrNoLibrary = errors.New("OpenVINO cannot be used")

// Require skips the spec of t if OpenVINO is not on this machine. The message is one line that says
// what to run. If MODELPARITY_REQUIRE lists "openvino" or "all", the spec fails with that message
// instead. Call Require in a BeforeEach:
//
//	BeforeEach(func() { openvino.Require(GinkgoT()) })
//
// The library is searched for in this order: the option [Library];
// MODELPARITY_OPENVINO_LIBRARY_PATH; the cache that `modelparity setup --openvino` fills; the
// Python package openvino of an active virtual environment or of python3; the system's loader. If
// the option or the variable names an unusable library, the spec fails. Both must name
// libopenvino_c, in the same folder as OpenVINO's other libraries.
func Require(t backends.T, options ...Option) {
	t.Helper()
	backends.SkipMissing(t, Available(options...))
}

// Available returns nil if OpenVINO can be used with these options. Otherwise it returns the
// error with which [Require] skips or fails a spec.
func Available(options ...Option) error {
	s, err := kind.List(options...).Settings()
	if err == nil {
		_, err = start(s.Library)
	}
	return err
}

// start opens OpenVINO unless this process has already loaded it.
func start(option string) (*abi.Library, error) {
	if running := abi.Running(); running != nil {
		if option != "" && !sharedlib.Same(option, running.Path) {
			return nil, fmt.Errorf("%w: this process has already loaded %s, so it cannot load %s",
				ErrNoLibrary, running.Path, option)
		}
		return running, nil
	}
	var library *abi.Library
	_, err := sharedlib.Need{Engine: engines.OpenVINO, Backend: backendName, File: "libopenvino_c",
		Option: "openvino.Library", Unusable: ErrNoLibrary,
		Package: "openvino", Pattern: "libs/libopenvino_c.*",
		Names: []string{"libopenvino_c.so", "libopenvino_c.dylib"},
		Usable: func(path string) (err error) {
			library, err = abi.Start(path)
			return err
		}}.Find(option)
	if err != nil {
		return nil, err
	}
	tally.Found(backendName, backendName, library.Version)
	return library, nil
}
