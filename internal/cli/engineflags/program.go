package engineflags

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/files"
)

// The flags that run a model in a program.
const (
	processRunner = "--process"
	scriptRunner  = "--model-runner"
	tfRunner      = "--tf"
	torchRunner   = "--pytorch"
	jaxRunner     = "--jax"
	onnxRunner    = "--onnx"
	pluginRunner  = "--pluginref"
)

// servedRunner is the flag that runs a model on a server.
const servedRunner = "--served"

// programs lists the flags above.
var programs = []string{processRunner, scriptRunner, tfRunner, torchRunner, jaxRunner, onnxRunner,
	pluginRunner}

// usages maps runners that may take a value to their usage in the help.
var usages = map[string]string{processRunner: "--process CMD",
	scriptRunner: "--model-runner SCRIPT.py[:FUNCTION]", torchRunner: "--pytorch, --torch [FILE]",
	tfRunner: "--tf [FILE]", jaxRunner: "--jax [FILE]", servedRunner: "--served URL"}

// runner returns the command-line flag that selects the named runner.
func (f *Flags) runner(name string) arguments.Flag {
	flag := arguments.Spelled(cmp.Or(usages[name], name), func(words []string) error {
		f.runners = append(f.runners, strings.Join(append([]string{name}, words...), " "))
		return nil
	})
	if flag.Repeats = true; strings.Contains(flag.Value, "FILE") || name == scriptRunner {
		flag.File = files.Reads
	}
	return flag
}

// ProgramFlags returns the flags that choose a program or a server as an engine, for a command that
// compares several engines. Each time such a flag is parsed, add receives the engine.
func ProgramFlags(add func(backends.Engine)) (list []arguments.Flag) {
	for _, name := range append(slices.Clone(programs), servedRunner) {
		flag := new(Flags).runner(name)
		if flag.Arity == arguments.Maybe {
			flag.Arity = arguments.One // the model of the other engines is not the framework's
		}
		flag.Text, flag.Apply = "PROGRAM", func(words []string) error {
			var f Flags
			if err := f.runner(name).Apply(words); err != nil {
				return err
			}
			engine, err := f.engine(f.runners[0], nil)
			add(engine)
			return err
		}
		list = append(list, flag)
	}
	return list
}

func (f *Flags) runnersOf(names ...string) (list []option) {
	for _, name := range names {
		list = append(list, option{Flag: f.runner(name)})
	}
	return list
}

// named returns the runners' flags without their values.
func named(runners []string) []string {
	flags := make([]string, len(runners))
	for i, runner := range runners {
		flags[i], _, _ = strings.Cut(runner, " ")
	}
	return flags
}

// program returns the options for the program that a runner's flag starts, given the flag's value.
func (f *Flags) program(flag, value string) []process.Option {
	options := append(slices.Clone(f.programs), process.WarmUp(f.warmUp))
	switch flag {
	case processRunner: // a shell runs it, so quotes and variables have their usual meaning
		return append(options, process.Command("/bin/sh", "-c", value))
	case scriptRunner:
		return append(options, process.Script(value))
	case tfRunner:
		kind := process.TensorFlowModel(f.modelType)
		if f.modelType == "onnx" {
			kind = process.AnyTensorFlow
		}
		options = append(append(options, f.tensorflow...), process.TensorFlow(kind))
	case torchRunner:
		options = append(options, process.PyTorch())
	case jaxRunner:
		options = append(options, process.JAX())
	case onnxRunner, pluginRunner:
		return append(options, process.ONNXReference())
	}
	if value != "" {
		options = append(options, process.File(value))
	}
	return options
}

// foreign lists the programs that read only models of their own framework, which are never ONNX
// models.
var foreign = []string{tfRunner, torchRunner, jaxRunner}

// owner returns the flag of the program in [foreign] that must read the file. It returns "" if the
// user chose no such program, or if the file counts as an ONNX model.
func (f *Flags) owner(path string) string {
	if f.modelType == "onnx" {
		return ""
	}
	isONNX := strings.EqualFold(filepath.Ext(path), ".onnx")
	info, err := os.Stat(path)
	folder := err == nil && info.IsDir()
	for _, runner := range f.runners { // a runner with a value has a space and is not in foreign
		if slices.Contains(foreign, runner) &&
			(!isONNX || runner == tfRunner && (f.modelType != "" || folder)) {
			return runner
		}
	}
	return ""
}

// original returns a framework's model together with the program that runs it. The flag runner
// names the program.
func (f *Flags) original(runner string, model file) (backends.ModelEngine, error) {
	flag, word, _ := strings.Cut(runner, " ")
	if !slices.Contains(programs, flag) || flag == onnxRunner || flag == pluginRunner {
		return nil, fmt.Errorf("%[1]s runs ONNX models, got %[2]s; pass the exported ONNX model to "+
			"%[1]s and the original model to %[3]s: modelparity run net.onnx %[1]s %[3]s %[4]s", flag,
			model.Name(), f.owner(model.Path()), model.Path())
	}
	options := f.program(flag, word)
	if word != "" && flag != processRunner && flag != scriptRunner {
		return process.Model(word, options...), nil
	}
	return process.Model(model.Path(), options...), nil
}

// checkModelType returns an error if --model-type names a TensorFlow type but no runner can run it.
func (f *Flags) checkModelType(runners []string) error {
	tensorFlow := slices.Contains([]string{"keras", "ckpt", "saved_model"}, f.modelType) ||
		f.modelType == "frozen" && !slices.Contains(runners, openvinoRunner)
	if tensorFlow && !slices.Contains(runners, tfRunner) {
		return fmt.Errorf("--model-type %s needs TensorFlow; add --tf", f.modelType)
	}
	return nil
}
