package edit

import (
	"math"
	"slices"
	"strconv"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// normalized is a convolution whose result only a BatchNormalization reads.
type normalized struct {
	conv, norm []string // the inputs of the two nodes
	epsilon    float64
}

// foldNormalizations multiplies the weights of a convolution by the factor of the
// BatchNormalization that follows it, while both are still float32. Engines do this too, but with
// weights that are already rounded, so each weight would be rounded twice. Both nodes stay in the
// model; the BatchNormalization then only adds a shift.
func (c *halving) foldNormalizations(g *onnxwire.Graph) error {
	s := c.scopes[mainGraph]
	reads, stored := map[string]int{}, map[string]bool{}
	for i := range g.Initializers {
		stored[g.Initializers[i].Name] = true
	}
	convolutions := map[string][]string{} // their inputs, by what they return
	var pairs []normalized
	for i, n := range c.Nodes(&g.Nodes) {
		for _, name := range onnxfile.Reads(n, c.Reader) {
			reads[name]++
		}
		switch {
		case !onnxfile.IsONNX(n.Domain) || !s.half[i] || len(n.Outputs) != 1:
		case n.Op == "Conv":
			convolutions[n.Outputs[0]] = n.Inputs
		case n.Op == "BatchNormalization" && len(n.Inputs) == 5 && convolutions[n.Inputs[0]] != nil:
			pair := normalized{convolutions[n.Inputs[0]], n.Inputs, 1e-5}
			batch := false // whether it uses the statistics of the batch, or of each element
			for _, a := range c.Attributes(n.Span) {
				switch {
				case a.Name == "epsilon":
					pair.epsilon, _ = strconv.ParseFloat(a.Text, 64) // it is a float
				case a.Name == "training_mode" && a.Text != "0", a.Name == "spatial" && a.Text != "1",
					a.Name == "is_test" && a.Text != "1":
					batch = true
				}
			}
			if !batch {
				pairs = append(pairs, pair)
			}
		}
	}
	for _, p := range pairs {
		constants := slices.DeleteFunc(slices.Concat(p.conv[1:], p.norm[1:]),
			func(name string) bool { return name == "" })
		between := p.norm[0]
		if reads[between] == 1 && !s.own[between] && !slices.ContainsFunc(constants,
			func(name string) bool {
				return !stored[name] || !s.weights[name] || reads[name] != 1 || s.own[name]
			}) {
			if err := c.fold(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// fold replaces the constants of a pair, unless the new weights would exceed the lower type's range
// or be too small for it.
func (c *halving) fold(p normalized) error {
	names := slices.Concat(p.conv[1:2], p.norm[1:])
	if len(p.conv) > 2 && p.conv[2] != "" {
		names = append(names, p.conv[2])
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
		scale := float64(factor[o]) / math.Sqrt(float64(variance[o])+p.epsilon)
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
		factor[o], mean[o], variance[o] = 1, 0, float32(1-p.epsilon)
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
