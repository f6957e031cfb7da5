package mutate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// The kinds of faults that are planted, in the order of the report.
var kinds = []string{"weight", "scale", "activation", "epsilon", "operand", "precision", "golden"}

// site is a place in a model where a fault can be planted.
type site struct {
	kind, text string
	plant      func(m *loaders.Model) (*loaders.Model, error)
}

// sitesOf returns the places in a model where faults can be planted. If a kind of fault has more
// than perKind places, sitesOf takes evenly spaced ones.
func sitesOf(m *loaders.Model, perKind int) ([]site, error) {
	var all []site
	err := edit.Constants(m, func(c loaders.Constant) error {
		all = append(all, constantSites(c)...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	nodes, err := m.Nodes()
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		all = append(all, nodeSites(n)...)
	}
	var chosen []site
	for _, kind := range kinds {
		var of []site
		for _, s := range all {
			if s.kind == kind {
				of = append(of, s)
			}
		}
		chosen = append(chosen, spaced(of, perKind)...)
	}
	return chosen, nil
}

// spaced returns up to n evenly spaced elements of a list, including the first and the last.
func spaced[T any](list []T, n int) (taken []T) {
	if len(list) <= n {
		return list
	}
	for i := range n {
		taken = append(taken, list[i*(len(list)-1)/max(1, n-1)])
	}
	return taken
}

// The sizes of the planted faults. A fault multiplies a scale by scaleBy, multiplies an epsilon by
// epsilonBy, or sets the epsilon attribute of a normalization to wrongEpsilon. A constant operand
// of Add or Max counts as an epsilon if it is a single number of at most mostEpsilon.
const (
	scaleBy      = 1.05
	epsilonBy    = 1000
	mostEpsilon  = 1e-3
	wrongEpsilon = 0.01
)

// constantSites returns the faults that can be planted in a constant.
func constantSites(c loaders.Constant) []site {
	elem := c.Values.ElementType()
	float := elem == tensor.Float32 || elem == tensor.Float64 || elem == tensor.Float16 ||
		elem == tensor.BFloat16
	weight, scale, added := false, false, false
	for _, u := range c.Uses {
		quantizer := u.Op == "DequantizeLinear" || u.Op == "QuantizeLinear"
		table := (u.Op == "DequantizeLinear" || u.Op == "Gather") && u.Input == 0
		weight = weight || u.Addends > 0 || table
		scale = scale || u.Addends > 0 || quantizer && u.Input == 1
		added = added || u.Op == "Add" || u.Op == "Max"
	}
	var all []site
	plant := func(kind, text string, change func([]float64)) {
		all = append(all, site{kind, text + " " + c.Name,
			func(m *loaders.Model) (*loaders.Model, error) { return withConstant(m, c.Name, change) }})
	}
	if weight && c.Values.Len() > 1 && (float || elem == tensor.Int8 || elem == tensor.Uint8) {
		plant("weight", "the sign of the weight of median magnitude in", func(values []float64) {
			i := middling(values)
			values[i] = -values[i]
		})
	}
	if scale && float {
		plant("scale", fmt.Sprintf("a factor of %v on", scaleBy), func(values []float64) {
			for i := range values {
				values[i] *= scaleBy
			}
		})
	}
	if c.Values.Len() == 1 && float && added {
		if v := c.Values.Float64At(0); v > 0 && v <= mostEpsilon {
			plant("epsilon", fmt.Sprintf("a factor of %v on", epsilonBy), func(values []float64) {
				values[0] *= epsilonBy
			})
		}
	}
	if weight && elem == tensor.Float32 {
		plant("precision", "bfloat16 values in", func(values []float64) {
			for i, v := range values {
				values[i] = float64(tensor.BF16FromFloat32(float32(v)).Float32())
			}
		})
	}
	return all
}

// middling returns the index of the number whose magnitude is the median among the nonzero numbers.
func middling(values []float64) int {
	var order []int
	for i, v := range values {
		if v != 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(math.Abs(values[a]), math.Abs(values[b]))
	})
	if len(order) == 0 {
		return 0
	}
	return order[len(order)/2]
}

// withConstant returns a copy of the model with the named constant changed by the function change.
// The copy stores all data in the model's own file instead of in external data.
func withConstant(m *loaders.Model, name string, change func([]float64)) (*loaders.Model, error) {
	return edit.ReplaceConstants(m, func(c loaders.Constant) (*tensor.Tensor, error) {
		if c.Name != name {
			return nil, nil
		}
		values := slices.Clone(c.Values.Float64s())
		change(values)
		return sets.Pack(c.Values.ElementType(), c.Values.Shape(), values)
	})
}

var (
	activations = []string{"Relu", "LeakyRelu", "PRelu", "ThresholdedRelu", "Elu", "Selu", "Celu",
		"Sigmoid", "HardSigmoid", "HardSwish", "Swish", "Mish", "Tanh", "Gelu", "FastGelu", "QuickGelu",
		"Erf", "Softplus", "Softsign", "Clip", "Softmax", "LogSoftmax"}
	normalizations = []string{"BatchNormalization", "InstanceNormalization", "LayerNormalization",
		"GroupNormalization", "RMSNormalization", "SimplifiedLayerNormalization",
		"SkipLayerNormalization", "SkipSimplifiedLayerNormalization"}
	// ordered lists the operators whose operand order matters. One kind of fault swaps two adjacent
	// operands; the value in the map is the index of the first of the two.
	ordered = map[string]int{"Sub": 0, "Div": 0, "Concat": 0, "Where": 1}
)

// nodeSites returns the faults that can be planted in a node.
func nodeSites(n loaders.Node) (all []site) {
	plant := func(kind, text string, change edit.NodeEdit) {
		all = append(all, site{kind, text, func(m *loaders.Model) (*loaders.Model, error) {
			changed, err := edit.Nodes(m, func(other loaders.Node) (e edit.NodeEdit, _ error) {
				if other.Index == n.Index {
					e = change
				}
				return e, nil
			})
			if err != nil {
				return nil, err
			}
			return edit.ReplaceConstants(changed, func(loaders.Constant) (*tensor.Tensor, error) {
				return nil, nil // only moves external data into the file
			})
		}})
	}
	name := cmp.Or(n.Name, strings.Join(n.Outputs, " "))
	if slices.Contains(activations, n.Op) && len(n.Outputs) == 1 {
		plant("activation", fmt.Sprintf("without %s %s", n.Op, name), edit.NodeEdit{
			Outputs: map[string]string{n.Outputs[0]: n.Outputs[0] + "/dropped"},
			After:   []edit.NewNode{{Op: "Identity", Inputs: n.Inputs[:1], Outputs: n.Outputs}},
		})
	}
	if slices.Contains(normalizations, n.Op) {
		plant("epsilon", fmt.Sprintf("an epsilon of %v in %s %s", wrongEpsilon, n.Op, name),
			edit.NodeEdit{Attributes: []edit.NodeAttribute{{Name: "epsilon",
				Value: float32(wrongEpsilon)}}})
	}
	if at, matters := ordered[n.Op]; matters && len(n.Inputs) > at+1 {
		a, b := n.Inputs[at], n.Inputs[at+1]
		plant("operand", fmt.Sprintf("swapped operands of %s %s", n.Op, name),
			edit.NodeEdit{Inputs: map[string]string{a: b, b: a}})
	}
	return all
}
