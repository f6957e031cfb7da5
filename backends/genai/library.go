package genai

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/sharedlib"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/dlopen"

	"github.com/modelparity/modelparity/internal/engines"
	abi "github.com/modelparity/modelparity/internal/genai"
	"github.com/modelparity/modelparity/internal/tally"
)

// backendName is the name of this backend in MODELPARITY_REQUIRE.
const backendName = "genai"

// ErrNoLibrary is wrapped by every error which says that ONNX Runtime GenAI cannot be used, because
// it is missing or does not load, or because the ONNX Runtime that it needs is missing or does not
// load.
var ErrNoLibrary = errors.New("ONNX Runtime GenAI cannot be used")

// Require skips the spec of t if ONNX Runtime GenAI, or the ONNX Runtime that it needs, is not on
// this machine. The message is one line that says what to run. If MODELPARITY_REQUIRE lists "genai"
// or "all", the spec fails with that message instead. Call Require in a BeforeEach:
//
//	BeforeEach(func() { genai.Require(GinkgoT()) })
//
// The library is searched for in this order: the option [Library]; MODELPARITY_GENAI_LIBRARY_PATH;
// the cache that `modelparity setup --genai` fills; the Python package onnxruntime-genai of an
// active virtual environment or of python3. If the option or the variable names an unusable
// library, the spec fails. ONNX Runtime is found as described at ort.Require: both engines use the
// same library.
//
// If the module has a modelparity.lock that names onnxruntime_genai, only a library with a checksum
// from that file is used, as with ONNX Runtime (ort.Require).
func Require(t backends.T, options ...Option) {
	t.Helper()
	backends.SkipMissing(t, Available(options...))
}

// Available returns nil if ONNX Runtime GenAI can be used with these options. Otherwise it returns
// the error with which [Require] skips or fails a spec.
func Available(options ...Option) error {
	s, err := kind.List(options...).Settings()
	if err == nil {
		_, err = open(s.Library)
	}
	return err
}

// opened is an open library and its release; the release is "" if unknown.
type opened struct {
	*abi.Library
	version string
}

// open finds the library and opens it. It opens ONNX Runtime first, because the library would
// otherwise search for an ONNX Runtime itself.
func open(option string) (l opened, err error) {
	if dlopen.Supported() == nil {
		if err := onnxRuntime(); err != nil {
			return l, err
		}
	}
	found, err := sharedlib.Need{Engine: engines.GenAI, Backend: backendName, File: "library",
		Option: "genai.Library", Unusable: ErrNoLibrary,
		Package: "onnxruntime_genai", Pattern: "libonnxruntime-genai.*",
		Usable: func(path string) (err error) {
			l.Library, err = abi.Open(path)
			return err
		}}.Find(option)
	if err != nil {
		return opened{}, err
	}
	if l.version = found.Version; l.version != "" {
		tally.Found("onnxruntime-genai", backendName, l.version)
	}
	return l, nil
}

// onnxRuntime returns an error if ONNX Runtime is missing or unusable.
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
