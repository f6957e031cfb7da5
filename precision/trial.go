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
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/tensor"
)

// target names what must pass: the model in an engine, or the rounded model.
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

// floating counts the nodes that output floats.
func (n *network) floating() int {
	count := 0
	for i := range n.nodes {
		if len(n.nodes[i].makes) > 0 {
			count++
		}
	}
	return count
}

// trial is the result of checking a set of nodes. Margins contains each output's margin
// ([margins]). If both forms of the model ([form]) were checked, Margins contains the smaller of
// each output's two margins.
type trial struct {
	Margins []number `json:"margins"`
	Passes  bool     `json:"passes"`
	Reason  string   `json:"reason,omitempty"`

	report compare.Report
}

// try checks a set of nodes in each [form] of the model, and stops at the first form that fails. If
// the set of nodes was tried before, try returns the known result. If the engine rejects the form
// asDeployed, try checks only the form withCasts.
func (w *searching) try(ctx context.Context, kept []bool) (*trial, error) {
	name := key(kept)
	if t := w.tried[name]; t != nil {
		return t, nil
	}
	var all *trial
	for in := range form(w.formsToCheck()) {
		if in == asDeployed && size(kept) == len(kept) {
			break // the model to deploy is then the original
		}
		t, err := w.judge(ctx, kept, in)
		if err != nil {
			if in != asDeployed || ctx.Err() != nil {
				return nil, err
			}
			w.refused = true // saving the model reports the error
			w.say("%v rejects the model with casts, so that model is not verified: %v", w.opened.engine,
				err)
			break
		}
		if all != nil {
			t.Margins = slices.Clone(t.Margins) // the state keeps each form's own
			for o, m := range all.Margins {
				t.Margins[o] = min(t.Margins[o], m)
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

// judge checks a set of nodes in one form of the model, or returns the result from the state file.
func (w *searching) judge(ctx context.Context, kept []bool, in form) (*trial, error) {
	w.runs++
	name := strings.Repeat("+", w.grown) + key(kept)
	if t := w.recorded(name, in); t != nil {
		return t, nil
	}
	t, err := w.judged(ctx, kept, in)
	if err != nil {
		return nil, err
	}
	how := ""
	if in == asDeployed {
		how = " in the model to deploy"
	}
	w.say("%d of %d nodes in float32: %s%s", size(kept), len(kept), verdict(t.Passes), how)
	return t, w.state.judged(name, in, t)
}

// verdict is the word for a result.
func verdict(passes bool) string {
	if passes {
		return "passes"
	}
	return "fails"
}

// judged runs the model with a set of nodes in float32 and applies the rule to the outputs.
func (w *searching) judged(ctx context.Context, kept []bool, in form) (*trial, error) {
	outputs, err := w.run(ctx, kept, in)
	if err != nil {
		return nil, err
	}
	list, report, err := margins(w.names, outputs, w.expected, w.Rule)
	if err != nil {
		return nil, err
	}
	t := &trial{Margins: converted[number](list), Passes: report.Verdict == compare.Pass,
		Reason: report.Reason, report: report}
	if least := slices.Min(list); t.Passes && least < w.needs() && size(kept) < len(kept) {
		t.Passes, t.Reason = false, fmt.Sprintf("the model passes, but its margin is too small: it "+
			"would fail if all differences were %.3g times as large; with only %d sets of inputs, this "+
			"factor must be at least %.3g", least, len(w.inputs), w.needs())
	}
	return t, nil
}

// run runs the model with a set of nodes in float32.
func (w *searching) run(ctx context.Context, kept []bool, in form) ([]*tensor.Set, error) {
	begin := time.Now()
	to, err := w.keeping(kept, in)
	if err != nil {
		return nil, err
	}
	run, err := backends.RunIn(ctx, to.Engine, to.Model, fixtures.Of(w.inputs...))
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

// layered is the set of the operators in [moving] that every engine computes in a layer of its own.
// An engine can be told to keep such a layer in float32.
var layered = names.Words("Abs GlobalMaxPool Max MaxPool Min Neg ReduceMax ReduceMin Relu Where")

// named returns the names of the layers that an engine must keep in float32 for a set of nodes. If
// the engine did not report its layers, these are the names of the set's nodes, and of the nodes
// between them whose operator is in [layered].
func (n *network) named(kept []bool) ([]string, error) {
	if n.told != nil {
		return n.layersOf(kept), nil
	}
	follow := n.followers(kept)
	var names []string
	for i := range n.nodes {
		l := &n.nodes[i]
		switch {
		case n.isKept(kept, i) && l.Name == "":
			return nil, fmt.Errorf("node %d (%s with output %q) has no name, so an engine cannot be told "+
				"to keep it in float32; write a model with casts (-o, Repaired.Save)", i, l.Op, l.Outputs[0])
		case n.isKept(kept, i), slices.Contains(follow, i) && l.Name != "" && layered[l.Op]:
			names = append(names, l.Name)
		}
	}
	return names, nil
}

// layersOf returns the engine's layers that contain a kept node, a data-movement node next to a
// kept node, or a node that always stays in float32.
func (n *network) layersOf(kept []bool) []string {
	if size(kept) == 0 {
		return nil
	}
	lowered, follow := n.lowered(kept), n.followers(kept)
	var names []string
	for i := range n.nodes {
		l := &n.nodes[i]
		reaches := func(name string) bool {
			return slices.ContainsFunc(n.leaves[name], func(at int) bool { return n.isKept(kept, at) })
		}
		stays := l.role == fixed && len(l.makes) > 0 && !n.settled[l.makes[0]]
		if n.isKept(kept, i) || stays || slices.Contains(follow, i) ||
			l.role == moves && !lowered[i] && slices.ContainsFunc(l.makes, reaches) {
			names = append(names, n.told[i]...)
		}
	}
	return names
}
