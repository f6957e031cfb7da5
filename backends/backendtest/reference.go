package backendtest

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/tensor"
)

// Reference computes this package's models in plain Go. It is a [backends.Infer] function. A fake
// engine that calls Reference passes this package's specs. The code of Reference is an example for
// an engine of your own. Reference recognises each model by the names of its inputs.
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
	shape := minuend.Shape()
	if !subtrahend.Shape().Equal(shape) {
		return nil, fmt.Errorf("shapes %v and %v differ", shape, subtrahend.Shape())
	}
	a, err := tensor.Values[float32](minuend)
	b, wrong := tensor.Values[float32](subtrahend)
	if err := errors.Join(err, wrong); err != nil {
		return nil, err
	}
	difference, opposite := make([]float32, len(a)), make([]float32, len(a))
	for i := range a {
		difference[i], opposite[i] = a[i]-b[i], b[i]-a[i]
	}
	return tensor.NewSet(
		tensor.Entry{Name: "opposite", Tensor: made(tensor.New(shape, opposite))},
		tensor.Entry{Name: "difference", Tensor: made(tensor.New(shape, difference))})
}
