package engineflags

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/genai"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/backends/served"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/inputflags"
	"github.com/modelparity/modelparity/tensor"
)

// Subject combines a model, as returned by [Flags.Model], with the engine that a runner's flag
// names. Some models, such as built TensorRT engines, can only run in an engine of their own, which
// Subject then uses instead. shapes contains input shapes for a TensorRT profile; they apply only
// to inputs that the profile's own flags do not mention.
//
// With --use-subprocess the engine runs in a separate process. [Flags.Log] sets the engine's log.
func (f *Flags) Subject(runner string, model fixtures.Declaration, inputs fixtures.Inputs,
	shapes map[string]tensor.Shape) (backends.Subject, error) {
	s, err := f.subject(runner, model, inputs, shapes)
	if err == nil {
		s.Engine = f.isolation.Of(s.Engine)
	}
	return s, err
}

func (f *Flags) subject(runner string, model fixtures.Declaration, inputs fixtures.Inputs,
	shapes map[string]tensor.Shape) (s backends.Subject, err error) {
	s.Model, s.Inputs = model, inputs
	if of, program := own(model, process.Name); program {
		original, err := f.original(runner, of)
		s.Engine, s.Model = original, original
		return s, err
	}
	if slices.Contains(foreign, runner) {
		return s, fmt.Errorf("%s runs only models of its own framework, got %s; pass such a model as "+
			"the flag's value: modelparity run net.onnx --onnxrt %[1]s FILE", runner, model.Name())
	}
	if only := reader(model); only != "" && only != runner {
		return s, fmt.Errorf("%s runs ONNX models, got %s; run it with %s", runner,
			backends.Described(model), only)
	}
	if of, built := own(model, "trt"); built {
		options, err := f.tensorRT(shapes)
		plan := trt.Plan(of.Path(), options...)
		s.Engine, s.Model = plan, plan
		return s, err
	}
	s.Engine, err = f.engine(runner, shapes)
	return s, err
}

// tensorRT returns the options for TensorRT. shapes are as in [Flags.Subject].
func (f *Flags) tensorRT(shapes map[string]tensor.Shape) ([]trt.Option, error) {
	options, err := f.tensorrt.Options(shapes)
	return append(options, trt.WarmUp(f.warmUp)), err
}

// file is a model that comes with its own engine: a framework's model with the program for that
// framework, or a built TensorRT engine.
type file interface {
	backends.ModelEngine
	Path() string
}

// own returns the model as a [file]. The second result is false if the model is not a [file], or if
// the engine of the file does not have the given name.
func own(model fixtures.Declaration, engine string) (file, bool) {
	of, is := model.(file)
	return of, is && strings.HasPrefix(of.Text(), engine+" ")
}

// reader returns the flag of the only engine that can read the model, or "" if several can.
func reader(model fixtures.Declaration) string {
	if _, built := own(model, "trt"); built {
		return trtRunner
	}
	if _, is := model.(withFiles); is {
		return openvinoRunner
	}
	return ""
}

// engine returns the engine that a runner's flag names, for a model that does not come with its own
// engine. shapes are as in [Flags.Subject].
func (f *Flags) engine(runner string, shapes map[string]tensor.Shape) (backends.Engine, error) {
	switch runner {
	case onnxrt:
		options, err := f.onnxruntime.options(f.warmUp)
		return ort.Engine(options...), err
	case openvinoRunner:
		return openvino.Engine(append(slices.Clone(f.openvino), openvino.WarmUp(f.warmUp))...), nil
	case tractRunner:
		return tract.Engine(append(slices.Clone(f.tract), tract.WarmUp(f.warmUp))...), nil
	case genaiRunner:
		return genai.Engine(append(slices.Clone(f.genai), genai.WarmUp(f.warmUp))...), nil
	case trtRunner:
		options, err := f.tensorRT(shapes)
		return trt.Engine(options...), err
	}
	flag, word, _ := strings.Cut(runner, " ")
	if flag == servedRunner {
		return served.Model(word, append(slices.Clone(f.served), served.WarmUp(f.warmUp))...), nil
	}
	if slices.Contains(programs, flag) {
		return process.Engine(f.program(flag, word)...), nil
	}
	return nil, fmt.Errorf("unknown runner %s; use %s", runner, strings.Join(Runners(), ", "))
}

// Inputs returns the inputs for a model. If the flags describe a TensorRT profile, random inputs
// have the opt shapes of that profile, as in Polygraphy, unless --input-shapes sets other shapes.
func (f *Flags) Inputs(in *inputflags.Flags, model fixtures.Declaration) fixtures.Inputs {
	in.Assume(f.tensorrt.Likely())
	return in.Inputs(model)
}

// RunnerName returns Polygraphy's name for the i-th named engine, but without the date, which
// changes in every run: "onnxrt-runner-N1" is the second ONNX Runtime.
func (f *Flags) RunnerName(i int) string {
	n := 0
	runners := named(f.runners)
	for _, runner := range runners[:i] {
		if runner == runners[i] {
			n++
		}
	}
	return fmt.Sprintf("%s-runner-N%d", strings.TrimPrefix(runners[i], "--"), n)
}

// Only returns the model in a file with the engine that the flags name, or with ONNX Runtime if
// they name none. Several files or engines are an error.
func (f *Flags) Only(files []string, in *inputflags.Flags) (s backends.Subject, err error) {
	if len(f.runners) > 1 {
		return s, arguments.Wanted("the command takes one engine", f.runners)
	}
	model, err := f.single(files, in)
	if err != nil {
		return s, err
	}
	return f.Subject(f.Used()[0], model, f.Inputs(in, model), in.Shapes())
}

// Sides returns the two subjects to compare, both with the inputs for the first model. The sides
// must differ in the model, the engine, or the engine's options.
func (f *Flags) Sides(files []string, in *inputflags.Flags) (
	actual, expected backends.Subject, err error) {
	if len(files) == 0 || len(files) > 2 {
		return actual, expected, arguments.Wanted("the command takes one model, or ACTUAL and EXPECTED",
			files)
	}
	runners := f.Used()
	if len(runners) > 2 {
		return actual, expected, arguments.Wanted("the command compares two runners", runners)
	}
	left, right := runners[0], runners[len(runners)-1]
	if err := errors.Join(f.Check(left, right), in.Check()); err != nil {
		return actual, expected, err
	}
	if len(files) == 1 && left == right && len(f.expected) == 0 {
		return actual, expected, errors.New("both sides are the same model in the same engine; " +
			"name a second model, or another engine (--trt --onnxrt), or options of the expected " +
			"side such as --expected-graph-optimization-level none")
	}
	model, err := f.Model(files[0])
	if err != nil {
		return actual, expected, err
	}
	other := model
	if len(files) == 2 {
		if other, err = f.Model(files[1]); err != nil {
			return actual, expected, err
		}
	}
	inputs := f.Inputs(in, model)
	if actual, err = f.Subject(left, model, inputs, in.Shapes()); err != nil {
		return actual, expected, err
	}
	expected, err = f.ofExpected().Subject(right, other, inputs, in.Shapes())
	return actual, expected, err
}

// ofExpected returns the flags for the expected side: the common options, followed by the options
// that are set only for that side. Some of the side's options replace the common ones instead of
// adding to them. Providers replace the common providers, their options and the plug-ins; plug-ins
// replace the common plug-ins. Operator libraries replace the common libraries, because two
// libraries may define the same operators.
func (f *Flags) ofExpected() *Flags {
	side := *f // what is appended to its slices does not change f
	for _, e := range f.expected {
		switch e.flag {
		case "--providers":
			side.onnxruntime.providers, side.onnxruntime.providerOptions = nil, nil
			side.onnxruntime.plugins = nil
		case "--plugin-ep":
			side.onnxruntime.plugins = nil
		case "--custom-ops":
			side.onnxruntime.customOps = nil
		}
	}
	for _, e := range f.expected {
		_ = side.apply(e.flag, e.words) // Set has checked the values
	}
	return &side
}
