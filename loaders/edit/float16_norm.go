package edit

import (
	"math"
	"slices"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// foldNormalizations multiplies the weights of a convolution by the factor of the
// BatchNormalization that follows it, while both are still float32. An engine would do the same,
// but with weights that are already rounded, so each weight would be rounded twice. Both nodes stay
// in the model; the BatchNormalization then only adds a shift.
func (c *halving) foldNormalizations(g *onnxwire.Graph) error {
	s := c.scopes[mainGraph]
	reads, stored := map[string]int{}, map[string]bool{}
	for i := range g.Initializers {
		stored[g.Initializers[i].Name] = true
	}
	for _, n := range c.Nodes(g.Nodes) {
		for _, name := range onnxfile.Reads(n, c.Reader) {
			reads[name]++
		}
	}
	fixed := func(name string) bool { // anything but a weight of this node alone
		return name != "" && (!stored[name] || !s.weights[name] || reads[name] != 1 || s.own[name])
	}
	convolutions := map[string][]string{} // their inputs, by what they return
	for i, n := range c.Nodes(g.Nodes) {
		switch {
		case !onnxfile.IsONNX(n.Domain) || !s.half[i] || len(n.Outputs) != 1:
		case n.Op == "Conv":
			convolutions[n.Outputs[0]] = n.Inputs
		case n.Op == "BatchNormalization" && len(n.Inputs) == 5:
			between, conv := n.Inputs[0], convolutions[n.Inputs[0]]
			epsilon, varies := c.normalization(n)
			if conv == nil || varies || reads[between] != 1 || s.own[between] ||
				slices.ContainsFunc(slices.Concat(conv[1:], n.Inputs[1:]), fixed) {
				continue
			}
			if err := c.fold(conv, n.Inputs, epsilon); err != nil {
				return err
			}
		}
	}
	return nil
}

// normalization returns the epsilon of a BatchNormalization. varies is true if the node does not
// normalise each channel with one stored mean and variance, but with the batch's statistics or,
// with the old attribute spatial, with a mean and variance for each element.
func (c *halving) normalization(n *onnxwire.Node) (epsilon float64, varies bool) {
	a := c.AttributesByName(n.Span)
	varies = a.Integer("training_mode", 0) != 0 || a.Integer("spatial", 1) != 1 ||
		a.Integer("is_test", 1) != 1
	return a.Float("epsilon", 1e-5), varies
}

// fold replaces the constants of a convolution and of the normalization that follows it. conv and
// norm are the names of the inputs of these nodes. If the new weights would exceed the lower type's
// range or be too small for it, fold changes nothing.
func (c *halving) fold(conv, norm []string, epsilon float64) error {
	names := slices.Concat(conv[1:2], norm[1:])
	if len(conv) > 2 && conv[2] != "" {
		names = append(names, conv[2])
	}
	values := make([][]float32, len(names))
	shapes := make([]tensor.Shape, len(names))
	for i, name := range names {
		t, err := c.model.Weight(name)
		if err == nil {
			values[i], err = tensor.Values[float32](t)
		}
		if err != nil {
			return err
		}
		values[i], shapes[i] = slices.Clone(values[i]), t.Shape()
	}
	weights, factor, shift, mean, variance := values[0], values[1], values[2], values[3], values[4]
	channels := len(factor)
	if channels == 0 || len(shapes[0]) == 0 || shapes[0][0] != channels ||
		slices.ContainsFunc(values[1:], func(v []float32) bool { return len(v) != channels }) {
		return nil // the engine says what is wrong with it
	}
	in := ranges[c.report.Type]
	each := len(weights) / channels
	for o := range channels {
		scale := float64(factor[o]) / math.Sqrt(float64(variance[o])+epsilon)
		greatest := 0.0
		for i := o * each; i < (o+1)*each; i++ {
			product := float64(weights[i]) * scale
			weights[i], greatest = float32(product), max(greatest, math.Abs(product))
		}
		if !(greatest < in.beyond) || greatest > 0 && greatest < in.least*(1<<10) {
			return nil
		}
		offset := -float64(mean[o])
		if len(values) > 5 {
			offset += float64(values[5][o])
			values[5][o] = 0
		}
		shift[o] = float32(float64(shift[o]) + float64(offset*scale))
		factor[o], mean[o], variance[o] = 1, 0, float32(1-epsilon)
	}
	for i, name := range names {
		t, err := tensor.New(shapes[i], values[i])
		if err != nil {
			return err
		}
		c.folded[name] = t
	}
	return nil
}
