package bound

import (
	"fmt"
	"math"
	"slices"
)

// moments contains the mean of some numbers and the reciprocal of their standard deviation.
type moments struct{ mean, reciprocal number }

// newMoments computes the moments of the numbers at(0) to at(count-1). If centred is false, it
// computes the moments about zero. An engine may subtract the mean before squaring, or subtract the
// square of the mean from the mean of the squares; the bound allows for both.
func newMoments(f format, count int, at func(int) number, epsilon float64, centred bool) moments {
	k := float64(count)
	all := squares(f, count, at)
	variance := number{all.v / k, all.e / k}
	m := moments{}
	if centred {
		m.mean = mean(f, count, at)
		variance.v = 0
		for i := range count {
			d := at(i).v - m.mean.v
			variance.v += float64(d*d) / k
		}
		variance.e += float64(m.mean.e*(2*math.Abs(m.mean.v)+m.mean.e)) +
			float64(2*(f.u+own)*(float64(m.mean.v*m.mean.v)+variance.v))
	}
	variance = f.rounded(variance.v, variance.e, 3)
	m.reciprocal = f.div(exactly(1), f.sqrt(f.add(variance, exactly(epsilon))))
	return m
}

// normalized computes (x − mean)·reciprocal·scale + bias. The result's error bound also covers an
// engine that computes x·(reciprocal·scale) + (bias − mean·reciprocal·scale).
func (m moments) normalized(f format, x, scale, bias number) number {
	factor := f.mul(m.reciprocal, scale)
	n := f.add(f.mul(f.sub(x, m.mean), factor), bias)
	n.e += float64(3 * (f.u + own) * factor.most() * (math.Abs(x.v) + m.mean.most()))
	return n
}

// either returns element i of the operand, or the default value if the node omits the operand.
func (o *operand) either(i int, otherwise float64) number {
	if o == nil {
		return number{v: otherwise}
	}
	return o.at(i)
}

// normalization computes the operators that normalize an input by its own mean and variance.
func normalization(n *Node, a Arithmetic) (*computation, error) {
	operands, err := n.operands(3, a)
	if err != nil {
		return nil, err
	}
	x, scale, bias := operands[0], operands[1], operands[2]
	rank := len(x.shape)
	var axes []int
	channels := 0 // if not 0, scale and bias have one element for each channel
	shape := x.shape
	switch n.Op {
	case "InstanceNormalization", "GroupNormalization":
		if rank < 3 && n.Op == "InstanceNormalization" || rank < 2 || scale == nil || bias == nil {
			return nil, fmt.Errorf("%s: input shape %v has too few axes, or the scale or bias is missing",
				n.Op, x.shape)
		}
		groups, own := x.shape[1], x.shape[1]
		if n.Op == "GroupNormalization" {
			groups = n.Attributes.Integer("num_groups", 1)
			if n.Opset < 21 {
				own = groups
			}
		}
		if groups < 1 || x.shape[1]%groups != 0 || scale.count() != own ||
			bias.count() != own {
			return nil, fmt.Errorf("%s: input shape %v does not match %d groups and %d scales", n.Op,
				x.shape, groups, scale.count())
		}
		channels = own
		shape = append([]int{x.shape[0], groups, x.shape[1] / groups}, x.shape[2:]...)
		axes = span(2, len(shape))
	default:
		first, err := axis(n.Attributes.Integer("axis", -1), rank)
		if err != nil {
			return nil, err
		}
		axes = span(first, rank)
	}
	index := func(i int) int { return i / product(x.shape[2:]) % x.shape[1] * channels / x.shape[1] }
	bare := func(o *operand) (func(int) int, error) {
		if o == nil || channels > 0 {
			return index, nil
		}
		if all, err := broadcast(o.shape, x.shape); err != nil || !slices.Equal(all, x.shape) {
			return nil, n.mismatch(x.shape, o.shape)
		}
		return spread(o.shape, x.shape).at, nil
	}
	ofScale, err := bare(scale)
	if err != nil {
		return nil, err
	}
	ofBias, err := bare(bias)
	if err != nil {
		return nil, err
	}
	centred := n.Op != "RMSNormalization" && n.Op != "SimplifiedLayerNormalization"
	f, epsilon := formatOf(a.Sums), n.Attributes.Float("epsilon", 1e-5)
	outer, inner := positions(shape, axes)
	return inGroups(x.shape, len(outer), len(inner), func(g int, put func(int, number)) {
		m := newMoments(f, len(inner), func(i int) number { return x.at(outer[g] + inner[i]) },
			epsilon, centred)
		for _, offset := range inner {
			i := outer[g] + offset
			put(i, m.normalized(f, x.at(i), scale.either(ofScale(i), 1), bias.either(ofBias(i), 0)))
		}
	}), nil
}

// batchNormalization computes BatchNormalization for inference, with the trained mean and variance.
func batchNormalization(n *Node, a Arithmetic) (*computation, error) {
	if n.Attributes.Integer("training_mode", 0) != 0 {
		return nil, &Unknown{"BatchNormalization in training mode"}
	}
	operands, err := n.operands(5, a)
	if err != nil {
		return nil, err
	}
	x := operands[0]
	for i, o := range operands {
		if o == nil || len(x.shape) < 2 || i > 0 && o.count() != x.shape[1] {
			return nil, fmt.Errorf("BatchNormalization: input %d does not have one value per channel", i)
		}
	}
	scale, bias, mean, variance := operands[1], operands[2], operands[3], operands[4]
	f, epsilon := formatOf(a.Sums), n.Attributes.Float("epsilon", 1e-5)
	size := product(x.shape[2:])
	return inGroups(x.shape, x.count()/max(1, size), size, func(g int, put func(int, number)) {
		c := g % x.shape[1]
		m := moments{mean.at(c), f.div(exactly(1), f.sqrt(f.add(variance.at(c), exactly(epsilon))))}
		for i := g * size; i < (g+1)*size; i++ {
			put(i, m.normalized(f, x.at(i), scale.at(c), bias.at(c)))
		}
	}), nil
}
