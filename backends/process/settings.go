package process

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/option"
)

// settings contains the values of all options. The engine's method Text writes them as JSON.
type settings struct {
	Runner  string            `json:"runner,omitempty"` // a file in python/, or "" for a command
	Args    []string          `json:"args,omitempty"`   // the runner's, or a whole command
	File    string            `json:"file,omitempty"`
	Python  string            `json:"python,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Timeout time.Duration     `json:"timeout"`
	WarmUp  int               `json:"warm_up,omitempty"`

	Checkpoint string   `json:"checkpoint,omitempty"` // this field and the next are for TensorFlow
	Outputs    []string `json:"outputs,omitempty"`
}

// Name is the name of this kind of engine in messages.
const Name = "process"

// patience is the default timeout. It is long because frameworks load slowly.
const patience = 5 * time.Minute

var kind = option.Kind[settings]{Package: Name, Name: Name,
	Defaults: func() settings { return settings{Timeout: patience} }}

func (s *settings) set(runner string, args ...string) error {
	if s.chosen() && (s.Runner != runner || !slices.Equal(s.Args, args)) {
		return fmt.Errorf("the engine already runs %s; an engine runs only one program", s.title())
	}
	s.Runner, s.Args = runner, args
	return nil
}

// chosen reports whether the options say which program to run.
func (s *settings) chosen() bool { return s.Runner != "" || len(s.Args) > 0 }

// checked returns the values of the options. It returns an error if they set no program or
// contradict each other. kind.Check cannot check this, because StartScript and StartLPIPS set the
// program only after reading the options.
func checked(options option.List[settings]) (*settings, error) {
	s, err := options.Settings()
	switch {
	case err != nil:
		return s, err
	case !s.chosen():
		return s, errors.New("process: no program to run; set process.Command, process.Script, " +
			"process.PyTorch, process.TensorFlow, process.ONNXReference or process.JAX")
	case s.Runner != "runner_tensorflow" && (s.Checkpoint != "" || s.Outputs != nil):
		return s, fmt.Errorf("process: process.CheckpointName and process.Outputs are for TensorFlow, "+
			"but the program is %s; drop them", s.title())
	case s.Checkpoint != "" && s.Args[0] != "" && s.Args[0] != string(Checkpoint):
		return s, fmt.Errorf("process: process.CheckpointName(%q) is for checkpoints, but the model "+
			"has kind %s; remove the option or change the kind", s.Checkpoint, s.Args[0])
	}
	return s, nil
}

// title returns the program's name for messages.
func (s *settings) title() string {
	switch title := frameworks[s.Runner].title; {
	case title != "":
		return title
	case s.Runner != "":
		return filepath.Base(s.Args[0])
	}
	words := slices.Clone(s.Args)
	words[0] = filepath.Base(words[0])
	return strings.Join(words, " ")
}

// interpreter returns the path of the Python interpreter to use.
func (s *settings) interpreter() string {
	return cmp.Or(s.Python, os.Getenv(PythonVariable), "python3")
}

// PythonVariable names the environment variable with the path of the Python interpreter.
const PythonVariable = "MODELPARITY_PYTHON"
