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

// settle runs nodes alone. If some tensors do not pair by name, it also drops pairs until each
// remaining pair is confirmed in one of these ways:
//
//   - by values: both sides computed the same values;
//   - by the nodes that compute the pair: run alone on the expected side's values, they compute the
//     expected tensor;
//   - by the nodes that read the pair: run alone on the expected side's values, they compute the
//     expected results, but in the whole models their results differ. (If the results agreed there,
//     the nodes would hardly depend on the pair, and would confirm nothing.)
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

// astray finds a node N that is out of tolerance when it runs alone because some of its inputs are
// paired with the wrong tensors. It returns these inputs. An input X is paired wrongly if no node
// that reads X is correct when run alone, and one of these is true:
//
//   - X is a copy, and the counterpart of X is not an input of N's counterpart.
//   - The counterpart of X is not an input of N's counterpart, and the expected side needs more
//     nodes than the actual side to compute N's result. If both sides need equally many nodes, X is
//     paired correctly, and N really reads a wrong tensor.
//   - X is a copy, another input of N has the same counterpart, and some input of N's counterpart
//     is paired with no input of N.
//   - X is computed from a tensor with the same counterpart, although the expected side applies an
//     operation to this counterpart that the actual side lacks. For example, X is the result of an
//     Identity, and the expected side has an activation there.
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
			repeats := !right && repeatsSource(j, name)
			switch {
			case repeats && displaced(j, p, name, nodes):
			case carries:
				continue
			case right:
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

// readByLost compares the given expected nodes, which compute the counterpart of p's tensor, with
// the actual nodes that compute p's tensor. An expected node is lost if the actual side skips it:
// no actual node has its operator, but an actual node has the operator of a later expected node.
// readByLost returns the inputs of the lost nodes. If a lost node depends on other given nodes,
// readByLost also returns the inputs of these other nodes.
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

// displaced reports whether X, the named input of p's node, is paired with an expected tensor that
// comes too early in the expected graph. nodes are the expected nodes that compute the counterpart
// of p's tensor from other paired tensors. X is displaced if all of these are true:
//
//   - The operator that computes X does not compute the expected tensor with which X is paired.
//   - One of nodes has X's operator, so its result may be the right counterpart of X.
//   - None of the actual nodes that compute p's tensor from X has X's operator.
//
// For example, X is the result of an actual Transpose that moves nothing, but the expected side's
// Transpose moves axes. X then equals the actual Transpose's input, so X is paired with the
// counterpart of that input.
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

// repeatsSource reports whether a tensor has the same counterpart as one of the tensors from which
// it is computed.
func repeatsSource(j *judged, name string) bool {
	own := j.pairs.called(name)
	same := func(source string) bool { return j.pairs.called(source) == own }
	return j.pairs.found[name].Again || slices.ContainsFunc(j.pairs.sources[name], same)
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
