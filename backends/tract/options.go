package tract

import (
	"github.com/modelparity/modelparity/internal/option"
)

// Option sets how a model runs. By default it runs on the CPU, in the element types that the model
// declares.
//
// An option prints itself as the Go call that creates it.
type Option = option.Option[settings]

// Library uses the shared library at path. Without this option, the library is found as described
// at [Require].
func Library(path string) Option {
	return option.Field(option.Call("tract.Library", path), path,
		func(s *settings) *string { return &s.Library },
		option.Refuse(path == "", "the path is empty; pass the path of tract's library"))
}

// FP16 computes in float16 wherever the model declares float32. Inputs are rounded to float16, but
// inputs and outputs keep their declared types.
func FP16() Option {
	return option.Field(option.Call("tract.FP16"), true, func(s *settings) *bool { return &s.FP16 })
}

// WarmUp runs the first inputs n times before the measured iterations, so that the engine is warm
// when it is measured; the default is 0.
func WarmUp(n int) Option {
	return option.Field(option.Call("tract.WarmUp", n), n, func(s *settings) *int { return &s.WarmUp },
		option.Refuse(n < 0, "the number of warm-up runs must be 0 or more"))
}
