package trt

import "github.com/modelparity/modelparity/internal/option"

// Options is several options as one, for the entries of tables.
var Options = option.Join[settings]

// Use says whether an engine uses a precision, by what its inspector tells.
func Use(inspector string, flag string) string {
	return readLayerTypes([]byte(inspector)).use(flag)
}

// Flag sets one of TensorRT's builder flags.
func Flag(name string) Option { return flag("Flag", name) }

// StripAlone strips a plan that is not built to be refittable, as NVIDIA's tools do.
func StripAlone() Option { return Flag(flagStripPlan) }

// Driver names the CUDA driver's library, so that specs can give a mock.
func Driver(path string) Option {
	return option.New(option.Call("trt.Driver", path), func(s *settings) error {
		s.Driver = path
		return nil
	})
}
