package cnn

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// sow returns random values for a weight, in a range that suits the weight's role. The weight's
// name is the seed, so that a network has the same weights in every run.
func (n *Network) sow(name string, shape tensor.Shape) (*tensor.Tensor, error) {
	elements, err := shape.Elements()
	if err != nil {
		return nil, err
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name)) // cannot fail
	random := rand.New(rand.NewPCG(hash.Sum64(), 1))
	draw := func() float64 { return 0.5 + random.Float64() } // for scales and variances
	switch n.role(name) {
	case "matrix":
		fanIn := 1.0
		for _, d := range shape[1:] {
			fanIn *= float64(d)
		}
		deviation := math.Sqrt(2 / fanIn)
		draw = func() float64 { return deviation * random.NormFloat64() }
	case "offset":
		draw = func() float64 { return 0.1 * random.NormFloat64() }
	case "branch":
		// Otherwise, the values would double in each of 16 blocks, and exceed float16's range.
		draw = func() float64 { return 0.3 * (0.5 + random.Float64()) }
	}
	values := make([]float32, elements)
	for i := range values {
		values[i] = float32(draw())
	}
	return tensor.New(shape, values)
}

// role returns how nodes use a weight: as a matrix, an offset, a scale, or the scale of a residual
// branch.
func (n *Network) role(name string) string {
	for _, one := range n.written {
		at := slices.Index(one.Inputs, name)
		if at < 0 {
			continue
		}
		switch {
		case one.Op == "Unsqueeze" || one.Op == "Reshape":
			return n.role(one.Outputs[0])
		case (one.Op == "Conv" || one.Op == "Gemm") && at == 1:
			return "matrix"
		case (one.Op == "Conv" || one.Op == "Gemm") && at == 2, one.Op == "Add",
			one.Op == "BatchNormalization" && (at == 2 || at == 3):
			return "offset"
		case one.Op == "BatchNormalization" && at == 1 && n.endsBranch(one.Outputs[0]):
			return "branch"
		}
	}
	return "scale"
}

// endsBranch reports whether the output of a normalization is added to a shortcut, a tensor that
// was not normalized itself.
func (n *Network) endsBranch(name string) bool {
	normalized := map[string]bool{}
	for _, one := range n.written {
		switch {
		case one.Op == "BatchNormalization":
			normalized[one.Outputs[0]] = true
		case one.Op == "Sum" && slices.Contains(one.Inputs, name):
			return slices.ContainsFunc(one.Inputs, func(in string) bool { return !normalized[in] })
		}
	}
	return false
}
