package ort

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/sharedlib"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/tally"
)

// backendName is the name of this backend in MODELPARITY_REQUIRE.
const backendName = "ort"

// ErrNoLibrary is wrapped by every error which says that ONNX Runtime is missing, does not load, or
// is too old.
var ErrNoLibrary = errors.New("ONNX Runtime cannot be used")

// Require skips the spec of t if ONNX Runtime is not on this machine. The message is one line that
// says what to run. If MODELPARITY_REQUIRE lists "ort" or "all", the spec fails with that message
// instead. Call Require in a BeforeEach:
//
//	BeforeEach(func() { ort.Require(GinkgoT()) })
//
// The library is searched for in this order: the option [Library]; ONNXRUNTIME_SHARED_LIBRARY_PATH;
// the cache that `modelparity setup` fills; the Python package onnxruntime of an active virtual
// environment or of python3; the system's loader. If the option or the variable names an unusable
// library, the spec fails. In the last three places, a library that is too old is skipped.
//
// If the module has a modelparity.lock that names ONNX Runtime, only a library with a checksum from
// that file is used. The spec fails if the option or the variable names a different library; in the
// other places a different library is skipped. The cache's library is always checked before it is
// opened.
//
// With [Providers], Require also requires those providers, and a GPU for cuda and tensorrt. In
// MODELPARITY_REQUIRE, their names are ort-cuda, ort-tensorrt and so on:
//
//	BeforeEach(func() { ort.Require(GinkgoT(), ort.Providers("cuda")) })
func Require(t backends.T, options ...Option) {
	t.Helper()
	backends.SkipMissing(t, Available(options...))
}

// Available returns nil if ONNX Runtime can be used with these options. Otherwise it returns the
// error with which [Require] skips or fails a spec.
func Available(options ...Option) error {
	s, err := kind.List(options...).Settings()
	if err == nil && s.Release != "" {
		_, err = released(s.Release) // starting it would exclude the other releases
		return err
	}
	if err == nil {
		_, _, err = launch(s)
	}
	if err == nil && s.accelerated() {
		err = s.absent()
	}
	return err
}

// launch opens ONNX Runtime and registers the plug-ins. It returns ONNX Runtime's version and, for
// the provenance, the plug-ins.
func launch(s *settings) (version, plugins string, err error) {
	if version, err = start(s); err == nil {
		plugins, err = s.plug()
	}
	return version, plugins, err
}

// start opens ONNX Runtime, unless this process has already loaded it, and returns its version.
func start(s *settings) (version string, err error) {
	wanted := s.Library
	if s.Release != "" {
		if wanted, err = released(s.Release); err != nil {
			return "", err
		}
	}
	path, _, running := onnxruntime.Running()
	switch {
	case running && wanted != "" && !sharedlib.Same(wanted, path):
		return "", fmt.Errorf("%w: this process has already loaded %s, so it cannot load %s",
			ErrNoLibrary, cmp.Or(path, "the library that other code opened"), wanted)
	case running && path == "":
		err = foreign()
	case !running && s.Release == "":
		if err := find(wanted, onnxruntime.Start); err != nil {
			return "", err
		}
	}
	if err == nil {
		err = onnxruntime.Start(wanted) // it has no effect if the library is open
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoLibrary, err)
	}
	_, version, _ = onnxruntime.Running()
	tally.Found("onnxruntime", backendName, version)
	return version, nil
}

// foreign returns an error if other code in this process has already opened a library that the
// module's lock file does not allow.
func foreign() error {
	choice, err := enginelock.Choose(engines.ONNXRuntime)
	if err != nil {
		return err
	}
	_, version, _ := onnxruntime.Running()
	return choice.Matches(version)
}

// released returns the path of a release's library in the cache, after checking its checksum.
func released(version string) (string, error) {
	release, err := engines.Release(engines.ONNXRuntime.Name, version)
	if err != nil {
		return "", fmt.Errorf("%w: ort.Release: %w", ErrNoLibrary, err)
	}
	path, err := release.Library()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, engines.ErrDamaged) {
		remedy := fmt.Sprintf(
			"run `%s=off %s setup --release %s=%s`, which leaves modelparity.lock unchanged",
			enginelock.Variable, engines.Command(), release.Name, version)
		return "", sharedlib.NewMissing(backends.Missing{Backend: backendName + "-" + version,
			Reason: err.Error(), Remedy: remedy}, ErrNoLibrary)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoLibrary, err)
	}
	return path, nil
}

// find searches for a library that the function usable accepts.
func find(option string, usable func(path string) error) error {
	_, err := sharedlib.Need{Engine: engines.ONNXRuntime, Backend: backendName,
		File: "libonnxruntime", Option: "ort.Library", Unusable: ErrNoLibrary,
		Package: "onnxruntime", Pattern: "capi/libonnxruntime.*",
		Names: []string{"libonnxruntime.so.1", "libonnxruntime.so", "onnxruntime.so",
			"libonnxruntime.dylib"},
		Usable: usable}.Find(option)
	return err
}
