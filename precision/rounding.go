package precision

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// tensors maps the names of a graph's float32 tensors to their largest magnitudes, or to 0 if the
// format does not need the magnitudes.
type tensors map[string]float64

// products contains the matrix multiplications and convolutions that tensor cores compute, with the
// indices of the inputs that they multiply.
var products = map[string][]int{
	"Conv": {0, 1}, "ConvTranspose": {0, 1}, "Gemm": {0, 1}, "MatMul": {0, 1},
	"LSTM": {0, 1, 2}, "GRU": {0, 1, 2}, "RNN": {0, 1, 2},
}

// operands returns the names of the tensors that a node multiplies and that the format rounds. For
// formats with blocks, lengths must be the result of [sumLengths].
func (f Format) operands(n loaders.Node, lengths map[string]int) []string {
	var list []string
	if blocks[f] > 0 && (n.Op != "MatMul" && n.Op != "Gemm" || len(n.Inputs) < 2 ||
		lengths[n.Inputs[1]] == 0) {
		return nil
	}
	for _, i := range products[n.Op] {
		if n.Domain == "" && i < len(n.Inputs) && n.Inputs[i] != "" {
			if f != INT4 || i == 1 {
				list = append(list, n.Inputs[i])
			}
		}
	}
	return list
}

// leastOpset is the first opset whose Min and Max broadcast, as the rounding nodes require.
const leastOpset = 8

// opsetOf returns the version of ONNX's operators that a model imports. It returns an error if
// this version is too old for the nodes that this package adds to round tensors.
func opsetOf(model *loaders.Model) (int64, error) {
	if err := model.Load(); err != nil {
		return 0, err
	}
	opset := model.File().Opset()
	if opset < leastOpset {
		return 0, fmt.Errorf("%s uses opset %d: rounding requires opset %d or later", model.Name(), opset,
			leastOpset)
	}
	return opset, nil
}

// rounding returns the model with additional nodes that round its tensors, but not its constants.
// The caller must pass each constant, together with weights, to [grid.weight], which rounds it if
// the format requires that. weights names the constants that matrix multiplications and
// convolutions in the graph multiply by. It is empty if the format rounds all constants anyway.
func (s *opened) rounding(ctx context.Context) (rounded *loaders.Model, weights map[string]bool,
	err error) {
	known, err := s.survey(ctx)
	if err != nil {
		return nil, nil, err
	}
	opset, err := opsetOf(s.model)
	if err != nil {
		return nil, nil, err
	}
	format, lengths := s.format, s.lengths
	weights = map[string]bool{}
	done := map[string]string{} // operands and their rounded versions
	rounded, err = edit.Nodes(s.model, func(n loaders.Node) (edit.NodeEdit, error) {
		to := edit.NodeEdit{Inputs: map[string]string{}, Outputs: map[string]string{}}
		if format.everywhere() {
			for _, name := range n.Outputs {
				if _, isFloat := known[name]; !isFloat || n.Op == "Constant" && n.Domain == "" {
					continue
				}
				to.Outputs[name] = name + suffix + "exact"
				to.After = append(to.After,
					format.nodes(to.Outputs[name], name, opset, 0)...)
			}
			return to, nil
		}
		for _, name := range format.operands(n, lengths) {
			largest, computed := known[name]
			if !computed {
				weights[name] = true
				continue
			}
			if done[name] == "" {
				done[name] = name + suffix + string(format)
				if blocks[format] > 0 {
					to.Before = append(to.Before, format.blockNodes(name, done[name], opset, largest,
						lengths[n.Inputs[1]])...)
				} else {
					to.Before = append(to.Before, format.nodes(name, done[name], opset, largest)...)
				}
			}
			to.Inputs[name] = done[name]
		}
		return to, nil
	})
	if err == nil && len(known)+len(weights) == 0 {
		err = fmt.Errorf("%s would round %w in %s", format, errNothing, s.model.Name())
	}
	return rounded, weights, err
}

var errNothing = errors.New("nothing")

// grid defines how one run rounds: to the nearest number of the format, or to the nearest number of
// a randomly shifted copy of the format; see [Format.round].
type grid struct {
	format Format
	random *rand.Rand // nil rounds to nearest
}

func newGrid(format Format, run int) *grid {
	g := &grid{format: format}
	if run > 0 {
		g.random = rand.New(rand.NewPCG(seed, uint64(run)))
	}
	return g
}

// seed is fixed, so that measurements are reproducible.
const seed = 1

// shift returns the shift with which to round the next value, as a fraction of the distance between
// two numbers of the format; see [Format.round].
func (g *grid) shift() float64 {
	if g.random == nil {
		return 0
	}
	return float64(g.random.Float64()) - 0.5
}

// weight returns the rounded values of the constant c, or nil if the format does not round c.
// weights is a result of [opened.rounding].
func (g *grid) weight(c loaders.Constant, weights map[string]bool) (*tensor.Tensor, error) {
	switch {
	case c.Values.ElementType() != tensor.Float32, strings.Contains(c.Name, suffix), c.IsSetting():
		return nil, nil
	case blocks[g.format] > 0:
		if axis := sumAxis(c); axis >= 0 {
			return g.blocks(c.Values, axis)
		}
		return nil, nil
	case !g.format.everywhere() && !weights[c.Name] && !multiplied(c):
		return nil, nil
	}
	return g.tensor(c.Values, channels(c))
}

// multiplied reports whether a matrix multiplication or convolution multiplies by the constant.
// Nodes in bodies and functions count too.
func multiplied(c loaders.Constant) bool {
	return slices.ContainsFunc(c.Uses, func(u loaders.Use) bool {
		return slices.Contains(products[u.Op], u.Input)
	})
}

// channels returns the axis of a weight's output channels, each of which has its own scale. It
// returns −1 if the constant is not such a weight.
func channels(c loaders.Constant) int {
	shape := c.Values.Shape()
	for _, u := range c.Uses {
		switch {
		case u.Op == "Conv" && u.Input == 1 && len(shape) > 1:
			return 0
		case u.Op == "ConvTranspose" && u.Input == 1 && len(shape) > 1:
			return 1
		case u.Op == "Gemm" && u.Input == 1 && len(shape) == 2:
			if u.Addends == shape[1] { // [outputs, inputs], as exporters write them
				return 0
			}
			return 1
		case u.Op == "MatMul" && u.Input == 1 && len(shape) > 1:
			return len(shape) - 1
		}
	}
	return -1
}

// tensor rounds a float32 tensor. Each index along axis has its own scale; if axis is −1, the whole
// tensor has one.
func (g *grid) tensor(t *tensor.Tensor, axis int) (*tensor.Tensor, error) {
	values, err := tensor.Values[float32](t)
	if err != nil {
		return nil, err
	}
	count, inner := 1, len(values)
	if axis >= 0 {
		count = t.Shape()[axis]
		inner, _ = t.Shape()[axis+1:].Elements()
	}
	scales := slices.Repeat([]float64{1}, count)
	if g.format.scaled() {
		scales = slices.Repeat([]float64{0}, count)
		for i, v := range values {
			c := i / max(1, inner) % count
			scales[c] = max(scales[c], math.Abs(float64(v))/g.format.top())
		}
	}
	rounded := slices.Clone(values)
	for i, v := range values {
		scale := scales[i/max(1, inner)%count]
		shift := g.shift()
		if scale > 0 && scale-scale == 0 {
			rounded[i] = float32(g.format.round(float64(v)/scale, shift) * scale)
		}
	}
	return tensor.New(t.Shape(), rounded)
}

// inputs rounds the model's inputs if the format rounds every tensor.
func (g *grid) inputs(given []*tensor.Set) ([]*tensor.Set, error) {
	if !g.format.everywhere() {
		return given, nil
	}
	return sets.MapAll(given, func(_ int, _ string, t *tensor.Tensor) (*tensor.Tensor, error) {
		if t.ElementType() != tensor.Float32 {
			return t, nil
		}
		return g.tensor(t, -1)
	})
}
