package tract

import (
	"errors"
	"fmt"
)

// Option is how a model is run. Without any, it is run on the CPU in the types that it declares.
type Option struct {
	text  string // as Go
	apply func(*settings) error
}

// GoString is the option as Go: tract.FP16().
func (o Option) GoString() string {
	if o.text == "" {
		return "tract.Option{}"
	}
	return o.text
}

// String is the option as Go.
func (o Option) String() string { return o.GoString() }

// Runtime is where tract computes.
type Runtime string

// The runtimes. CUDA and Metal need a GPU, and a library that was built with them.
const (
	CPU   Runtime = "cpu"
	CUDA  Runtime = "cuda"
	Metal Runtime = "metal"
)

// On chooses the runtime; [CPU] without this option. One that is not there is an error, never the
// CPU.
func On(runtime Runtime) Option {
	return Option{fmt.Sprintf("tract.On(%#v)", runtime), func(s *settings) error {
		switch runtime {
		case CPU, CUDA, Metal:
			s.Runtime = runtime
			return nil
		}
		return fmt.Errorf("unknown runtime %q: expected cpu, cuda or metal", string(runtime))
	}}
}

// GoString is the runtime as Go: tract.CUDA.
func (r Runtime) GoString() string {
	switch r {
	case CPU:
		return "tract.CPU"
	case CUDA:
		return "tract.CUDA"
	case Metal:
		return "tract.Metal"
	}
	return fmt.Sprintf("tract.Runtime(%q)", string(r))
}

// FP16 computes in float16 wherever the model has float32. Inputs and outputs keep the types that
// the model declares; they are rounded on the way in.
func FP16() Option {
	return Option{"tract.FP16()", func(s *settings) error {
		s.Half = true
		return nil
	}}
}

// Library runs on the shared library at path. Without this option the library is looked for as
// [Require] says.
func Library(path string) Option {
	return Option{fmt.Sprintf("tract.Library(%q)", path), func(s *settings) error {
		if path == "" {
			return errors.New("tract.Library needs a path")
		}
		s.Library = path
		return nil
	}}
}

// settings is what the options add up to.
type settings struct {
	Library string  `json:"library,omitempty"`
	Runtime Runtime `json:"runtime"`
	Half    bool    `json:"fp16,omitempty"`

	wrong *wrong // all that is wrong with the options
}

// wrong holds errors behind a pointer, so that settings can be compared.
type wrong struct{ error }

// resolve adds the options up. What is wrong with them is kept for [settings.check].
func resolve(options []Option) settings {
	s := settings{Runtime: CPU}
	var errs []error
	for _, o := range options {
		if o.apply == nil {
			continue // the zero Option changes nothing
		}
		if err := o.apply(&s); err != nil {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		s.wrong = &wrong{err}
	}
	return s
}

// check is the errors of the options, all at once.
func (s settings) check() error {
	if s.wrong == nil {
		return nil
	}
	return s.wrong.error
}

// options is the shortest list that adds up to the settings.
func (s settings) options() []Option {
	var list []Option
	if s.Runtime != CPU {
		list = append(list, On(s.Runtime))
	}
	if s.Half {
		list = append(list, FP16())
	}
	if s.Library != "" {
		list = append(list, Library(s.Library))
	}
	return list
}
