package precision

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// target names the judged side: an engine or the rounded model.
func (w *searching) target() string {
	if w.Engine != nil {
		return w.Engine.String()
	}
	return fmt.Sprintf("%s rounded to %s", w.model.Name(), w.format)
}

// key returns a string that identifies a set of nodes.
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

// keep converts a set, which is indexed by computing node, to indices of graph nodes.
func (n *network) keep(kept []bool) keep {
	k := keep{}
	for j, yes := range kept {
		if yes {
			k[n.steps[j]] = true
		}
	}
	return k
}

// floating returns the number of nodes that output floats.
func (n *network) floating() int {
	count := 0
	for i := range n.nodes {
		if len(n.nodes[i].makes) > 0 {
			count++
		}
	}
	return count
}

// trial is the result of judging a set of nodes. Margins holds the smallest margin of each output.
type trial struct {
	Margins []float64
	Passes  bool
	Reason  string

	report compare.Report
}

// try judges a set by all methods, until it fails by one. It returns the known result if the set
// was tried before. If the engine rejects the delivered model, only the other method is used.
func (w *searching) try(ctx context.Context, kept []bool) (*trial, error) {
	name := key(kept)
	if t := w.tried[name]; t != nil {
		return t, nil
	}
	var all *trial
	for by := range way(w.each()) {
		if by == byTypes && size(kept) == len(kept) {
			break // the delivered model is the model itself
		}
		t, err := w.judge(ctx, kept, by)
		if err != nil {
			if by != byTypes || ctx.Err() != nil {
				return nil, err
			}
			w.refused = true // saving the model reports the error
			w.say("%v rejects the model with casts, so it is not verified: %v", w.opened.engine, err)
			break
		}
		for o := range t.Margins {
			if all != nil {
				t.Margins[o] = min(t.Margins[o], all.Margins[o])
			}
		}
		if all = t; !t.Passes {
			break
		}
	}
	if w.tried == nil {
		w.tried = map[string]*trial{}
	}
	w.tried[name] = all
	return all, nil
}

// judge judges a set by one method, or returns the result that the state file holds.
func (w *searching) judge(ctx context.Context, kept []bool, by way) (*trial, error) {
	w.runs++
	name := strings.Repeat("+", w.grown) + key(kept)
	if t := w.recorded(name, by); t != nil {
		return t, nil
	}
	t, err := w.judged(ctx, kept, by)
	if err != nil {
		return nil, err
	}
	verdict, how := "fails", ""
	if t.Passes {
		verdict = "passes"
	}
	if by == byTypes {
		how = " with element types of the format"
	}
	w.say("%d of %d nodes in float32: %s%s", size(kept), len(kept), verdict, how)
	return t, w.state.judged(name, by, t)
}

// judged runs the model with a set in float32 and applies the rule to the outputs.
func (w *searching) judged(ctx context.Context, kept []bool, by way) (*trial, error) {
	outputs, err := w.run(ctx, kept, by)
	if err != nil {
		return nil, err
	}
	t := &trial{}
	if t.Margins, t.report, err = margins(w.names, outputs, w.expected, w.Rule); err != nil {
		return nil, err
	}
	t.Passes, t.Reason = t.report.Verdict == compare.Pass, t.report.Reason
	if least := slices.Min(t.Margins); t.Passes && least < w.needs() && size(kept) < len(kept) {
		t.Passes, t.Reason = false, fmt.Sprintf("it passes, but fails if its differences grow by "+
			"a factor of %.3g; with %d sets of inputs, %.3g is required", least, len(w.inputs), w.needs())
	}
	return t, nil
}

// run runs the model with a set of nodes in float32.
func (w *searching) run(ctx context.Context, kept []bool, by way) ([]*tensor.Set, error) {
	begin := time.Now()
	to, err := w.lowered(kept, by)
	if err != nil {
		return nil, err
	}
	run, err := backends.RunIn(ctx, to.engine, to.model, fixtures.Of(w.inputs...))
	if err != nil {
		return nil, err
	}
	if w.Engine != nil {
		took := time.Since(begin)
		w.builds, w.judging = w.builds+1, w.judging+took
		w.say("built in %v", took.Round(time.Millisecond))
	}
	return run.Outputs(), nil
}

// layered lists data-movement operators that form a layer of their own in every engine, so that the
// layer can be kept in float32.
var layered = words("Abs GlobalMaxPool Max MaxPool Min Neg ReduceMax ReduceMin Relu Where")

// named returns the names of the layers that an engine must keep in float32 for a set of nodes. If
// the engine did not report its layers, they are the set's nodes, and those data-movement nodes
// between them that are layers of their own in every engine.
func (n *network) named(k keep) ([]string, error) {
	if n.told != nil {
		return n.layersOf(k), nil
	}
	follow := n.followers(k)
	var names []string
	for i := range n.nodes {
		l := &n.nodes[i]
		switch {
		case k[i] && l.Name == "":
			return nil, fmt.Errorf("node %d (%s, which makes %q) has no name, so the engine cannot "+
				"keep it: give the engine the model with casts", i, l.Op, l.Outputs[0])
		case k[i], slices.Contains(follow, i) && l.Name != "" && layered[l.Op]:
			names = append(names, l.Name)
		}
	}
	return names, nil
}

// layersOf returns the layers that contain nodes of the set, data movement next to these nodes, or
// nodes that are never lowered.
func (n *network) layersOf(k keep) []string {
	if len(k) == 0 {
		return nil
	}
	lowered, follow := n.lowered(k), n.followers(k)
	var names []string
	for i := range n.nodes {
		l := &n.nodes[i]
		reaches := func(name string) bool {
			return slices.ContainsFunc(n.leaves[name], func(at int) bool { return k[at] })
		}
		stays := l.role == fixed && len(l.makes) > 0 && !n.settled[l.makes[0]]
		if k[i] || stays || slices.Contains(follow, i) ||
			l.role == moves && !lowered[i] && slices.ContainsFunc(l.makes, reaches) {
			names = append(names, n.told[i]...)
		}
	}
	return names
}
