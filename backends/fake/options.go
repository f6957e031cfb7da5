package fake

import (
	"context"
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/tensor"
)

// Option sets a fake's outputs or injects a fault. Faults apply in the order of the options, each
// to the result of the previous one. An option prints itself as the Go call that creates it;
// functions and tensors are left out.
type Option = option.Option[settings]

type settings struct {
	Name  string        `json:"name"`
	Seed  uint64        `json:"seed"`
	Delay time.Duration `json:"delay,omitempty"`
	Echo  bool          `json:"echo,omitempty"`
	Spoil []spoiler     `json:"spoil,omitempty"`

	infer, inside backends.Infer
	opens         func(context.Context, fixtures.Declaration, fixtures.Inputs) (
		backends.Backend, error)
}

var kind = option.Kind[settings]{Package: "fake", Name: "fake",
	Defaults: func() settings { return settings{Name: "fake", Seed: 1} },
	Check: func(s *settings) error {
		if s.opens != nil && (s.infer != nil || s.inside != nil || s.Echo || len(s.Spoil) > 0) {
			return errors.New("fake.Opens supplies its own backend, which ignores the other options; " +
				"drop them, or drop fake.Opens")
		}
		return nil
	}}

// Outputs makes the fake return these outputs for any inputs.
func Outputs(entries ...tensor.Entry) Option {
	set, err := tensor.NewSet(entries...)
	return gives("fake.Outputs", "tensors",
		func(context.Context, *tensor.Set) (*tensor.Set, error) { return set, err })
}

// Output makes the fake return one output, the same for any inputs.
func Output(name string, t *tensor.Tensor) Option {
	set, err := tensor.NewSet(tensor.Entry{Name: name, Tensor: t})
	return gives("fake.Output", "a tensor",
		func(context.Context, *tensor.Set) (*tensor.Set, error) { return set, err })
}

// Func makes the fake call infer to compute its outputs.
func Func(infer backends.Infer) Option { return gives("fake.Func", "a function", infer) }

// Error makes every iteration fail with err.
func Error(err error) Option {
	return gives("fake.Error", "an error",
		func(context.Context, *tensor.Set) (*tensor.Set, error) { return nil, err })
}

func gives(name, what string, infer backends.Infer) Option {
	return option.LeftOut(name, what, func(s *settings) error {
		s.infer, s.Echo = infer, false
		return nil
	})
}

// Echo makes the fake return its inputs as outputs.
func Echo() Option {
	return option.New(option.Call("fake.Echo"), func(s *settings) error {
		s.infer, s.Echo = nil, true
		return nil
	})
}

// Inside gives the engine the capability RunWithTensors ([backends.Capabilities]): infer computes
// the tensors inside the model.
func Inside(infer backends.Infer) Option {
	return option.LeftOut("fake.Inside", "a function", func(s *settings) error {
		s.inside = infer
		return nil
	})
}

// Opens sets the function that opens a model and returns the backend. It has an effect only with
// [Engine].
func Opens(open func(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error)) Option {
	return option.LeftOut("fake.Opens", "a function", func(s *settings) error {
		if open == nil {
			return errors.New("the function is nil")
		}
		s.opens = open
		return nil
	})
}

// Named sets the backend's name in the provenance of runs; the default is "fake".
func Named(name string) Option {
	return option.Field(option.Call("fake.Named", name), name,
		func(s *settings) *string { return &s.Name })
}

// Seed sets the seed of the random numbers of [Noise]; the default is 1. Every iteration gets the
// same noise.
func Seed(seed uint64) Option {
	return option.Field(option.Call("fake.Seed", verbatim(strconv.FormatUint(seed, 10))), seed,
		func(s *settings) *uint64 { return &s.Seed })
}

// Delay makes every iteration take at least d, unless the context ends sooner.
func Delay(d time.Duration) Option {
	return option.Field(option.Call("fake.Delay", d), d,
		func(s *settings) *time.Duration { return &s.Delay })
}

// verbatim returns an argument whose text is the same in Go source and in readable form.
func verbatim(text string) option.Argument { return option.Argument{Text: text, Code: text} }

// decimal returns a float64 as Go source.
func decimal(v float64) option.Argument {
	switch {
	case math.IsNaN(v):
		return verbatim("math.NaN()")
	case math.IsInf(v, 1):
		return verbatim("math.Inf(1)")
	case math.IsInf(v, -1):
		return verbatim("math.Inf(-1)")
	case v == 0 && math.Signbit(v):
		return verbatim("math.Copysign(0, -1)")
	}
	return verbatim(number64(v))
}
