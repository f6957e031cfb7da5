package backendtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/tensor"
)

// typeSpecs check element types and shapes.
func typeSpecs(of subject) []Spec {
	var specs []Spec
	for _, elem := range tensor.ElementTypes() {
		if slices.Contains(of.types, elem) {
			for _, kind := range shapes {
				specs = append(specs, Spec{Name: fmt.Sprintf("carries %s of %v", kind.name, elem),
					check: carries(elem, kind.of)})
			}
		} else if !of.loose {
			specs = append(specs, Spec{Name: fmt.Sprintf("refuses %v", elem), check: refuses(elem)})
		}
	}
	return specs
}

// shapes lists shapes that engines often handle wrongly.
var shapes = []struct {
	name string
	of   []tensor.Shape
}{
	{"tensors", []tensor.Shape{{1}, {3}, {2, 3}, {1, 1, 5}, {2, 1, 3, 2}}},
	{"0-d tensors", []tensor.Shape{{}}},
	{"empty tensors", []tensor.Shape{{0}, {2, 0, 3}}},
}

func carries(elem tensor.ElementType, shapes []tensor.Shape) check {
	return func(ctx context.Context, t backends.T, s subject) {
		for _, shape := range shapes {
			x := sample(elem, shape)
			b := open(ctx, t, s, identity(elem, len(shape)), feed("x", x))
			expectOutputs(t, run(ctx, t, b, feed("x", x)), "y", x)
			closed(t, b)
		}
	}
}

func refuses(elem tensor.ElementType) check {
	return func(ctx context.Context, t backends.T, s subject) {
		_, err := backends.RunIn(ctx, s.engine, identity(elem, 1), feed("x",
			sample(elem, tensor.Shape{3})))
		s.oneLine(t, err, "identity_")
	}
}

// sample returns a tensor of seeded random values. No value is NaN or infinite in any
// floating-point type.
func sample(elem tensor.ElementType, shape tensor.Shape) *tensor.Tensor {
	n := made(shape.Elements())
	random := rand.New(rand.NewPCG(7, uint64(n)))
	if elem == tensor.String {
		return words(shape, n)
	}
	data := make([]byte, elem.Bytes(n))
	for i := range data {
		data[i] = byte(random.Uint32())
		switch {
		case elem == tensor.Bool:
			data[i] &= 1
		case elem.IsFloat() && elem.Bits() >= 8:
			data[i] &= 0b1011_1011 // clears an exponent bit: no NaN, no infinity
		}
	}
	if unused := len(data)*8 - n*elem.Bits(); unused > 0 && elem.Bits() < 8 {
		data[len(data)-1] &= 0xff >> unused
	}
	return made(tensor.FromBytes(elem, shape, data))
}

// words returns a string tensor. Some elements are empty, not ASCII, or contain a NUL, because C
// libraries may mishandle such strings.
func words(shape tensor.Shape, n int) *tensor.Tensor {
	values := make([]string, n)
	for i := range values {
		values[i] = []string{"plain", "", "with\x00NUL", "größer"}[i%4]
	}
	return made(tensor.FromStrings(shape, values))
}
