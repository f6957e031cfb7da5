package genai

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
	abi "github.com/modelparity/modelparity/internal/genai"
)

// LibraryVariable names the environment variable that holds the path of the shared library.
const LibraryVariable = "MODELPARITY_GENAI_LIBRARY_PATH"

// Name is what MODELPARITY_REQUIRE calls this backend.
const Name = "genai"

// ErrNoLibrary is wrapped by every error about an unusable ONNX Runtime GenAI: it, or the ONNX
// Runtime that it needs, is missing or does not load.
var ErrNoLibrary = errors.New("ONNX Runtime GenAI cannot be used")

// remedy ends every message about a missing library.
var remedy = fmt.Sprintf("run `go run github.com/modelparity/modelparity/cmd/modelparity setup "+
	"--genai` or `pip install onnxruntime-genai==%s`, or set %s to the path of libonnxruntime-genai",
	engines.GenAI.Version, LibraryVariable)

// Require skips the spec of t if ONNX Runtime GenAI, or the ONNX Runtime that it needs, is not on
// this machine, with one line that says what to run; if MODELPARITY_REQUIRE names "genai" or "all",
// the spec fails with that line. It belongs in a BeforeEach:
//
//	BeforeEach(func() { genai.Require(GinkgoT()) })
//
// The library is looked for in this order: the option [Library]; MODELPARITY_GENAI_LIBRARY_PATH,
// which fails the spec if it is set and wrong; the cache that `modelparity setup --genai` fills;
// the Python package onnxruntime-genai, of an active virtual environment or of python3. ONNX
// Runtime is the one of ort.Require: both engines run in the same library.
//
// Where the module has a modelparity.lock that names onnxruntime_genai, only a library with one of
// its sums is run, as with ONNX Runtime (ort.Require).
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

// library is an opened library with its release, "" where nobody knows it.
type library struct {
	*abi.Library
	version string
}

// open finds the library and opens it, after ONNX Runtime, which it would look for by itself.
func open(option string) (l library, err error) {
	if err := abi.Supported(); err != nil {
		return l, &noLibrary{backends.Missing{Backend: Name, Reason: err.Error(),
			Remedy: "build it with CGO_ENABLED=1 and a C compiler"}}
	}
	if err := ort.Available(); err != nil {
		var missing *backends.Missing
		if !errors.As(err, &missing) {
			return l, fmt.Errorf("%w: it runs in ONNX Runtime: %w", ErrNoLibrary, err)
		}
		return l, &noLibrary{backends.Missing{Backend: Name, Remedy: missing.Remedy,
			Reason: "it runs in ONNX Runtime: " + missing.Reason}}
	}
	choice, err := enginelock.Choose(engines.GenAI)
	if err != nil {
		return l, fmt.Errorf("%w: %w", ErrNoLibrary, err)
	}
	for _, named := range []struct{ path, by string }{
		{option, "genai.Library"}, {os.Getenv(LibraryVariable), LibraryVariable},
	} {
		if named.path == "" {
			continue
		}
		if err := choice.Admit(named.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return l, fmt.Errorf("%w: %s: %w", ErrNoLibrary, named.by, err)
		}
		if l.Library, err = abi.Open(named.path); err != nil {
			return l, fmt.Errorf("%w: %s: %w; name another library, or name none and one is looked for",
				ErrNoLibrary, named.by, err)
		}
		return l, nil
	}
	return search(choice)
}

// search looks for a library that nobody named: in the cache, then in Python.
func search(choice enginelock.Choice) (l library, err error) {
	cached, err := choice.Library()
	if errors.Is(err, engines.ErrDamaged) {
		return l, fmt.Errorf("%w: %w; %s", ErrNoLibrary, err, remedy)
	}
	cache := func() []string {
		if err != nil {
			return nil
		}
		return []string{cached}
	}
	python := func() []string {
		return enginelock.InPython("onnxruntime_genai", "libonnxruntime-genai.*")
	}
	open := func(path string) (err error) {
		l.Library, err = abi.Open(path)
		return err
	}
	path, reasons := choice.Search(open, enginelock.Source{Paths: cache},
		enginelock.Source{Paths: python})
	if path != "" {
		if path == cached {
			l.version = choice.Version
		}
		return l, nil
	}
	reason := "no ONNX Runtime GenAI in the cache or in Python"
	if choice.Lock != "" {
		reason = fmt.Sprintf("no ONNX Runtime GenAI %s, which %s names", choice.Version, choice.Lock)
	}
	if len(reasons) > 0 {
		reason = strings.Join(reasons, "; ")
	}
	return l, &noLibrary{backends.Missing{Backend: Name, Reason: reason, Remedy: remedy}}
}

// noLibrary is a backends.Missing that also wraps ErrNoLibrary.
type noLibrary struct{ backends.Missing }

func (e *noLibrary) Unwrap() []error { return []error{ErrNoLibrary, &e.Missing} }
