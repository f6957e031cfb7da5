package genai

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/sharedlib"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/dlopen"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
	abi "github.com/modelparity/modelparity/internal/genai"
)

// LibraryVariable names the environment variable with the path of the shared library.
const LibraryVariable = "MODELPARITY_GENAI_LIBRARY_PATH"

// backendName is the name of this backend in MODELPARITY_REQUIRE.
const backendName = "genai"

// ErrNoLibrary is wrapped by every error about an unusable ONNX Runtime GenAI: it, or the ONNX
// Runtime that it needs, is missing or does not load.
var ErrNoLibrary = errors.New("ONNX Runtime GenAI cannot be used")

// Require skips the spec of t if ONNX Runtime GenAI, or the ONNX Runtime that it needs, is not on
// this machine, with one line that says what to run; if MODELPARITY_REQUIRE names "genai" or "all",
// the spec fails with that line. Call it in a BeforeEach:
//
//	BeforeEach(func() { genai.Require(GinkgoT()) })
//
// The library is searched in this order: the option [Library]; MODELPARITY_GENAI_LIBRARY_PATH,
// which fails the spec if it is set and wrong; the cache that `modelparity setup --genai` fills;
// the Python package onnxruntime-genai of an active virtual environment or of python3. ONNX Runtime
// is found as described at ort.Require: both engines use the same library.
//
// If the module has a modelparity.lock that names onnxruntime_genai, only a library with one of its
// checksums runs, as with ONNX Runtime (ort.Require).
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

// opened is a library with its release, "" if unknown.
type opened struct {
	*abi.Library
	version string
}

// open finds the library and opens it after ONNX Runtime, which it would otherwise search itself.
func open(option string) (l opened, err error) {
	if dlopen.Supported() == nil {
		if err := onnxRuntime(); err != nil {
			return l, err
		}
	}
	found, err := sharedlib.Need{Engine: engines.GenAI, Backend: backendName, File: "library",
		Option: "genai.Library", Unusable: ErrNoLibrary, Places: "in Python",
		Sources: []enginelock.Source{{Paths: func() []string {
			return enginelock.InPython("onnxruntime_genai", "libonnxruntime-genai.*")
		}}},
		Usable: func(path string) (err error) {
			l.Library, err = abi.Open(path)
			return err
		}}.Find(option)
	if err != nil {
		return opened{}, err
	}
	l.version = found.Version
	return l, nil
}

// onnxRuntime returns the error for a missing or unusable ONNX Runtime.
func onnxRuntime() error {
	err := ort.Available()
	var missing *backends.Missing
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &missing):
		return fmt.Errorf("%w: it needs ONNX Runtime: %w", ErrNoLibrary, err)
	}
	return sharedlib.NewMissing(backends.Missing{Backend: backendName, Remedy: missing.Remedy,
		Reason: "it needs ONNX Runtime: " + missing.Reason}, ErrNoLibrary)
}
