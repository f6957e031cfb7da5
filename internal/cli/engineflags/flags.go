// Package engineflags makes engines of the flags of a command line, as --onnxrt --providers cuda
// --openvino --openvino-precision bfloat16. The flags of a runner are Polygraphy's where Polygraphy
// has the runner; those of TensorRT have a package of their own, trtflags.
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

// Flags is the flags that were given. The zero value is none: no engine.
type Flags struct {
	runners  []string      // in order, one entry for each run: a flag, and a blank before its word
	given    []string      // the flags of options, but for TensorRT's
	expected []expectation // the options of the expected side alone

	onnxruntime onnxruntime
	openvino    []openvino.Option
	tract       []tract.Option
	genai       []genai.Option
	tensorrt    trtflags.Flags
	programs    []process.Option // for every program that runs
	tensorflow  []process.Option
	warmUp      int
	modelType   string
	served      []served.Option
	isolation   Isolation
}

// onnxruntime is what the flags say of ONNX Runtime.
type onnxruntime struct {
	session         []ort.Option
	customOps       []string
	providers       []string
	providerOptions []ort.Option
	fp32            bool // in so many words
}

// expectation is a flag of the expected side with its words.
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

// Expected is what the name of a flag begins with that holds for the expected side alone.
const Expected = "--expected-"

// Set takes a flag with the words behind it. The error of a word says what to write; one of
// several flags that do not go together comes from [Flags.Check] and from making the engine.
func (f *Flags) Set(flag string, words ...string) error {
	if slices.Contains(Runners(), flag) {
		return f.run(flag, words)
	}
	if option, only := strings.CutPrefix(flag, Expected); only {
		option = "--" + option
		if known, ok := table[option]; !ok || !known.sided {
			return fmt.Errorf("unknown flag %s of an engine", flag)
		}
		var scratch Flags // finds out what is wrong with the words
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
	return fmt.Errorf("unknown flag %s of an engine", flag)
}

// apply puts the words of a flag of the table into effect.
func (f *Flags) apply(flag string, words []string) error {
	known := table[flag]
	if len(words) < known.least || len(words) > known.most {
		return fmt.Errorf("%s takes %s, got %d", flag, known.takes(), len(words))
	}
	return known.apply(f, words)
}

// Names lists every flag, but for TensorRT's options.
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

// Log has the engines write their own logs to w: what they do, or every detail. ONNX Runtime and
// TensorRT have a log. Of an engine in a process of its own all that is printed there follows.
func (f *Flags) Log(w io.Writer, verbose bool) { f.isolation.log, f.isolation.verbose = w, verbose }

// Given is the engines that were named, by their flags, in order. A blank and the word follow where
// the flag was given one: "--model-runner original.py".
func (f *Flags) Given() []string { return slices.Clone(f.runners) }

// Saves reports whether a flag asks for a file that outlives the run: an engine, tactics or a
// timing cache.
func (f *Flags) Saves() bool {
	return slices.ContainsFunc(f.tensorrt.Given(), func(flag string) bool {
		return strings.HasPrefix(flag, "--save-")
	})
}

// Check is an error for a flag that would do nothing, because its engine does not run. implied are
// the engines that run where none is named.
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
		return fmt.Errorf("%s is for TensorRT; add --trt, or drop it: other engines have flags of their "+
			"own, such as --openvino-precision", given[0])
	}
	return nil
}

// without is the error of a flag that needs one of several others.
func without(flag string, needs []string) error {
	return fmt.Errorf("%s does nothing without %s; add it, or drop %[1]s", flag,
		strings.Join(needs, " or "))
}

// clone is the flags with lists of their own.
func (f *Flags) clone() *Flags {
	c := *f
	c.onnxruntime.session = slices.Clone(f.onnxruntime.session)
	c.onnxruntime.providerOptions = slices.Clone(f.onnxruntime.providerOptions)
	c.openvino, c.tract = slices.Clone(f.openvino), slices.Clone(f.tract)
	c.genai = slices.Clone(f.genai)
	return &c
}
