// Package engineflags converts flags to engines, such as --onnxrt --providers cuda --openvino
// --openvino-precision bfloat16. A runner that Polygraphy has uses Polygraphy's flags. Package
// trtflags handles TensorRT's flags.
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
	"github.com/modelparity/modelparity/internal/cli/trtflags"
)

// Flags holds the flags that were given. The zero value names no engine.
type Flags struct {
	runners  []string      // one entry for each run, in order: the flag, then a space and its value
	given    []string      // the other flags, except TensorRT's
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
}

// onnxruntime holds the flags of ONNX Runtime.
type onnxruntime struct {
	session         []ort.Option
	customOps       []string
	providers       []string
	providerOptions []ort.Option
	fp32            bool // --fp32 was given
}

// expectation is a flag for the expected side with its values.
type expectation struct {
	flag  string
	words []string
}

// Runners lists the flags that run a model.
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

// Expected is the prefix of flags for the expected side.
const Expected = "--expected-"

// Set sets a flag. It returns an error for a bad value, which says what to write; contradictory
// flags are reported by [Flags.Check] or when the engine is made.
func (f *Flags) Set(flag string, words ...string) error {
	if slices.Contains(Runners(), flag) {
		return f.run(flag, words)
	}
	if option, only := strings.CutPrefix(flag, Expected); only {
		option = "--" + option
		if known, ok := table[option]; !ok || !known.sided {
			return fmt.Errorf("unknown engine flag %s", flag)
		}
		var scratch Flags // checks the values
		if err := scratch.apply(option, words); err != nil {
			return err
		}
		f.expected = append(f.expected, expectation{option, words})
		return nil
	}
	if _, known := table[flag]; known {
		f.given = append(f.given, flag)
		return f.apply(flag, words)
	}
	if slices.Contains(trtflags.Names(), flag) {
		return f.tensorrt.Set(flag, words...)
	}
	return fmt.Errorf("unknown engine flag %s", flag)
}

// apply sets a flag of the table.
func (f *Flags) apply(flag string, words []string) error {
	known := table[flag]
	if len(words) < known.least || len(words) > known.most {
		return fmt.Errorf("%s takes %s, got %d", flag, known.takes(), len(words))
	}
	return known.apply(f, words)
}

// Names lists all flags except TensorRT's options.
func Names() []string {
	names := Runners()
	for name, known := range table {
		names = append(names, name)
		if known.sided {
			names = append(names, Expected+strings.TrimPrefix(name, "--"))
		}
	}
	slices.Sort(names)
	return names
}

// Log makes the engines write their logs to w, in every detail if verbose. Only ONNX Runtime and
// TensorRT have logs. For an engine in a separate process, the process's output follows.
func (f *Flags) Log(w io.Writer, verbose bool) { f.isolation.log, f.isolation.verbose = w, verbose }

// Given returns the named engines' flags in order. A flag with a value is followed by a space and
// the value: "--model-runner original.py".
func (f *Flags) Given() []string { return slices.Clone(f.runners) }

// Saves reports whether a flag writes a file that outlives the run: an engine, tactics or a timing
// cache.
func (f *Flags) Saves() bool {
	return slices.ContainsFunc(f.tensorrt.Given(), func(flag string) bool {
		return strings.HasPrefix(flag, "--save-")
	})
}

// Check returns an error for a flag that has no effect because its engine does not run. implied are
// the engines that run if none is named.
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
	for _, flag := range f.given {
		if needs := table[flag].needs; len(needs) > 0 && idle(needs) {
			return without(flag, needs)
		}
	}
	for _, e := range f.expected {
		if needs := table[e.flag].needs; idle(needs) {
			return without(Expected+strings.TrimPrefix(e.flag, "--"), needs)
		}
	}
	if given := f.tensorrt.Given(); len(given) > 0 && idle([]string{trtRunner}) {
		return fmt.Errorf("%s is for TensorRT; add --trt, or drop it: other engines have other "+
			"flags, such as --openvino-precision", given[0])
	}
	return nil
}

// without is the error of a flag that needs one of several others.
func without(flag string, needs []string) error {
	return fmt.Errorf("%s has no effect without %s; add it, or drop %[1]s", flag,
		strings.Join(needs, " or "))
}

// clone copies the flags, including their slices.
func (f *Flags) clone() *Flags {
	c := *f
	c.onnxruntime.session = slices.Clone(f.onnxruntime.session)
	c.onnxruntime.providerOptions = slices.Clone(f.onnxruntime.providerOptions)
	c.openvino, c.tract = slices.Clone(f.openvino), slices.Clone(f.tract)
	c.genai = slices.Clone(f.genai)
	return &c
}
