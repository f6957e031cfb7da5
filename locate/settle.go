package locate

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/locate/internal/pairing"
)

// settle runs nodes alone, with the expected side's values as inputs. If some tensors do not pair
// by name, settle also drops pairs until each remaining pair is confirmed in one of these ways:
//
//   - Both sides computed the same values.
//   - The actual nodes that compute the pair's tensor are correct when they run alone.
//   - The actual nodes that read the pair's tensor are correct when they run alone, but wrong in
//     the whole model. (Results that are correct in both cases would prove nothing, since they
//     hardly depend on the pair.)
//
// When a pair is dropped, the nodes before and after its tensor run as one part.
func (s *steps) settle(ctx context.Context, w *runner) (err error) {
	s.judged, err = alone(ctx, w, s.judged)
	for err == nil && s.judged.pairs.matched != nil && w.options.Isolate {
		j := s.judged
		drop := j.pairs.furthest(doubtful(j))
		if len(drop) == 0 {
			drop = astray(j)
		}
		if len(drop) == 0 {
			return nil
		}
		s.judged, err = alone(ctx, w, j.over(j.pairs.without(drop)))
	}
	return err
}

// doubtful returns the tensors whose pairs are not confirmed.
func doubtful(j *judged) map[string]bool {
	list := map[string]bool{}
	for i := range j.tensors {
		p := &j.tensors[i]
		switch {
		case p.Pairing == pairing.Interface:
		case j.contradicted(p):
			list[p.Tensor] = true
		case !p.Type.Valid(), p.Own == nil && p.Verdict == compare.Fail && !j.alike(p):
			list[p.Tensor] = true
		case j.wrongAlone(p) && !j.alike(p) && !confirmedBehind(j, p):
			list[p.Tensor] = true
		}
	}
	return list
}

// confirmedBehind reports whether the nodes that read p's tensor show that the tensor is paired
// correctly. A reader that only copies or reshapes the tensor is no evidence, because its result is
// paired with the same expected tensor. confirmedBehind then examines the readers of that result.
func confirmedBehind(j *judged, p *Point) bool {
	confirmed := false
	for _, r := range j.readers(p.Tensor) {
		switch {
		case r.Own == nil:
		case j.pairs.handsOn(r, p):
			confirmed = confirmed || confirmedBehind(j, r)
		case j.wrongAlone(r):
			return false
		case r.Verdict == compare.Fail:
			confirmed = true
		}
	}
	return confirmed
}

// astray returns tensors that seem to be paired with the wrong expected tensors. A wrong pair can
// make a node look wrong when the node runs alone. astray therefore looks at the inputs of each
// node that is out of tolerance when it runs alone. It returns the suspect inputs of the first such
// node that has any. An input is suspect if no node that reads the input is correct when run alone,
// and one of these is true:
//
//   - The expected graph computes the node's result without the counterpart of the input. In
//     addition, the input is a mere copy of an earlier tensor, or the expected graph needs more
//     nodes than the actual graph to compute the result.
//   - The input is a mere copy, and another input of the node has the same counterpart. In
//     addition, the expected graph computes the node's result from a tensor that is not the
//     counterpart of any input of the node.
//   - The input is computed from a tensor T, and both have the same counterpart C. The expected
//     graph applies an operation to C that the actual graph does not apply to the input. For
//     example, the input is an Identity of T, and the expected graph applies an activation to C.
func astray(j *judged) []string {
	theirs := j.pairs.theirTensors()
	for i := range j.tensors {
		p := &j.tensors[i]
		if !j.wrongAlone(p) {
			continue
		}
		carries := j.pairs.found[p.Tensor].Again
		nodes, sources := j.pairs.matched.expected.Between(j.pairs.called(p.Tensor), theirs)
		more := len(nodes) > len(j.pairs.between(p.Tensor))
		read := map[string]int{} // number of actual tensors paired with each expected tensor
		for _, name := range j.pairs.sources[p.Tensor] {
			read[j.pairs.called(name)]++
		}
		missed := slices.ContainsFunc(sources, func(name string) bool { return read[name] == 0 })
		lost := readByLost(j, p, nodes)
		var list []string
		for _, name := range j.pairs.sources[p.Tensor] {
			row, inner := j.pairs.row[name]
			if !inner || j.tensors[row].Pairing == pairing.Interface {
				continue
			}
			own := j.pairs.called(name)
			before, right := slices.Contains(sources, own), j.readRight(name)
			// whether the tensor has the same counterpart as a tensor from which it is computed
			repeats := !right && (j.pairs.found[name].Again || slices.ContainsFunc(j.pairs.sources[name],
				func(source string) bool { return j.pairs.called(source) == own }))
			switch {
			case repeats && displaced(j, p, name, nodes):
			case carries, right:
				continue
			case !before && (more || j.pairs.found[name].Again),
				missed && read[own] > 1 && j.pairs.found[name].Again, repeats && lost[own]:
			default:
				continue
			}
			list = append(list, name)
		}
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// readByLost looks for lost nodes. A lost node is an expected node whose operation the actual side
// skips. nodes are the expected nodes that compute the counterpart of p's tensor. For example,
// these nodes are a Relu and then an Add, but in the actual graph only an Add computes p's tensor.
// The Relu is then lost. readByLost returns the inputs of the lost nodes. If a lost node depends on
// other nodes in the list, readByLost also returns the inputs of those nodes.
func readByLost(j *judged, p *Point, nodes []int) map[string]bool {
	theirs := j.pairs.matched.expected
	ours := map[string]bool{}
	for _, i := range j.pairs.between(p.Tensor) {
		ours[pairing.Class(strings.TrimPrefix(j.pairs.nodes[i].Op, "Fused"))] = true
	}
	found := map[string]bool{}
	for _, at := range nodes {
		class := pairing.Class(theirs.Nodes[at].Op)
		if !ours[class] || pairing.Carries(theirs.Nodes[at].Op) {
			continue
		}
		for _, i := range theirs.Before(at, nodes) {
			n := &theirs.Nodes[i]
			if pairing.Carries(n.Op) || n.Op == "Transpose" || ours[pairing.Class(n.Op)] ||
				theirs.FoldsInto(i, class) {
				continue
			}
			for _, k := range append(theirs.Before(i, nodes), i) {
				for _, name := range theirs.Nodes[k].Inputs {
					found[name] = true
				}
			}
		}
	}
	return found
}

// displaced reports whether the named tensor, an input of p's node, is paired with an expected
// tensor that comes too early in the expected graph. For example, an actual Transpose moves no
// axes, but the expected Transpose does. The result of the actual Transpose then equals its input,
// so both are paired with the input of the expected Transpose.
//
// Let O be the kind of operator that computes the named tensor (in the example, Transpose).
// displaced returns true if all of these are true:
//
//   - One of nodes is of kind O. These are the expected nodes that compute the counterpart of p's
//     tensor.
//   - The counterpart of the named tensor is computed by a different kind of operator.
//   - Between p's tensor and the nearest earlier tensors that are paired, such as the named tensor,
//     no actual node is of kind O.
func displaced(j *judged, p *Point, name string, nodes []int) bool {
	theirs := j.pairs.matched.expected
	class := pairing.Class(j.pairs.nodes[j.pairs.producer[name]].Op)
	made := theirs.Made(j.pairs.called(name))
	has := func(of []int, op func(int) string) bool {
		return slices.ContainsFunc(of, func(i int) bool { return pairing.Class(op(i)) == class })
	}
	return made != nil && pairing.Class(made.Op) != class &&
		has(nodes, func(i int) string { return theirs.Nodes[i].Op }) &&
		!has(j.pairs.between(p.Tensor), func(i int) string { return j.pairs.nodes[i].Op })
}

// byWeight orders points by the errors that their nodes add, the largest first.
func byWeight(a, b *Point) int { return cmp.Compare(b.weight(), a.weight()) }

// weight returns the error that the node adds, as a sort key. NaN counts as infinite.
func (p *Point) weight() float64 {
	if e := float64(p.Own.Error); !math.IsNaN(e) {
		return e
	}
	return math.Inf(1)
}
