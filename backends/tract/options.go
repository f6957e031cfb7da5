package tract

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/internal/option"
)

// Option sets how a model runs. Without options it runs on the CPU in the types that it declares.
//
// An option prints itself as the Go call that makes it.
type Option = option.Option[settings]

// Library runs on the shared library at path. Without this option the library is looked for as
// [Require] says.
func Library(path string) Option {
	return option.New(option.Call("tract.Library", path), func(s *settings) error {
		if path == "" {
			return errors.New("the path is empty; name tract's library")
		}
		s.Library = path
		return nil
	})
}

// Runtime is where tract computes.
type Runtime string

// The runtimes. CUDA and Metal need a GPU, and a library that was built with them.
const (
	CPU   Runtime = "cpu"
	CUDA  Runtime = "cuda"
	Metal Runtime = "metal"
)

// runtimes are what Go calls them.
var runtimes = map[Runtime]string{CPU: "tract.CPU", CUDA: "tract.CUDA", Metal: "tract.Metal"}

// GoString is the runtime as Go source: tract.CUDA.
func (r Runtime) GoString() string {
	if name, ok := runtimes[r]; ok {
		return name
	}
	return fmt.Sprintf("tract.Runtime(%q)", string(r))
}

// On chooses the runtime; [CPU] without this option. A missing runtime is an error; the CPU never
// replaces it.
func On(runtime Runtime) Option {
	return option.New(option.Call("tract.On", runtime), func(s *settings) error {
		if _, ok := runtimes[runtime]; !ok {
			return fmt.Errorf("unknown runtime %q; it must be cpu, cuda or metal", string(runtime))
		}
		s.Runtime = runtime
		return nil
	})
}

// FP16 computes in float16 wherever the model has float32. Inputs and outputs keep the types that
// the model declares; they are rounded on the way in.
func FP16() Option {
	return option.New(option.Call("tract.FP16"), func(s *settings) error {
		s.FP16 = true
		return nil
	})
}

// WarmUp runs the first inputs n times before the iterations that count, so that their times are
// those of a warm engine; 0 without this option.
func WarmUp(n int) Option {
	return option.New(option.Call("tract.WarmUp", n), func(s *settings) error {
		if n < 0 {
			return errors.New("the number of runs must be 0 or more")
		}
		s.WarmUp = n
		return nil
	})
}
