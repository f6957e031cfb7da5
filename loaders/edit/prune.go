package edit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Pruning selects the weights that [Prune] sets to zero.
type Pruning struct {
	// In each group of Of neighbouring values, the Zeros values with the least magnitude become zero.
	// Groups lie along the axis that products are summed over. If Zeros and Of are both 0, two of
	// every four values become zero, as sparse tensor cores require.
	Zeros, Of int
	// Channels, if not 0, is the fraction, from 0 to 1, of each weight's output channels to set to
	// zero, instead of single values. The channels with the least sum of magnitudes are chosen.
	Channels float64
}

// PrunedWeight describes what [Prune] did to a weight.
type PrunedWeight struct {
	Name   string
	Zeroed int    // values that were not zero before
	Kept   string // why the weight is unchanged, or ""
}

// Prune returns the model with zeros in the weights of Conv, Gemm and MatMul, including weights
// that pass through QuantizeLinear, DequantizeLinear, Cast or Transpose. Use it to test an engine's
// sparse kernels; the model is no longer accurate. A weight is unchanged if the length of its axis
// is not a multiple of Of, or if its type is not float32, float16 or bfloat16. The result is held
// in memory, as with [ReplaceConstants].
func Prune(m *loaders.Model, p Pruning) (*loaders.Model, []PrunedWeight, error) {
	if p.Zeros == 0 && p.Of == 0 {
		p.Zeros, p.Of = 2, 4
	}
	if p.Zeros < 1 || p.Zeros >= p.Of || p.Channels < 0 || p.Channels > 1 {
		return nil, nil, fmt.Errorf("loaders: prune: %d zeros per %d values, fraction %g of channels; "+
			"expected fewer zeros than values, and a fraction up to 1", p.Zeros, p.Of, p.Channels)
	}
	axes, err := prunable(m)
	if err != nil {
		return nil, nil, err
	}
	var report []PrunedWeight
	pruned, err := ReplaceConstants(m, func(c loaders.Constant) (*tensor.Tensor, error) {
		at, weighs := axes[c.Name]
		if !weighs {
			return nil, nil
		}
		other, done, err := p.prune(c, at)
		report = append(report, done)
		return other, err
	})
	return pruned, report, err
}

// prune sets values of a weight to zero.
func (p *Pruning) prune(c loaders.Constant, axes weightAxes) (*tensor.Tensor, PrunedWeight, error) {
	done := PrunedWeight{Name: c.Name}
	elem, shape := c.Values.ElementType(), c.Values.Shape()
	switch {
	case elem != tensor.Float32 && elem != tensor.Float16 && elem != tensor.BFloat16:
		done.Kept = fmt.Sprintf("its type is %v", elem)
	case axes.sum >= len(shape) || axes.channels >= len(shape):
		done.Kept = fmt.Sprintf("its shape is %v", shape)
	case p.Channels == 0 && shape[axes.sum]%p.Of != 0:
		done.Kept = fmt.Sprintf("axis %d of %v is not a multiple of %d", axes.sum, shape, p.Of)
	}
	if done.Kept != "" {
		return nil, done, nil
	}
	full, err := c.Values.Convert(tensor.Float32)
	if err != nil {
		return nil, done, err
	}
	before, err := tensor.Values[float32](full)
	if err != nil {
		return nil, done, err
	}
	values := slices.Clone(before)
	if p.Channels > 0 {
		zeroChannels(values, shape, axes.channels, p.Channels)
	} else {
		zeroSmallest(values, shape, axes.sum, p.Zeros, p.Of)
	}
	for i, v := range values {
		if v != before[i] && before[i] == before[i] {
			done.Zeroed++
		}
	}
	other, err := tensor.New(shape, values)
	if err == nil {
		other, err = other.Convert(elem)
	}
	return other, done, err
}

// lines calls visit for each line of values along an axis, with the index of its first value and
// the distance between values.
func lines(shape tensor.Shape, axis int, visit func(first, step int)) {
	step, outer := 1, 1
	for _, d := range shape[axis+1:] {
		step *= d
	}
	for _, d := range shape[:axis] {
		outer *= d
	}
	for o := range outer {
		for i := range step {
			visit(o*shape[axis]*step+i, step)
		}
	}
}

// zeroSmallest splits the values along an axis into groups of the size of, and sets the zeros
// values of least magnitude in each group to 0. Among equal values, the first become 0.
func zeroSmallest(values []float32, shape tensor.Shape, axis, zeros, of int) {
	if axis >= len(shape) || shape[axis]%of != 0 {
		return
	}
	group := make([]int, of)
	lines(shape, axis, func(first, step int) {
		for at := 0; at < shape[axis]; at += of {
			for k := range group {
				group[k] = first + (at+k)*step
			}
			slices.SortStableFunc(group, func(a, b int) int {
				x, y := math.Abs(float64(values[a])), math.Abs(float64(values[b]))
				switch {
				case x < y || y != y && x == x:
					return -1
				case y < x || x != x && y == y:
					return 1
				}
				return 0
			})
			for _, i := range group[:zeros] {
				values[i] = 0
			}
		}
	})
}

// zeroChannels sets the fraction part of the output channels to 0. channels is the axis of output
// channels.
func zeroChannels(values []float32, shape tensor.Shape, channels int, part float64) {
	inner := 1
	for _, d := range shape[channels+1:] {
		inner *= d
	}
	sums := make([]float64, shape[channels])
	order := make([]int, len(sums))
	for i := range order {
		order[i] = i
	}
	for i, v := range values {
		sums[i/inner%len(sums)] += math.Abs(float64(v))
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if sums[a] < sums[b] {
			return -1
		}
		if sums[b] < sums[a] {
			return 1
		}
		return 0
	})
	goes := make([]bool, len(sums))
	for _, c := range order[:int(part*float64(len(sums)))] {
		goes[c] = true
	}
	for i := range values {
		if goes[i/inner%len(sums)] {
			values[i] = 0
		}
	}
}

// sparseWeights lists the weights of Conv, Gemm and MatMul that are 2:4 sparse along the axis that
// products are summed over.
func sparseWeights(m *loaders.Model) (names []string, err error) {
	axes, err := prunable(m)
	if err != nil {
		return nil, err
	}
	return names, Constants(m, func(c loaders.Constant) error {
		at, weighs := axes[c.Name]
		axis, shape := at.sum, c.Values.Shape()
		if !weighs || axis >= len(shape) || shape[axis] == 0 || shape[axis]%4 != 0 ||
			!c.Values.ElementType().IsFloat() {
			return nil
		}
		all := true
		lines(shape, axis, func(first, step int) {
			for at := 0; at < shape[axis] && all; at += 4 {
				zeros := 0
				for k := range 4 {
					if c.Values.Float64At(first+(at+k)*step) == 0 {
						zeros++
					}
				}
				all = zeros >= 2
			}
		})
		if all {
			names = append(names, c.Name)
		}
		return nil
	})
}

// weightAxes holds two axes of a weight: the axis that products are summed over, and the axis of
// output channels.
type weightAxes struct{ sum, channels int }

// prunable returns the axes of the weights of Conv, Gemm and MatMul, by the weight's name.
func prunable(m *loaders.Model) (map[string]weightAxes, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	ranks := map[string]int{}
	for i := range m.File().Structure.Graph.Initializers {
		t := &m.File().Structure.Graph.Initializers[i]
		ranks[t.Name] = len(t.Dims)
	}
	source, done, err := m.File().Open()
	if err != nil {
		return nil, m.File().Located(err)
	}
	defer done()
	f := weightFinder{source: source, ranks: ranks, makers: map[string]onnxwire.Node{},
		found: map[string]weightAxes{}}
	err = m.File().EachNode(func(_ int, n *onnxwire.Node, r *onnxwire.Reader) error {
		if !onnxfile.IsONNX(n.Domain) {
			return nil
		}
		switch n.Op {
		case "QuantizeLinear", "DequantizeLinear", "Cast", "Transpose":
			for _, name := range n.Outputs {
				f.makers[name] = *n
			}
		case "Conv":
			if len(n.Inputs) > 1 {
				return f.weighs(n.Inputs[1], weightAxes{sum: 1, channels: 0})
			}
		case "MatMul", "Gemm":
			if len(n.Inputs) < 2 {
				return nil
			}
			transposed, err := transposes(r, n)
			if err != nil {
				return err
			}
			for k, name := range n.Inputs[:2] {
				at := weightAxes{sum: -1, channels: -2} // axes of a weight that is the first operand
				if transposed[k] != (k == 1) {
					at = weightAxes{sum: -2, channels: -1}
				}
				if err := f.weighs(name, at); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, m.File().Located(err)
	}
	return f.found, nil
}

// transposes returns the attributes transA and transB of a Gemm.
func transposes(r *onnxwire.Reader, n *onnxwire.Node) (is [2]bool, err error) {
	attributes, err := r.Attributes(n.Span)
	for _, a := range attributes {
		switch a.Name {
		case "transA":
			is[0] = a.Text != "0"
		case "transB":
			is[1] = a.Text != "0"
		}
	}
	return is, err
}

// weightFinder looks for the initializers that Conv, Gemm and MatMul read.
type weightFinder struct {
	source onnxwire.Source
	ranks  map[string]int           // number of dimensions of each initializer
	makers map[string]onnxwire.Node // nodes that convert or transpose a weight, by output
	found  map[string]weightAxes
}

// weighs records the initializer that an operand comes from, with its axes. Negative axes count
// from the end.
func (f *weightFinder) weighs(name string, at weightAxes) error {
	var perms [][]int // permutations of the Transposes between operand and initializer
	for range maxLookBack {
		if rank, is := f.ranks[name]; is {
			axes := [2]int{at.sum, at.channels}
			for i := range axes {
				if axes[i] < 0 {
					axes[i] += rank
				}
				for _, perm := range perms {
					if axes[i] >= 0 && axes[i] < len(perm) {
						axes[i] = perm[axes[i]]
					}
				}
				if axes[i] < 0 || axes[i] >= rank {
					return nil // a vector has only one axis
				}
			}
			f.found[name] = weightAxes{axes[0], axes[1]}
			return nil
		}
		n, made := f.makers[name]
		if !made || len(n.Inputs) == 0 {
			return nil
		}
		if n.Op == "Transpose" {
			perm, err := permutation(f.source, n)
			if err != nil || perm == nil {
				return err
			}
			perms = append(perms, perm)
		}
		name = n.Inputs[0]
	}
	return nil
}

// maxLookBack is the maximum number of nodes between a weight and the node that multiplies by it.
const maxLookBack = 16

// permutation returns the attribute perm of a Transpose, or nil if it has none.
func permutation(source onnxwire.Source, n onnxwire.Node) ([]int, error) {
	attributes, err := onnxwire.Attributes(source, n.Span)
	for _, a := range attributes {
		if a.Name != "perm" || !a.Whole {
			continue
		}
		var perm []int
		for _, text := range strings.Split(strings.Trim(a.Text, "[]"), ",") {
			i, err := strconv.Atoi(text)
			if err != nil {
				return nil, nil
			}
			perm = append(perm, i)
		}
		return perm, err
	}
	return nil, err
}
