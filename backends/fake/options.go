package fake

import (
	"context"
	"errors"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/tensor"
)

// Option sets a fake's outputs, or changes an element of them. Changes apply in the order of the
// options. An option prints itself as the Go call that creates it; functions and tensors are left
// out.
type Option = option.Option[settings]

type settings struct {
	Name  string    `json:"name"`
	Echo  bool      `json:"echo,omitempty"`
	Spoil []spoiler `json:"spoil,omitempty"`

	infer, inside backends.Infer
	opens         func(context.Context, fixtures.Declaration, fixtures.Inputs) (
		backends.Backend, error)
}

var kind = option.Kind[settings]{Package: "fake", Name: "fake",
	Defaults: func() settings { return settings{Name: "fake"} },
	Check: func(s *settings) error {
		if s.opens != nil && (s.infer != nil || s.inside != nil || s.Echo || len(s.Spoil) > 0) {
			return errors.New("fake.Opens supplies its own backend, which ignores the other options; " +
				"drop them, or drop fake.Opens")
		}
		return nil
	}}

// Outputs makes the fake return these outputs for any inputs.
func Outputs(entries ...tensor.Entry) Option { return fixed("fake.Outputs", "tensors", entries...) }

// Output makes the fake return one output, the same for any inputs.
func Output(name string, t *tensor.Tensor) Option {
	return fixed("fake.Output", "a tensor", tensor.Entry{Name: name, Tensor: t})
}

func fixed(name, what string, entries ...tensor.Entry) Option {
	set, err := tensor.NewSet(entries...)
	return gives(name, what,
		func(context.Context, *tensor.Set) (*tensor.Set, error) { return set, err })
}

// Func sets the function that computes the fake engine's outputs.
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

// Inside gives the engine the capability RunWithTensors ([backends.Capabilities]). The function
// infer computes the model's intermediate tensors.
func Inside(infer backends.Infer) Option {
	return option.LeftOut("fake.Inside", "a function", func(s *settings) error {
		s.inside = infer
		return nil
	})
}

// Opens sets the function that opens a model and returns the backend. The option works only with
// [Engine], not with [New].
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
