package engineflags

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/modelparity/modelparity/backends/genai"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/backends/served"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/values"
)

// option is a flag that configures engines.
type option struct {
	arguments.Flag
	needs []string // the engines that use it; nil means all
	sided bool     // the flag has an --expected variant
}

// Section holds the flags that the help shows under one heading. They belong to one engine or to
// several.
type Section struct {
	Title string
	Flags []arguments.Flag
}

// Sections returns the flags of all engines except TensorRT.
func (f *Flags) Sections() (list []Section) {
	for _, s := range f.sections() {
		var flags []arguments.Flag
		for _, o := range s.options {
			flags = append(flags, o.Noted(&f.given))
		}
		list = append(list, Section{s.title, flags})
	}
	return list
}

// TensorRT returns TensorRT's flags, without those that say where its engine is saved.
func (f *Flags) TensorRT() []arguments.Flag {
	return append([]arguments.Flag{f.runner(trtRunner)}, f.tensorrt.List()...)
}

// Build returns the flags that commands for building an engine have in addition to TensorRT's
// flags.
func (f *Flags) Build() []arguments.Flag {
	return []arguments.Flag{f.modelTypeFlag(), f.tensorrt.Capability()}
}

// SaveEngine returns the flag that saves TensorRT's engine.
func (f *Flags) SaveEngine() arguments.Flag { return f.tensorrt.Save() }

// Expected returns the flags that apply only to the expected side.
func (f *Flags) Expected() (list []arguments.Flag) {
	for _, o := range f.options() {
		if !o.sided {
			continue
		}
		flag := o.Flag
		flag.Fill = []string{"{flag}", o.Name}
		flag.Name, flag.Also, flag.Text = expectedName(o.Name), nil, "EXPECTED"
		flag.Apply = func(words []string) error {
			f.expected = append(f.expected, expectation{o.Name, words})
			return new(Flags).apply(o.Name, words) // to check the values
		}
		list = append(list, flag)
	}
	return list
}

// options returns the options of all engines except TensorRT.
func (f *Flags) options() (list []option) {
	for _, s := range f.sections() {
		list = append(list, s.options...)
	}
	return list
}

// apply sets the option with the given name to words.
func (f *Flags) apply(name string, words []string) error {
	for _, o := range f.options() {
		if o.Name == name {
			return o.Apply(words)
		}
	}
	return fmt.Errorf("unknown engine flag %s", name)
}

func (f *Flags) modelTypeFlag() arguments.Flag {
	return arguments.Spelled("--model-type TYPE", f.setModelType)
}

// engineSection is an unfinished [Section]. [Flags.Sections] finishes the section. A flag of a
// finished section adds its name to Flags.given each time the user gives the flag.
type engineSection struct {
	title   string
	options []option
}

// sections returns the flags of all engines except TensorRT.
func (f *Flags) sections() []engineSection {
	spelled, session := arguments.Spelled, &f.onnxruntime.session
	used := func(sided bool, needs []string, flags ...arguments.Flag) (list []option) {
		for _, flag := range flags {
			list = append(list, option{flag, needs, sided})
		}
		return list
	}
	of := func(sided bool, engine string, flags ...arguments.Flag) []option {
		return used(sided, []string{engine}, flags...)
	}
	common := append(used(false, Runners(), append([]arguments.Flag{
		spelled("--warm-up, --warm-up-runs N", arguments.Value(arguments.AtLeast(0), &f.warmUp)),
		f.modelTypeFlag()}, f.isolation.List()...)...), used(false, nil,
		spelled("--sequential-runners", func([]string) error { return nil }),
		spelled("--fp32", arguments.Set(&f.onnxruntime.fp32)))...)
	programOptions := append(used(false, append(slices.Clone(programs), servedRunner),
		spelled("--process-timeout SECONDS", arguments.Each(values.Duration, func(d time.Duration) {
			f.programs = append(f.programs, process.Timeout(d))
			f.served = append(f.served, served.Timeout(d))
		}))), used(false, programs,
		spelled("--python PYTHON", arguments.Values(word(process.Python), &f.programs)))...)
	return []engineSection{
		{"Runners", slices.Concat(f.runnersOf(onnxrt), of(true, onnxrt,
			spelled("--onnxrt-threads N", arguments.Values(arguments.Count(0, ort.Threads), session)),
			spelled("--providers, --execution-providers PROVIDER ...",
				arguments.Texts(&f.onnxruntime.providers)),
			spelled("--plugin-ep PLUGIN ...", func(words []string) error {
				var options []ort.PluginSetting
				err := arguments.Values(pair(ort.PluginOption,
					"%q is not an option of the plug-in; write KEY=VALUE"), &options)(words[1:])
				f.onnxruntime.plugins = append(f.onnxruntime.plugins, ort.PluginEP(words[0], options...))
				return err
			}),
			spelled("--custom-ops FILE ...", arguments.Texts(&f.onnxruntime.customOps)).On(files.Reads),
			spelled("--graph-optimization-level LEVEL", arguments.Values(optimizationLevel, session)),
			spelled("--onnxrt-accuracy-level TYPE", arguments.Values(word(ort.AccuracyLevel,
				ort.AccuracyFloat32, ort.AccuracyBFloat16, ort.AccuracyFloat16, ort.AccuracyInt8), session)),
			spelled("--onnxrt-config KEY=VALUE ...", arguments.Values(pair(ort.Config,
				"%q is not KEY=VALUE, such as session.set_denormal_as_zero=1"), session))),
			of(false, onnxrt, spelled("--provider-options PROVIDER:KEY=VALUE ...",
				arguments.Values(providerOption, &f.onnxruntime.providerOptions))), common)},
		// The flags that name a library have no --expected variant, because a process can load only one
		// library of an engine.
		{"OpenVINO", slices.Concat(f.runnersOf(openvinoRunner), of(true, openvinoRunner,
			spelled("--openvino-precision TYPE", arguments.Values(word(openvino.Precision,
				openvino.Float32, openvino.BFloat16, openvino.Float16, openvino.Own), &f.openvino)),
			spelled("--openvino-execution-mode MODE", arguments.Values(word(openvino.ExecutionMode,
				openvino.Accuracy, openvino.Performance), &f.openvino)),
			spelled("--openvino-threads N",
				arguments.Values(arguments.Count(0, openvino.Threads), &f.openvino)),
			spelled("--openvino-device NAME", arguments.Values(word(openvino.Device), &f.openvino)),
			spelled("--openvino-static-shapes", arguments.Adding(openvino.StaticShapes, &f.openvino)),
			spelled("--openvino-property KEY=VALUE ...", arguments.Values(pair(openvino.Property,
				"%q is not KEY=VALUE, such as NUM_STREAMS=2"), &f.openvino))),
			of(false, openvinoRunner, spelled("--openvino-library FILE",
				arguments.Values(word(openvino.Library), &f.openvino)).On(files.Reads)))},
		{"tract", slices.Concat(f.runnersOf(tractRunner), of(true, tractRunner,
			spelled("--tract-fp16", arguments.Adding(tract.FP16, &f.tract))),
			of(false, tractRunner, spelled("--tract-library FILE",
				arguments.Values(word(tract.Library), &f.tract)).On(files.Reads)))},
		{"GenAI", slices.Concat(f.runnersOf(genaiRunner), of(true, genaiRunner,
			spelled("--genai-threads N", arguments.Values(arguments.Count(0, genai.Threads), &f.genai)),
			spelled("--genai-overlay JSON", arguments.Values(word(genai.Overlay), &f.genai))),
			of(false, genaiRunner, spelled("--genai-library FILE",
				arguments.Values(word(genai.Library), &f.genai)).On(files.Reads)))},
		{"Programs", slices.Concat(f.runnersOf(append(slices.Clone(programs), servedRunner)...),
			of(false, tfRunner,
				spelled("--ckpt NAME", arguments.Values(word(process.CheckpointName), &f.tensorflow)),
				spelled("--tf-outputs TENSOR ...", func(words []string) error {
					f.tensorflow = append(f.tensorflow, process.Outputs(values.Marked(words)...))
					return nil
				})), programOptions,
			of(false, servedRunner, spelled("--served-binary", arguments.Adding(served.Binary, &f.served)),
				spelled("--served-header NAME=VARIABLE ...", arguments.Values(header, &f.served))))},
	}
}

// word returns a function that accepts the known words, or any word if none are known, and passes
// the word to option.
func word[E ~string, O any](option func(E) O, known ...E) func(string) (O, error) {
	return func(text string) (O, error) {
		texts := make([]string, len(known))
		for i, k := range known {
			texts[i] = string(k)
		}
		if len(known) == 0 {
			return option(E(text)), nil
		}
		return option(E(text)), values.Choice(text, texts...)
	}
}

// pair returns a function that parses KEY=VALUE and passes both to option. wrong is the format
// string of the error for values of any other form.
func pair[O any](option func(key, value string) O, wrong string) func(string) (O, error) {
	return func(text string) (o O, err error) {
		key, value, found := strings.Cut(text, "=")
		if !found || key == "" {
			return o, fmt.Errorf(wrong, text)
		}
		return option(key, value), nil
	}
}

func header(text string) (o served.Option, err error) {
	name, variable, found := strings.Cut(text, "=")
	if !found || name == "" || variable == "" {
		return o, errors.New("a header needs its name and the name of an environment variable, " +
			"as in Authorization=TOKEN") // do not print text, which may be the secret itself
	}
	return served.Header(name, variable), nil
}

// optimizationLevel accepts modelparity's names of the levels and ONNX Runtime's names.
func optimizationLevel(word string) (ort.Option, error) {
	level := ort.Level(strings.ToLower(word))
	if own, ok := levels[strings.ToUpper(word)]; ok {
		level = own
	}
	return ort.OptimizationLevel(level),
		values.Choice(string(level), "none", "basic", "extended", "layout", "all")
}

// levels maps ONNX Runtime's names to the levels.
var levels = map[string]ort.Level{
	"ORT_DISABLE_ALL": ort.OptimizeNone, "ORT_ENABLE_BASIC": ort.OptimizeBasic,
	"ORT_ENABLE_EXTENDED": ort.OptimizeExtended, "ORT_ENABLE_LAYOUT": ort.OptimizeLayout,
	"ORT_ENABLE_ALL": ort.OptimizeAll,
}

// providerOption parses PROVIDER:KEY=VALUE.
func providerOption(text string) (o ort.Option, err error) {
	provider, setting, _ := strings.Cut(text, ":")
	key, value, found := strings.Cut(setting, "=")
	if !found || provider == "" || key == "" {
		return o, fmt.Errorf("%q is not PROVIDER:KEY=VALUE, such as cuda:use_tf32=1", text)
	}
	return ort.ProviderOption(provider, key, value), nil
}

// setModelType rejects an unsupported type. The error names an alternative.
func (f *Flags) setModelType(words []string) error {
	f.modelType = words[0]
	switch words[0] {
	case "trt-network-script":
		return fmt.Errorf("%s models are not supported: export the model to ONNX, or let polygraphy "+
			"run it with --save-outputs FILE and pass FILE to --load-outputs", words[0])
	case "uff", "caffe":
		return fmt.Errorf("%s models are no longer supported, nor by Polygraphy since 0.48: convert "+
			"the model to ONNX", words[0])
	}
	return values.Choice(words[0], "onnx", "engine", "openvino", "frozen", "keras", "ckpt",
		"saved_model")
}

// options returns the options for ONNX Runtime. --fp32 turns TF32 off. It is an error with the
// TensorRT provider, which has no option for that.
func (o onnxruntime) options(warmUp int) ([]ort.Option, error) {
	if o.fp32 && slices.ContainsFunc(o.providers, isTensorRT) &&
		os.Getenv("NVIDIA_TF32_OVERRIDE") != "0" {
		return nil, errors.New("--fp32 has no effect: ONNX Runtime's tensorrt provider uses TF32; " +
			"set NVIDIA_TF32_OVERRIDE=0 in the environment, or run TensorRT with --trt")
	}
	options := slices.Concat(o.session, o.plugins, o.providerOptions, []ort.Option{ort.WarmUp(warmUp)})
	if len(o.customOps) > 0 {
		options = append(options, ort.CustomOps(o.customOps...))
	}
	if len(o.providers) > 0 {
		options = append(options, ort.Providers(o.providers...))
	}
	return options, nil
}

// isTensorRT reports whether provider is one of the names of ONNX Runtime's TensorRT provider.
func isTensorRT(provider string) bool {
	return slices.Contains([]string{"trt", "tensorrt", "tensorrtexecutionprovider"},
		strings.ToLower(provider))
}
