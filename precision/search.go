package precision

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// search finds the set: first by prediction, corrected by what each trial measures, then by taking
// nodes out of it one at a time, and at last by whether the first or last nodes, or those that a
// rule of range names, would do with fewer.
func (w *searching) search(ctx context.Context) ([]bool, error) {
	count := len(w.network.steps)
	kept := w.forced()
	t, err := w.try(ctx, kept)
	if err != nil {
		return nil, err
	}
	var best []bool
	limits, tighter := w.limits(kept, t), closer
	for {
		if t.Passes && (best == nil || size(kept) < size(best)) {
			best = kept
		}
		most := count
		if best != nil {
			most = size(best) - 1
		}
		next, ok := w.predicted.smallest(limits, most)
		if best != nil && (!ok || !w.left(1+guards(size(best)))) {
			break
		}
		if !ok || !w.left(1+guards(size(next))) || tighter < closest {
			next = all(count)
		}
		if w.tried[key(next)] != nil { // predicted to pass, and it did not
			if tighter < closest {
				break
			}
			limits, tighter = scaledBy(limits, tighter), tighter*tighter
			continue
		}
		kept, tighter = next, closer
		if t, err = w.try(ctx, kept); err != nil {
			return nil, err
		}
		if size(kept) == count && !t.Passes {
			return nil, fmt.Errorf("%w: with every node in float32, %s does not pass: %s", ErrBeyond,
				w.target(), t.Reason)
		}
		limits = w.limits(kept, t)
	}
	if best == nil {
		return nil, fmt.Errorf("%w: no set of nodes passes: %s", ErrBeyond, t.Reason)
	}
	for {
		smaller, err := w.shrink(ctx, best)
		if err != nil {
			return nil, err
		}
		other, err := w.fewer(ctx, smaller)
		if err != nil {
			return nil, err
		}
		if other == nil {
			return smaller, nil
		}
		best = other
	}
}

// Where a prediction was too good, limits are tightened by closer, in squares, and the next time by
// more, up to closest.
const (
	closer  = 0.8
	closest = 1e-30
	// nearby is how far beyond the limits a prediction may be that is worth a run, in squares, where
	// chance may have it pass, and mostEnds how many such runs there are.
	nearby   = 4
	mostEnds = 24
)

func scaledBy(limits []float64, factor float64) []float64 {
	list := make([]float64, len(limits))
	for o, v := range limits {
		list[o] = v * factor
	}
	return list
}

// left reports whether so many runs are left.
func (w *searching) left(runs int) bool {
	if w.Engine != nil && len(w.tried)+runs > cmp.Or(w.Builds, builds) {
		return false
	}
	return w.runs+runs <= w.network.floating()+spare
}

// builds is how many sets an engine judges that is built for each.
const builds = 16

// target is what is judged.
func (w *searching) target() string {
	if w.Engine != nil {
		return w.Engine.String()
	}
	return fmt.Sprintf("%s rounded to %s", w.model.Name(), w.format)
}

// key names a set of nodes.
func key(kept []bool) string {
	text := make([]byte, len(kept))
	for j, k := range kept {
		text[j] = '.'
		if k {
			text[j] = 'x'
		}
	}
	return string(text)
}

// keep is a set by the indices of nodes.
func (n *network) keep(kept []bool) keep {
	k := keep{}
	for j, yes := range kept {
		if yes {
			k[n.steps[j]] = true
		}
	}
	return k
}

// floating is how many nodes make floats.
func (n *network) floating() int {
	count := 0
	for i := range n.nodes {
		if len(n.nodes[i].makes) > 0 {
			count++
		}
	}
	return count
}

// forced are the nodes that no set can do without: what they add by themselves is infinite.
func (w *searching) forced() []bool {
	none := make([]bool, len(w.network.steps))
	limits := make([]float64, len(w.names))
	for o := range limits {
		limits[o] = math.MaxFloat64
	}
	return w.predicted.lowering(limits, slices.Clone(all(len(none))))
}

// try judges a set, once.
func (w *searching) try(ctx context.Context, kept []bool) (*trial, error) {
	name := key(kept)
	if t := w.tried[name]; t != nil {
		return t, nil
	}
	w.runs++
	if t := w.recorded(name); t != nil {
		w.tried[name] = t
		return t, nil
	}
	outputs, err := w.run(ctx, kept)
	if err != nil {
		return nil, err
	}
	t := &trial{}
	if t.Margins, t.report, err = margins(w.names, outputs, w.expected, w.Rule); err != nil {
		return nil, err
	}
	t.Passes, t.Reason = t.report.Verdict == compare.Pass, t.report.Reason
	if t.Errors, err = deviations(w.names, outputs, w.expected); err != nil {
		return nil, err
	}
	w.tried[name] = t
	verdict := "fails"
	if t.Passes {
		verdict = "passes"
	}
	w.say("%d of %d nodes in float32: %s", size(kept), len(kept), verdict)
	return t, w.state.judged(name, t)
}

// run runs the model with a set in float32.
func (w *searching) run(ctx context.Context, kept []bool) (outputs []*tensor.Set, err error) {
	n := w.network
	k := n.keep(kept)
	inputs := fixtures.Of(w.inputs...)
	if w.Engine == nil {
		model, err := n.rounded(k)
		if err != nil {
			return nil, err
		}
		run, err := backends.RunIn(ctx, w.plain, model, inputs)
		if err != nil {
			return nil, err
		}
		return run.Outputs(), nil
	}
	names, err := n.named(k)
	if err != nil {
		return nil, err
	}
	engine, err := w.Engine.Keeping(names)
	if err != nil {
		return nil, err
	}
	run, err := backends.RunIn(ctx, engine, w.model, inputs)
	if err != nil {
		return nil, err
	}
	return run.Outputs(), nil
}

// layered are the operators that move numbers in a layer of their own in every engine, so that the
// layer can be told to keep float32.
var layered = words("Abs GlobalMaxPool Max MaxPool Min Neg ReduceMax ReduceMin Relu Where")

// named are the names of the nodes of a set and of what moves numbers between them in layers.
func (n *network) named(k keep) ([]string, error) {
	follow := n.followers(k)
	var names []string
	for i := range n.nodes {
		l := &n.nodes[i]
		if !k[i] && !slices.Contains(follow, i) {
			continue
		}
		if !k[i] && (l.Name == "" || !layered[l.Op]) {
			continue
		}
		if l.Name == "" {
			return nil, fmt.Errorf("node %d (%s, which makes %q) has no name, so an engine cannot be told "+
				"to keep it: give the engine the model with casts", i, l.Op, l.Outputs[0])
		}
		names = append(names, l.Name)
	}
	return names, nil
}

// limits are the squares that the prediction of a set may have so that the rule holds: those of a
// set that was tried, times the square of its margins.
func (w *searching) limits(kept []bool, t *trial) []float64 {
	predicted := w.predicted.errors(kept)
	list := make([]float64, len(predicted))
	for o, p := range predicted {
		m := t.Margins[o]
		switch {
		case math.IsInf(m, 1):
			list[o] = math.MaxFloat64
		case p > 0 && !math.IsInf(p, 1):
			list[o] = p * m * m
		case m >= 1: // nothing was predicted, and nothing is wrong
			list[o] = math.MaxFloat64
		}
	}
	return list
}

// shrink takes nodes out of a set that passes, in the order of what they are predicted to add, as
// long as it passes.
func (w *searching) shrink(ctx context.Context, kept []bool) ([]bool, error) {
	needed := make([]bool, len(kept)) // without these it fails
	for w.left(1 + guards(size(kept))) {
		at := w.leastOf(kept, needed)
		if at < 0 {
			break
		}
		smaller := slices.Clone(kept)
		smaller[at] = false
		t, err := w.try(ctx, smaller)
		if err != nil {
			return nil, err
		}
		if t.Passes {
			kept = smaller
		} else {
			needed[at] = true
		}
	}
	return kept, nil
}

// leastOf is the node of a set that is predicted to add least where it is lowered, or -1.
func (w *searching) leastOf(kept, except []bool) int {
	least, at := math.Inf(1), -1
	limits := w.limits(kept, w.tried[key(kept)])
	before := w.predicted.errors(kept)
	for j := range kept {
		if !kept[j] || except[j] {
			continue
		}
		without := slices.Clone(kept)
		without[j] = false
		cost := 0.0
		for o, e := range w.predicted.errors(without) {
			if e > before[o] {
				cost = max(cost, (e-before[o])/max(limits[o], math.SmallestNonzeroFloat64))
			}
		}
		if cost < least {
			least, at = cost, j
		}
	}
	return at
}

// guards is how many runs [searching.fewer] may take for a set of a size.
func guards(size int) int { return 2*bits.Len(uint(size)) + 1 }

// fewer is a set with fewer nodes by one of the ways that others go: the first nodes or the last
// ones, as a bisection finds them ([Marker]), or those by their range. It is nil where none passes.
//
// What a bisection tries with as many nodes or more is not run: whether it would pass decides only
// whether the bisection gets to fewer.
func (w *searching) fewer(ctx context.Context, kept []bool) ([]bool, error) {
	most := size(kept) - 1
	ranges := make([]bool, len(kept))
	for j, i := range w.network.steps {
		ranges[j] = w.why[i] != ""
	}
	if size(ranges) > 0 {
		if t, err := w.within(ctx, ranges, most); err != nil || t != nil && t.Passes {
			return ranges, err
		}
	}
	for _, direction := range []Direction{Forward, Reverse} {
		m, err := w.network.bisection(direction)
		if err != nil {
			return nil, err
		}
		for m.Next() {
			from, to := m.Layers()
			other := w.network.among(from, to)
			t, err := w.within(ctx, other, most)
			if err != nil {
				return nil, err
			}
			if t != nil && t.Passes {
				return other, nil
			}
			m.Step(t == nil)
		}
	}
	return w.ends(ctx, kept, most)
}

// ends is the first or the last nodes of a set that is smaller than kept, and passes, of those that
// are predicted to be near: a bisection passes over some that happen to do.
func (w *searching) ends(ctx context.Context, kept []bool, most int) ([]bool, error) {
	near := scaledBy(w.limits(kept, w.tried[key(kept)]), nearby)
	last := w.runs + mostEnds
	for n := most; n >= 0; n-- {
		for _, reverse := range []bool{false, true} {
			other := make([]bool, len(kept))
			for j := range n {
				if reverse {
					j = len(kept) - 1 - j
				}
				other[j] = true
			}
			if w.runs >= last || !within(w.predicted.errors(other), near) {
				continue
			}
			if t, err := w.within(ctx, other, most); err != nil || t != nil && t.Passes {
				return other, err
			}
		}
	}
	return nil, nil
}

// within judges a set of so many nodes or fewer; it is nil of others, and where no run is left.
func (w *searching) within(ctx context.Context, kept []bool, most int) (*trial, error) {
	if size(kept) > most || w.tried[key(kept)] == nil && !w.left(1) {
		return nil, nil
	}
	return w.try(ctx, kept)
}

// part is the error of a node that computes, in parts of what the rule allows.
func (w *searching) part(j int, limits []float64) float64 {
	part := 0.0
	for o, e := range w.own[j] {
		if math.IsInf(e, 1) {
			return e
		}
		if e > 0 && limits[o] < math.MaxFloat64 {
			part = max(part, e/math.Sqrt(max(limits[o], math.SmallestNonzeroFloat64)))
		}
	}
	return part
}

// additivity is the error of everything lowered over what the squares of single nodes predict.
func (w *searching) additivity(t *trial) float64 {
	predicted := w.predicted.errors(make([]bool, len(w.network.steps)))
	ratio := 0.0
	for o, p := range predicted {
		if p > 0 {
			ratio = max(ratio, t.Errors[o]/math.Sqrt(p))
		}
	}
	if ratio-ratio != 0 {
		return 0
	}
	return ratio
}

// finite is a number for JSON: -1 is infinite.
func finite(v float64) float64 {
	if v-v != 0 {
		return -1
	}
	return v
}
