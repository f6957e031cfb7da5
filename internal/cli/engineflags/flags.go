// Package engineflags creates engines from flags such as --onnxrt --providers cuda --openvino
// --openvino-precision bfloat16. For runners that Polygraphy has, the flags are Polygraphy's.
// Package trtflags handles TensorRT's flags.
package engineflags

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends/genai"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/backends/served"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/trtflags"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/loaders"
)

// Flags holds the flags of a command line. The zero value names no engine.
type Flags struct {
	runners  []string      // one entry per run, in order: the flag, then a space and its value
	given    []string      // all other flags, except TensorRT's
	expected []expectation // options for the expected side

	onnxruntime onnxruntime
	openvino    []openvino.Option
	tract       []tract.Option
	genai       []genai.Option
	tensorrt    trtflags.Flags
	programs    []process.Option // for all programs
	tensorflow  []process.Option
	warmUp      int
	modelType   string
	served      []served.Option
	isolation   Isolation
	fixed       map[string][]loaders.Dim // shapes that replace the shapes of an ONNX model's inputs
}

// onnxruntime holds the flags of ONNX Runtime.
type onnxruntime struct {
	session         []ort.Option
	customOps       []string
	providers       []string
	plugins         []ort.Option
	providerOptions []ort.Option
	fp32            bool // --fp32 was given
}

// expectation is a flag that applies only to the expected side of a comparison, together with its
// values.
type expectation struct {
	flag  string
	words []string
}

// Runners returns the flags that choose what runs the model: an engine, a server or a program.
func Runners() []string {
	return append([]string{onnxrt, trtRunner, openvinoRunner, tractRunner, genaiRunner, servedRunner},
		programs...)
}

const (
	onnxrt         = "--onnxrt"
	trtRunner      = "--trt"
	openvinoRunner = "--openvino"
	tractRunner    = "--tract"
	genaiRunner    = "--genai"
)

// expectedName returns the name of the --expected variant of a flag.
func expectedName(flag string) string { return "--expected-" + strings.TrimPrefix(flag, "--") }

// List returns all flags. Contradictions between them are reported by [Flags.Check], or when the
// engine is created.
func (f *Flags) List() []arguments.Flag {
	flags := append(f.TensorRT(), f.Expected()...)
	for _, s := range f.Sections() {
		flags = append(flags, s.Flags...)
	}
	return flags
}

// Set applies a flag as if it were on the command line.
func (f *Flags) Set(flag string, words ...string) error {
	return arguments.Give(f.List(), flag, words...)
}

// FixInput sets a static shape for an input of every ONNX model.
func (f *Flags) FixInput(shape values.Named[[]int]) {
	if f.fixed == nil {
		f.fixed = map[string][]loaders.Dim{}
	}
	f.fixed[shape.Name] = nil
	for _, n := range shape.Value {
		f.fixed[shape.Name] = append(f.fixed[shape.Name], loaders.Dim{Size: n})
	}
}

// Log makes the engines write their logs to w, in full detail if verbose is true. Only ONNX Runtime
// and TensorRT have logs. If an engine runs in a separate process, the log is followed by the
// output of that process.
func (f *Flags) Log(w io.Writer, verbose bool) { f.isolation.log, f.isolation.verbose = w, verbose }

// Used returns [Flags.Given] or, if the user named no engine, ONNX Runtime's flag.
func (f *Flags) Used() []string {
	if len(f.runners) == 0 {
		return []string{onnxrt}
	}
	return f.Given()
}

// Given returns the flags of the engines that the user named, in order. A flag's value, if it has
// one, follows after a space: "--model-runner original.py".
func (f *Flags) Given() []string { return slices.Clone(f.runners) }

// Saves reports whether a flag makes TensorRT write a file that remains after the run: an engine,
// tactics or a timing cache.
func (f *Flags) Saves() bool {
	return slices.ContainsFunc(f.tensorrt.Given(), func(flag string) bool {
		return strings.HasPrefix(flag, "--save-")
	})
}

// Check returns an error for a flag that has no effect because its engine does not run. implied
// lists the engines that run if none are named.
func (f *Flags) Check(implied ...string) error {
	runners := named(f.runners)
	if len(runners) == 0 {
		runners = implied
	}
	if err := errors.Join(f.checkModelType(runners), f.isolation.Check()); err != nil {
		return err
	}
	idle := func(needs []string) bool {
		return !slices.ContainsFunc(needs, func(n string) bool { return slices.Contains(runners, n) })
	}
	for _, o := range f.options() {
		expected := func(e expectation) bool { return e.flag == o.Name }
		switch {
		case len(o.needs) == 0 || !idle(o.needs):
		case slices.Contains(f.given, o.Name):
			return without(o.Name, o.needs)
		case slices.ContainsFunc(f.expected, expected):
			return without(expectedName(o.Name), o.needs)
		}
	}
	if given := f.tensorrt.Given(); len(given) > 0 && idle([]string{trtRunner}) {
		return fmt.Errorf("%s is a flag of TensorRT; add --trt, or drop %[1]s: other engines "+
			"have their own flags, such as --openvino-precision", given[0])
	}
	return nil
}

// without returns the error for a flag that has no effect because none of the flags in needs is
// given.
func without(flag string, needs []string) error {
	return fmt.Errorf("%s has no effect without %s; add it, or drop %[1]s", flag,
		strings.Join(needs, " or "))
}
