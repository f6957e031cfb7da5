package process

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/option"
)

// Option sets which program runs, and how.
//
// An option prints itself as the Go call that makes it.
type Option = option.Option[settings]

// Command runs a program that speaks the protocol: its name and its arguments, which no shell
// reads.
func Command(program string, arguments ...string) Option {
	return option.New(option.Call("process.Command", option.Args(arguments, program)...),
		func(s *settings) error {
			if program == "" {
				return errors.New("the name of the program is empty")
			}
			return s.set("", append([]string{program}, arguments...)...)
		})
}

// Script runs a Python file that defines run(inputs), or load(model) that gives such a function:
// python/modelparity.py says what they take. FILE.py:NAME runs another function than run.
func Script(file string) Option {
	return option.New(option.Call("process.Script", file), func(s *settings) error {
		if file == "" {
			return errors.New("the name of the file is empty")
		}
		return s.set("modelparity", file)
	})
}

// PyTorch runs what [File] names: a module that torch.save wrote whole, TorchScript, or an exported
// program (.pt2). Inputs go to the parameters of forward by name where their names are those, else
// in the model's order; outputs take the names that the model declares, in its order.
func PyTorch() Option {
	return option.New(option.Call("process.PyTorch"), func(s *settings) error {
		return s.set("runner_torch")
	})
}

// TensorFlowModel is a kind of file that TensorFlow runs.
type TensorFlowModel string

// The kinds, under Polygraphy's names for them.
const (
	AnyTensorFlow TensorFlowModel = ""            // told by the file
	Frozen        TensorFlowModel = "frozen"      // a frozen graph, .pb
	Keras         TensorFlowModel = "keras"       // .keras or .h5
	Checkpoint    TensorFlowModel = "ckpt"        // a folder or a prefix of checkpoint files
	SavedModel    TensorFlowModel = "saved_model" // a folder with saved_model.pb
)

// tensorFlowModels are what Go calls them.
var tensorFlowModels = map[TensorFlowModel]string{AnyTensorFlow: "process.AnyTensorFlow",
	Frozen: "process.Frozen", Keras: "process.Keras", Checkpoint: "process.Checkpoint",
	SavedModel: "process.SavedModel"}

// GoString is the kind as Go source.
func (m TensorFlowModel) GoString() string {
	if name, ok := tensorFlowModels[m]; ok {
		return name
	}
	return fmt.Sprintf("process.TensorFlowModel(%q)", string(m))
}

// TensorFlow runs a model of TensorFlow's or Keras's that [File] names.
func TensorFlow(model TensorFlowModel) Option {
	return option.New(option.Call("process.TensorFlow", model), func(s *settings) error {
		if _, ok := tensorFlowModels[model]; !ok {
			return fmt.Errorf("unknown kind of model %q; it must be frozen, keras, ckpt or saved_model",
				string(model))
		}
		return s.set("runner_tensorflow", string(model))
	})
}

// CheckpointName names the checkpoint in the folder that TensorFlow runs, without an extension:
// "model" where there is a model.meta. Without it the one that the folder's file checkpoint names
// runs.
func CheckpointName(name string) Option {
	return option.New(option.Call("process.CheckpointName", name), func(s *settings) error {
		if name == "" {
			return errors.New("the name is empty")
		}
		s.Checkpoint = name
		return nil
	})
}

// Outputs names the tensors that TensorFlow gives out, in order, in place of those that nothing
// reads: tensors of a graph ("logits:0", or "logits" for the first of an operation), outputs and
// layers of a Keras model, outputs of a saved model. "*" alone is every tensor that is computed.
func Outputs(names ...string) Option {
	return option.New(option.Call("process.Outputs", option.Args(names)...), func(s *settings) error {
		if len(names) == 0 || slices.Contains(names, "") {
			return errors.New("a name is empty, or none is given")
		}
		s.Outputs = names
		return nil
	})
}

// ONNXReference runs ONNX models in ONNX's own reference evaluator, which is written in NumPy. It
// is slow, and wrong in places: its BatchNormalization of opset 9 is (docs/evidence/operators.md).
func ONNXReference() Option {
	return option.New(option.Call("process.ONNXReference"), func(s *settings) error {
		return s.set("runner_onnx")
	})
}

// JAX runs what [File] names: a function that jax.export serialised (.jax, .bin), or a Python file
// with a function run of the inputs by name, which is compiled by jax.jit.
func JAX() Option {
	return option.New(option.Call("process.JAX"), func(s *settings) error {
		return s.set("runner_jax")
	})
}

// File names the file that the program runs in place of the model that the engine is given, which
// then only declares the inputs: the original of an exported model.
func File(path string) Option {
	return option.New(option.Call("process.File", path), func(s *settings) error {
		if path == "" {
			return errors.New("the path is empty")
		}
		s.File = path
		return nil
	})
}

// Python names the interpreter for scripts and for the frameworks; MODELPARITY_PYTHON does so
// without this option, and else it is python3.
func Python(path string) Option {
	return option.New(option.Call("process.Python", path), func(s *settings) error {
		if path == "" {
			return errors.New("the path is empty")
		}
		s.Python = path
		return nil
	})
}

// Dir is the folder that the program runs in; the spec's own without this option.
func Dir(path string) Option {
	return option.New(option.Call("process.Dir", path), func(s *settings) error {
		s.Dir = path
		return nil
	})
}

// Env sets a variable of the program's environment, which is otherwise the spec's own.
func Env(name, value string) Option {
	return option.New(option.Call("process.Env", name, value), func(s *settings) error {
		if name == "" || strings.Contains(name, "=") {
			return fmt.Errorf("%q is not the name of a variable", name)
		}
		if s.Env == nil {
			s.Env = map[string]string{}
		}
		s.Env[name] = value
		return nil
	})
}

// Timeout is the longest that the program may take for one answer: to load its model, or to run one
// iteration. It is 5 minutes without this option; 0 is for ever, as far as the context allows.
func Timeout(d time.Duration) Option {
	return option.New(option.Call("process.Timeout", duration(d)), func(s *settings) error {
		if d < 0 {
			return errors.New("the duration must be 0 or more")
		}
		s.Timeout = d
		return nil
	})
}

// WarmUp runs the first inputs n times before the iterations that count; 0 without this option.
func WarmUp(n int) Option {
	return option.New(option.Call("process.WarmUp", n), func(s *settings) error {
		if n < 0 {
			return errors.New("the number of runs must be 0 or more")
		}
		s.WarmUp = n
		return nil
	})
}

// duration prints as Go source of a time.Duration.
type duration time.Duration

func (d duration) GoString() string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Minute, "time.Minute"}, {time.Second, "time.Second"},
		{time.Millisecond, "time.Millisecond"}} {
		if n := time.Duration(d) / unit.of; n != 0 && time.Duration(d)%unit.of == 0 {
			return strconv.FormatInt(int64(n), 10) + " * " + unit.name
		}
	}
	return strconv.FormatInt(int64(d), 10)
}

func (d duration) String() string { return time.Duration(d).String() }
