package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// steps are operators whose result jumps where rounding crosses a step.
var steps = []string{"ArgMax", "ArgMin", "TopK", "NonMaxSuppression", "Greater", "GreaterOrEqual",
	"Less", "LessOrEqual", "Round", "Floor", "Ceil", "Sign", "Hardmax", "ThresholdedRelu", "Shrink",
	"Unique", "ai.onnx.ml.Binarizer", "ai.onnx.ml.TreeEnsemble", "ai.onnx.ml.TreeEnsembleClassifier",
	"ai.onnx.ml.TreeEnsembleRegressor"}

// quantizes reports whether an operator rounds what it gives to a few bits.
func quantizes(operator string) bool {
	_, name, found := strings.Cut(operator, "com.microsoft.")
	if !found {
		name = operator
	}
	return strings.HasPrefix(name, "Quantize") || strings.HasPrefix(name, "DynamicQuantize") ||
		strings.HasPrefix(name, "QLinear") || found && slices.Contains([]string{"QGemm", "QAttention",
		"QEmbedLayerNormalization", "QMoE"}, name)
}

// totals are operators that add up activations, in an order that jitter does not change. How long
// their sums are is not in the file.
var totals = []string{"ReduceSum", "ReduceMean", "ReduceSumSquare", "ReduceL1", "ReduceL2",
	"ReduceLogSum", "ReduceLogSumExp", "GlobalAveragePool", "AveragePool", "GlobalLpPool", "LpPool",
	"CumSum", "Einsum", "Attention", "com.microsoft.Attention", "com.microsoft.MultiHeadAttention"}

// unseenOf returns the operators of a model whose rounding the moved runs may not show: their
// result jumps at a step (comparisons, indices, rounding to integers, quantising), or they add up
// activations. It is nil if there are none.
func unseenOf(operators map[string]int) map[string]int {
	var found map[string]int
	for operator, n := range operators {
		if jumps(operator) || slices.Contains(totals, operator) {
			if found == nil {
				found = map[string]int{}
			}
			found[operator] = n
		}
	}
	return found
}

func jumps(operator string) bool {
	return quantizes(operator) || slices.Contains(steps, operator)
}

// Limits says in sentences what the noise may not show in this model; none where it shows all.
func (n *Noise) Limits() []string {
	var limits []string
	if nodes := nodesOf(n.Unseen, jumps); nodes != "" {
		limits = append(limits, "rounding may jump at "+nodes+
			": a jump that none of the runs made is not in the noise")
	}
	if n.Moved != "" {
		limits = append(limits, n.Moved)
	}
	if n.Reordered {
		return limits
	}
	adds := func(operator string) bool { return slices.Contains(totals, operator) }
	if nodes := nodesOf(n.Unseen, adds); nodes != "" {
		limits = append(limits, "the order of the sums in "+nodes+" is not in the noise")
	}
	return limits
}

// quantizing lists the nodes that quantise.
func (n *Noise) quantizing() string { return nodesOf(n.Unseen, quantizes) }

// nodesOf lists the operators that are wanted.
func nodesOf(operators map[string]int, wanted func(string) bool) string {
	var list []string
	for _, operator := range slices.Sorted(maps.Keys(operators)) {
		if wanted(operator) {
			list = append(list, fmt.Sprintf("%d %s", operators[operator], operator))
		}
	}
	return strings.Join(list, ", ")
}

// Undecided is the error of [WithinNoise] for a quantised model whose errors are beyond its noise:
// they may be a fault, or the roundings inside that another engine merges otherwise.
type Undecided struct {
	Output  string
	Nodes   string // that quantise: "33 QuantizeLinear"
	Figures string // the errors and their bars
}

func (e *Undecided) Error() string {
	return fmt.Sprintf("it is beyond noise, but that proves no fault: the model quantises (%s), so a "+
		"last bit becomes a step; compare its decisions, or use compare.SNR(20) (--compare snr): %s",
		e.Nodes, e.Figures)
}
