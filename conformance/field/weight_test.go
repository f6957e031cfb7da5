package field_test

import (
	"math"
)

// weightsOf returns which inputs of an operator are weights, and which is the bias.
var weightsOf = map[string]struct{ weight, bias int }{
	"Conv": {1, 2}, "ConvTranspose": {1, 2}, "FusedConv": {1, 2}, "Gemm": {1, 2}, "FusedGemm": {1, 2},
	"MatMul": {1, -1}, "FusedMatMul": {1, -1}, "Gather": {0, -1}, "LSTM": {1, 3}, "GRU": {1, 3},
	"BatchNormalization": {-1, 2}, "LayerNormalization": {-1, 2}, "InstanceNormalization": {-1, 2},
	"SkipLayerNormalization": {-1, 4}, "EmbedLayerNormalization": {2, 6}, "Attention": {1, 2},
	"BiasGelu": {-1, 1}, "FastGelu": {-1, 1}, "QLinearConv": {3, 8}, "QLinearMatMul": {3, -1},
	"QGemm": {3, 6}, "MatMulInteger": {1, -1}, "ConvInteger": {1, -1},
	"DynamicQuantizeMatMul": {1, -1},
	"DynamicQuantizeLSTM":   {1, 3}, "MatMulIntegerToFloat": {1, -1},
}

// learned lists attributes with weights or offsets in ONNX's machine-learning operators.
var learned = map[string][]struct{ kind, name string }{
	"TreeEnsembleClassifier": {{"weight", "class_weights"}, {"weight", "nodes_values"}},
	"TreeEnsembleRegressor":  {{"weight", "target_weights"}, {"weight", "nodes_values"}},
	"LinearClassifier":       {{"weight", "coefficients"}, {"bias", "intercepts"}},
	"LinearRegressor":        {{"weight", "coefficients"}, {"bias", "intercepts"}},
	"Scaler":                 {{"weight", "scale"}, {"bias", "offset"}},
}

func (p *planter) weightSites() []site {
	return p.valueSites("weight", func(n *node) int {
		if at, ok := weightsOf[n.op]; ok {
			return at.weight
		}
		return -1
	}, 2)
}

func (p *planter) biasSites() []site {
	return p.valueSites("bias", func(n *node) int {
		if at, ok := weightsOf[n.op]; ok {
			return at.bias
		}
		if n.op == "Add" && len(n.inputs) == 2 {
			for at := range n.inputs {
				if w := p.weights[n.inputs[at]]; w != nil && w.Len() > 1 && p.weights[n.inputs[1-at]] == nil {
					return at
				}
			}
		}
		return -1
	}, 1)
}

// valueSites lists single weights, to be changed by four times the greatest weight.
func (p *planter) valueSites(kind string, input func(*node) int, rank int) []site {
	var sites []site
	for i := range p.nodes {
		n := &p.nodes[i]
		for _, l := range learned[n.op] {
			if f, ok := n.attribute(l.name, attributeFloats); ok && l.kind == kind {
				sites = append(sites, site{kind + " of " + p.said(i), func() []int {
					p.changeFloats(i, l.name, f)
					return []int{i}
				}})
			}
		}
		at := input(n)
		if at < 0 || at >= len(n.inputs) {
			continue
		}
		root, ok := p.root(n.inputs[at])
		if !ok || len(p.weights[root].Shape()) < rank || p.weights[root].Len() < 2 {
			continue
		}
		sites = append(sites, site{kind + " of " + p.said(i), func() []int {
			return p.change(i, at, root, p.one)
		}})
	}
	return sites
}

// one changes one value.
func (p *planter) one(values []float64, integers bool) {
	greatest := 0.0
	for _, v := range values {
		greatest = max(greatest, math.Abs(v))
	}
	i := p.random.IntN(len(values))
	switch {
	case integers && values[i] > 0:
		values[i] -= greatest
	case integers:
		values[i] += greatest
	default:
		values[i] += 4 * max(greatest, 0.05)
	}
}
