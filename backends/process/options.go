package process

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/option"
)

// Option sets which program runs, and how.
//
// An option prints itself as the Go call that creates it.
type Option = option.Option[settings]

// Command runs a program that speaks the protocol. The arguments are passed without a shell.
func Command(program string, arguments ...string) Option {
	return option.New(option.Call("process.Command", option.Args(arguments, program)...),
		func(s *settings) error {
			if program == "" {
				return errors.New("the name of the program is empty")
			}
			return s.set("", append([]string{program}, arguments...)...)
		})
}

// Script runs a Python file that defines a function run(inputs), or a function load(model) that
// returns such a function; python/modelparity.py describes their arguments. If file is
// FILE.py:NAME, the function NAME is used instead of run.
func Script(file string) Option {
	return option.New(option.Call("process.Script", file), func(s *settings) error {
		if file == "" {
			return errors.New("the name of the file is empty")
		}
		return s.set("modelparity", file)
	})
}

// PyTorch runs the model in the file that [File] names: a whole module written by torch.save,
// TorchScript, or an exported program (.pt2). Inputs are matched to the parameters of forward by
// name if the names are the same, and otherwise by position. Outputs get the names that the model
// declares, in order.
func PyTorch() Option { return framework("PyTorch", "runner_torch") }

func framework(function, runner string) Option {
	return option.New(option.Call("process."+function), func(s *settings) error {
		return s.set(runner)
	})
}

// TensorFlowModel is a kind of TensorFlow or Keras model file.
type TensorFlowModel string

// The kinds of model file. Their values are the names that Polygraphy uses.
const (
	AnyTensorFlow TensorFlowModel = ""            // the kind is found from the file
	Frozen        TensorFlowModel = "frozen"      // a frozen graph, .pb
	Keras         TensorFlowModel = "keras"       // .keras or .h5
	Checkpoint    TensorFlowModel = "ckpt"        // a folder or a prefix of checkpoint files
	SavedModel    TensorFlowModel = "saved_model" // a folder with saved_model.pb
)

// tensorFlowModels maps the kinds to their names in Go.
var tensorFlowModels = map[TensorFlowModel]string{AnyTensorFlow: "process.AnyTensorFlow",
	Frozen: "process.Frozen", Keras: "process.Keras", Checkpoint: "process.Checkpoint",
	SavedModel: "process.SavedModel"}

// TensorFlow runs a TensorFlow or Keras model that [File] names.
func TensorFlow(model TensorFlowModel) Option {
	shown := option.Enum(model, tensorFlowModels[model])
	return option.New(option.Call("process.TensorFlow", shown), func(s *settings) error {
		if _, ok := tensorFlowModels[model]; !ok {
			return fmt.Errorf("unknown kind of model %q; it must be frozen, keras, ckpt or saved_model",
				string(model))
		}
		return s.set("runner_tensorflow", string(model))
	})
}

// CheckpointName names the checkpoint in the model's folder, without an extension. The default is
// "model" if there is a model.meta, and otherwise the checkpoint that the folder's file
// "checkpoint" names.
func CheckpointName(name string) Option {
	return option.Field(option.Call("process.CheckpointName", name), name,
		func(s *settings) *string { return &s.Checkpoint },
		option.Refuse(name == "", "the name is empty"))
}

// Outputs names the tensors that TensorFlow returns, in order. A name is a tensor of a graph
// ("logits:0", or "logits" for an operation's first output), an output or a layer of a Keras model,
// or an output of a saved model. The default is all tensors that no node reads. "*" alone means
// every computed tensor.
func Outputs(names ...string) Option {
	return option.Field(option.Call("process.Outputs", option.Args(names)...), names,
		func(s *settings) *[]string { return &s.Outputs },
		option.Refuse(len(names) == 0 || slices.Contains(names, ""), "expected one or more names, "+
			"none of them empty"))
}

// ONNXReference runs ONNX models in ONNX's own reference evaluator, which is written in NumPy. It
// is slow and has known errors, for example in BatchNormalization of opset 9
// (docs/evidence/operators.md).
func ONNXReference() Option { return framework("ONNXReference", "runner_onnx") }

// JAX runs the function in the file that [File] names. The file contains a function serialised by
// jax.export (.jax, .bin), or it is a Python file whose function run takes inputs by name and is
// compiled by jax.jit.
func JAX() Option { return framework("JAX", "runner_jax") }

// File names a file that the program runs instead of the model that is opened, for example the
// original from which an ONNX model was exported. From the opened model, only the declarations of
// inputs and outputs are then used.
func File(path string) Option {
	return option.Field(option.Call("process.File", path), path,
		func(s *settings) *string { return &s.File },
		option.Refuse(path == "", "the path is empty"))
}

// Python names the interpreter for scripts and frameworks; the default is MODELPARITY_PYTHON if
// set, and otherwise python3.
func Python(path string) Option {
	return option.Field(option.Call("process.Python", path), path,
		func(s *settings) *string { return &s.Python },
		option.Refuse(path == "", "the path is empty"))
}

// Env sets a variable in the program's environment. All other variables are copied from the spec's
// environment.
func Env(name, value string) Option {
	return option.New(option.Call("process.Env", name, value), func(s *settings) error {
		if name == "" || strings.Contains(name, "=") {
			return fmt.Errorf("%q cannot be the name of an environment variable", name)
		}
		if s.Env == nil {
			s.Env = map[string]string{}
		}
		s.Env[name] = value
		return nil
	})
}

// Timeout limits the time for one answer, that is for loading the model or for running one
// iteration. The default is 5 minutes; with 0, only the context limits the time.
func Timeout(d time.Duration) Option {
	return option.Field(option.Call("process.Timeout", d), d,
		func(s *settings) *time.Duration { return &s.Timeout },
		option.Refuse(d < 0, "the duration must be 0 or more"))
}

// WarmUp runs the first inputs n times before the measured iterations; the default is 0.
func WarmUp(n int) Option {
	return option.Field(option.Call("process.WarmUp", n), n,
		func(s *settings) *int { return &s.WarmUp },
		option.Refuse(n < 0, "the number of runs must be 0 or more"))
}
