package precision

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// draw generates random integers for the constants and inputs of the integer version of a model
// ([Twin]). For the same tensor name, seed and density, it always generates the same integers.
type draw struct {
	seed    uint64
	density float64 // the average number of nonzero weights per output
	unit    float64
	bound   bool // all values positive, so that a sum bounds every partial sum
}

func (d draw) random(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(d.seed, h.Sum64()))
}

// constant returns the values of a constant with the given usage. epsilon is the attribute of the
// BatchNormalization node that reads the constant, if there is one.
func (d draw) constant(name string, shape tensor.Shape, u usage, epsilon float32) (*tensor.Tensor,
	error) {
	n, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	values := make([]float32, n)
	random := d.random(name)
	switch u.what {
	case sparse:
		d.weights(random, values, shape, u.axis)
	case factor:
		for i := range values {
			values[i] = d.sign(random)
		}
	case addend, negative:
		for i := range values {
			if random.IntN(4) == 0 {
				values[i] = d.sign(random) * float32(d.unit)
			}
			if d.bound && u.what == negative {
				values[i] = -values[i]
			}
		}
	case ones:
		values = slices.Repeat([]float32{1}, n)
	case variance:
		v := 1 - epsilon
		for v+epsilon > 1 {
			v = math.Nextafter32(v, 0)
		}
		for v+epsilon < 1 {
			v = math.Nextafter32(v, 1)
		}
		values = slices.Repeat([]float32{v}, n)
	}
	return tensor.New(shape, values)
}

// sign returns 1 or -1 at random, or always 1 if d.bound is set.
func (d draw) sign(random *rand.Rand) float32 {
	if random.IntN(2) == 0 && !d.bound {
		return -1
	}
	return 1
}

// weights sets a few weights of each output to 1 or -1, or only to 1 if d.bound is set. axis is the
// index of the weight tensor's output axis.
func (d draw) weights(random *rand.Rand, values []float32, shape tensor.Shape, axis int) {
	if axis < 0 {
		axis += len(shape)
	}
	if axis < 0 || axis >= len(shape) || len(values) == 0 {
		return
	}
	inner, _ := shape[axis+1:].Elements()
	outputs := shape[axis]
	others := len(values) / outputs // number of weights per output
	for o := range outputs {
		count := int(d.density)
		if random.Float64() < d.density-math.Floor(d.density) {
			count++
		}
		for range count {
			k := random.IntN(others)
			at := (k/inner*outputs+o)*inner + k%inner
			values[at] = 1
			if random.IntN(4) == 0 && !d.bound { // fewer than half, so that values pass a Relu
				values[at] = -1
			}
		}
	}
}

// input returns random values for an input: -1, 0 or 1 units, each for about a third of the
// elements.
func (d draw) input(name string, shape tensor.Shape) (*tensor.Tensor, error) {
	n, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	values := make([]float32, n)
	random := d.random(name)
	for i := range values {
		if random.IntN(3) > 0 {
			values[i] = d.sign(random) * float32(d.unit)
		}
	}
	return tensor.New(shape, values)
}
