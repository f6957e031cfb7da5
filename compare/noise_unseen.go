package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// steps lists operators whose result jumps if rounding moves a value across a threshold.
var steps = []string{"ArgMax", "ArgMin", "TopK", "NonMaxSuppression", "Greater", "GreaterOrEqual",
	"Less", "LessOrEqual", "Round", "Floor", "Ceil", "Sign", "Hardmax", "ThresholdedRelu", "Shrink",
	"Unique", "ai.onnx.ml.Binarizer", "ai.onnx.ml.TreeEnsemble", "ai.onnx.ml.TreeEnsembleClassifier",
	"ai.onnx.ml.TreeEnsembleRegressor"}

// quantizes reports whether an operator rounds its result to a few bits.
func quantizes(operator string) bool {
	_, name, found := strings.Cut(operator, "com.microsoft.")
	if !found {
		name = operator
	}
	return strings.HasPrefix(name, "Quantize") || strings.HasPrefix(name, "DynamicQuantize") ||
		strings.HasPrefix(name, "QLinear") || found && slices.Contains([]string{"QGemm", "QAttention",
		"QEmbedLayerNormalization", "QMoE"}, name)
}

// totals lists operators that add up activations. The noise may underestimate their rounding
// errors: the measured runs do not change the order in which they add, and the model file does not
// say how many terms they add.
var totals = []string{"ReduceSum", "ReduceMean", "ReduceSumSquare", "ReduceL1", "ReduceL2",
	"ReduceLogSum", "ReduceLogSumExp", "GlobalAveragePool", "AveragePool", "GlobalLpPool", "LpPool",
	"CumSum", "Einsum", "Attention", "com.microsoft.Attention", "com.microsoft.MultiHeadAttention"}

// unseenOf selects the operators of a model whose rounding errors may be missing from the noise:
// operators that quantise, and the operators in [steps] and [totals]. It returns nil if there are
// none. Both maps contain the number of the model's nodes with each operator.
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

// Limits returns sentences that say which rounding errors of this model may be missing from the
// noise. It returns none if the noise includes all of them.
func (n *Noise) Limits() []string {
	var limits []string
	if nodes := nodesOf(n.Unseen, jumps); nodes != "" {
		limits = append(limits, "rounding can make values jump in "+nodes+
			": the noise includes only the jumps that occurred in the measured runs")
	}
	if n.Moved != "" {
		limits = append(limits, n.Moved)
	}
	if n.Reordered {
		return limits
	}
	adds := func(operator string) bool { return slices.Contains(totals, operator) }
	if nodes := nodesOf(n.Unseen, adds); nodes != "" {
		limits = append(limits, "the noise does not include the effect of summation order in "+nodes)
	}
	return limits
}

// quantizing returns text that counts the quantising nodes by operator, such as "33
// QuantizeLinear".
func (n *Noise) quantizing() string { return nodesOf(n.Unseen, quantizes) }

// nodesOf lists the operators for which wanted returns true, each after its number of nodes.
func nodesOf(operators map[string]int, wanted func(string) bool) string {
	var list []string
	for _, operator := range slices.Sorted(maps.Keys(operators)) {
		if wanted(operator) {
			list = append(list, fmt.Sprintf("%d %s", operators[operator], operator))
		}
	}
	return strings.Join(list, ", ")
}

// Undecided is the error that [WithinNoise] returns if the errors of a quantised model exceed its
// noise. The cause may be a fault. It may also be that a correct engine fuses the model's internal
// quantising steps differently.
type Undecided struct {
	Output  string
	Nodes   string // the nodes that quantise, such as "33 QuantizeLinear"
	Figures string // the errors and their limits
}

func (e *Undecided) Error() string {
	return fmt.Sprintf("the error exceeds the noise, but that does not prove a fault: the model "+
		"quantises (%s), so a last-bit difference can become a whole step; compare the model's "+
		"decisions, such as its classes, or use compare.SNR(20) (--compare snr): %s", e.Nodes, e.Figures)
}
