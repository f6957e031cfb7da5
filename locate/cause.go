package locate

import (
	"fmt"
	"math"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/loaders"
)

// unusualGrowth is the error growth from which a node counts as the origin of the error. Ordinary
// arithmetic multiplies an error by a small number. A wrong weight, operator or kernel creates an
// error or multiplies it by orders of magnitude.
const unusualGrowth = 32

// cause summarizes the finding in one sentence.
func (r *Finding) cause(isolated bool) string {
	if r.Pairing != nil {
		return r.pairedCause(isolated)
	}
	if r.First == nil {
		if r.Verdict == compare.Fail {
			return r.nowhere()
		}
		switch at := r.position(); {
		case r.Isolated != nil || at < 0:
		case r.Tensors[at].Verdict == compare.Pass:
			return "the outputs agree; a node is out of tolerance, but only when it runs alone"
		default:
			return "the outputs agree, and when each node runs alone, none is out of tolerance by more " +
				"than rounding explains"
		}
		return "no tensor is out of tolerance"
	}
	if isolated {
		return fmt.Sprintf("%s: %s", r.firstText(), r.isolatedCause())
	}
	return r.unconfirmed()
}

// firstText names the first tensor out of tolerance, and its node.
func (r *Finding) firstText() string {
	return fmt.Sprintf("%s is the first tensor out of tolerance, computed by %s",
		quoted(r.First.Tensor), r.First.made())
}

// unconfirmed summarizes a search that ran no node alone, because Options.Isolate is off, or that
// was stopped before it had run every node alone. It compares the error of the first tensor out of
// tolerance with the errors of its node's inputs.
func (r *Finding) unconfirmed() string {
	if r.First == nil {
		return r.nowhere()
	}
	text := r.firstText() + ": " + r.First.growthText()
	if r.First.Own == nil {
		text += "; the node did not run alone, so nothing confirms that it is at fault"
	}
	return text
}

// growthText says whether the errors of the node's inputs explain the tensor's error.
func (p *Point) growthText() string {
	switch {
	case math.IsInf(float64(p.Abs), 1):
		return "only one side is infinite"
	case math.IsInf(float64(p.Growth), 1):
		return "its inputs agree"
	case p.unexplained():
		return "its inputs do not explain the error"
	}
	return fmt.Sprintf("its inputs already differ, and the node multiplies their error by %v",
		p.Growth)
}

// nowhere summarizes a search in which the outputs differ although every computed tensor agrees.
func (r *Finding) nowhere() string {
	if r.MarkedVerdict == compare.Fail {
		which := "the output that differs is not a tensor, has a tolerance of its own, or no node " +
			"computes it"
		if len(r.aside) > 0 {
			which = strings.Join(r.aside, "; ")
		}
		return "the outputs differ, although every tensor that a node computes is within tolerance: " +
			which
	}
	return "the outputs differ only if nodes are fused: they agree if all tensors of both models " +
		"are marked as outputs, which prevents fusion"
}

// unexplained reports whether the tensor's error is so large that the errors of the node's inputs
// do not explain it.
func (p *Point) unexplained() bool {
	g := float64(p.Growth)
	return math.IsNaN(g) || g >= unusualGrowth
}

// isolatedCause says why r.First is out of tolerance, given how the nodes did when they ran alone.
func (r *Finding) isolatedCause() string {
	switch {
	case r.Isolated == nil && r.First.Own == nil:
		why, _, _ := strings.Cut(r.First.NotAlone, "\n")
		return fmt.Sprintf("%s; the node could not run alone (%s), so nothing confirms that it is at "+
			"fault", r.First.growthText(), why)
	case r.Isolated == nil && r.First.unexplained():
		return "its inputs do not explain the error, but when run alone, the node is within " +
			"tolerance: in the whole graph, the engine fuses it or computes it in a different precision"
	case r.Isolated == nil:
		return "accumulation, since every node alone is within tolerance on the expected side's inputs" +
			r.most() + refused(r.Tensors)
	case r.Isolated.Own.Verdict == compare.Pass:
		return fmt.Sprintf("errors accumulate, starting with %s: the node's result %s is within "+
			"tolerance only because the values of %[2]s are small (relative error %[3]v); the model's "+
			"outputs agree if the expected side's values replace %[2]s", r.Isolated.made(),
			quoted(r.Isolated.Tensor), r.Isolated.Own.Error)
	case r.Isolated.Tensor == r.First.Tensor:
		return "the node alone is out of tolerance on the expected side's inputs"
	case r.Isolated.Index < r.First.Index:
		return fmt.Sprintf("but an earlier node, %s, which computes %s, is out of tolerance when run "+
			"alone", r.Isolated.made(), quoted(r.Isolated.Tensor))
	default:
		what, by := "errors", ""
		if r.First.Own != nil && r.First.Own.Rounding {
			what, by = "rounding errors", " by more than rounding explains"
		}
		return fmt.Sprintf("%s accumulate up to this tensor; with each node run alone, the first node "+
			"out of tolerance%s is %s, which computes %s", what, by, r.Isolated.made(),
			quoted(r.Isolated.Tensor))
	}
}

// most returns the end of a sentence, which names the node that adds the largest error. It returns
// "" if First's own node does.
func (r *Finding) most() string {
	for i := range r.Tensors {
		p := &r.Tensors[i]
		if len(r.Adds) > 0 && p.Tensor == r.Adds[0] && p.Tensor != r.First.Tensor {
			return fmt.Sprintf("; %s, which computes %s, adds the largest error", p.made(), quoted(p.Tensor))
		}
	}
	return ""
}

// refused says how many nodes could not be judged because they could not run alone.
func refused(tensors []Point) string {
	n := 0
	for i := range tensors {
		if tensors[i].NotAlone != "" {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d of %d nodes could not run alone: see the notes)", n, len(tensors))
}

// made describes the node that computes the tensor.
func (p *Point) made() string {
	n := NodeName{Index: p.Index, Name: p.Node, Op: p.Op, Module: p.Module, Source: p.Source}
	return n.text(p.ExpectedOp)
}

// text describes the node: its operator, its name (if any), its position and where it comes from.
// expectedOp is the operator on the expected side, or "" if it is the same.
func (n *NodeName) text(expectedOp string) string {
	text := fmt.Sprintf("%s %s (node %d", n.Op, quoted(n.Name), n.Index)
	if n.Name == "" {
		text = fmt.Sprintf("%s (node %d, unnamed", n.Op, n.Index)
	}
	if expectedOp != "" {
		text += "; " + expectedOp + " on the expected side"
	}
	if from := (loaders.Node{Module: n.Module, Source: n.Source}).Origin(); from != "" {
		text += "; " + from
	}
	return text + ")"
}

func quoted(name string) string { return fmt.Sprintf("%q", name) }
