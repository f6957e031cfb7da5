package backendtest

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/tensor"
)

// Reference computes this package's models in plain Go. A fake engine that uses it can pass the
// specs, and it is an example for your own engine. It recognises each model by the names of its
// inputs. It is a [backends.Infer] function.
func Reference(_ context.Context, inputs *tensor.Set) (*tensor.Set, error) {
	if inputs.Len() == 0 {
		return tensor.NewSet(tensor.Entry{Name: "y", Tensor: tensor.Of[float32](1, 2, 3)})
	}
	if x, ok := inputs.Get("x"); ok && inputs.Len() == 1 {
		return tensor.NewSet(tensor.Entry{Name: "y", Tensor: x})
	}
	minuend, one := inputs.Get("minuend")
	subtrahend, two := inputs.Get("subtrahend")
	if !one || !two || inputs.Len() != 2 {
		return nil, fmt.Errorf("no model of backendtest has the inputs %v", inputs.Names())
	}
	opposite, err := subtract(subtrahend, minuend)
	if err != nil {
		return nil, err
	}
	difference, err := subtract(minuend, subtrahend)
	if err != nil {
		return nil, err
	}
	return tensor.NewSet(tensor.Entry{Name: "opposite", Tensor: opposite},
		tensor.Entry{Name: "difference", Tensor: difference})
}

func subtract(a, b *tensor.Tensor) (*tensor.Tensor, error) {
	from, err := tensor.Values[float32](a)
	if err != nil {
		return nil, err
	}
	what, err := tensor.Values[float32](b)
	if err != nil {
		return nil, err
	}
	if !a.Shape().Equal(b.Shape()) {
		return nil, fmt.Errorf("shapes %v and %v differ", a.Shape(), b.Shape())
	}
	values := make([]float32, len(from))
	for i := range values {
		values[i] = from[i] - what[i]
	}
	return tensor.New(a.Shape(), values)
}
