// Package lint checks whether an ONNX model follows ONNX's rules and whether it runs, like
// Polygraphy's `check lint`.
package lint

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/genai"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/guesses"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Check checks the ONNX model of s: whether it loads, follows ONNX's rules, and runs on the
// first iteration of the inputs. If the model does not run, Check runs each node separately, with
// the results of earlier nodes as its inputs. It skips nodes that depend on a failing node.
// Branches that these inputs do not take remain unchecked.
//
// An unknown operator in a custom domain is a warning, as in Polygraphy, even if the model does not
// import the domain. So is a wrong declared shape, because engines ignore it. A report with only
// warnings is valid, although the model does not run without a custom operator's library. Problems
// of the model are listed in the report. Check itself returns an error only if the file or the
// engine is missing or unusable, or if the inputs cannot be created.
func Check(ctx context.Context, s backends.Subject) (*Report, error) {
	r := &Report{Summary: Summary{Passing: []string{}, Failing: []string{}},
		Entries: []Entry{}}
	model, err := backends.ONNX("lint", s.Model)
	if err != nil {
		return nil, err
	}
	g, err := read(model)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, err
	case err != nil:
		r.add(Exception, Loader, err.Error())
		return r, nil
	case len(g.nodes) == 0:
		r.add(Warning, Loader, "the model has no nodes")
		return r, nil
	}
	head, err := model.Head()
	if err != nil {
		return nil, err
	}
	g.rules(head, r)
	sound := r.Valid()
	inputs, err := first(s.Inputs)
	switch {
	case err != nil && sound:
		return nil, err
	case err != nil: // there are no inputs, as the report says
		g.unused(r)
		return r, nil
	}
	engine := Source(strings.Fields(s.Engine.String())[0])
	ctx = guesses.Context(ctx, s.Inputs.Notes())
	run, whole := backends.RunIn(ctx, s.Engine, model, fixtures.Of(inputs))
	var absent *backends.Missing
	switch {
	case errors.As(whole, &absent) || ctx.Err() != nil,
		slices.ContainsFunc(unusable, func(engine error) bool { return errors.Is(whole, engine) }):
		return nil, whole
	case whole == nil:
		for _, name := range g.names {
			r.pass(name)
		}
		g.mismatches(run.Outputs()[0], engine, r)
		if err := g.contradictions(ctx, model, r); err != nil {
			return nil, err
		}
	default:
		l := linting{ctx: ctx, engine: s.Engine, source: engine, model: model, graph: g, report: r}
		if err := l.nodes(inputs); err != nil {
			return nil, err
		}
		said := func(e Entry) bool { return e.Source == engine }
		if !slices.ContainsFunc(r.Entries, said) {
			if sound && !g.repeated {
				r.add(Exception, engine, whole.Error()) // no single node explains the failure
			}
		} else if guessed := guesses.Text(ctx, whole, nil); guessed != "" {
			r.add(Warning, engine, strings.TrimLeft(guessed, ";\n "))
		}
	}
	g.unused(r)
	return r, nil
}

// unusable lists errors of engines. Each error says that an engine's library cannot be used.
var unusable = []error{ort.ErrNoLibrary, openvino.ErrNoLibrary, tract.ErrNoLibrary,
	genai.ErrNoLibrary}

func first(in fixtures.Inputs) (*tensor.Set, error) {
	for set, err := range in.All() {
		return set, err
	}
	return nil, backends.ErrNoInputs
}

// linting holds the state of running a model node by node.
type linting struct {
	ctx    context.Context
	engine backends.Engine
	source Source
	model  *loaders.Model
	graph  graph
	report *Report

	values map[string]*tensor.Tensor // values of tensors that depend on the inputs
	live   map[string]bool           // tensors that depend on the inputs
	left   map[string]int            // number of nodes that have yet to read a tensor
}

// nodes runs each node for which the values of all inputs are known.
func (l *linting) nodes(inputs *tensor.Set) error {
	l.values, l.live, l.left = map[string]*tensor.Tensor{}, map[string]bool{}, map[string]int{}
	for name, t := range inputs.All() {
		l.values[name] = t
	}
	for _, v := range l.graph.inputs {
		l.live[v.Name] = true
	}
	for _, n := range l.graph.nodes {
		for _, in := range reads(n) {
			l.left[in]++
		}
	}
	for i, n := range l.graph.nodes {
		if l.ctx.Err() != nil {
			return context.Cause(l.ctx)
		}
		l.node(i, n)
		for _, in := range reads(n) {
			if l.left[in]--; l.left[in] == 0 {
				delete(l.values, in)
			}
		}
	}
	return nil
}

// node runs one node and reports the result.
func (l *linting) node(i int, n loaders.Node) {
	var given []loaders.Value
	known := true
	for _, in := range reads(n) {
		if !l.live[in] {
			continue // it depends only on weights, which the cut part contains
		}
		t, ok := l.values[in]
		if known = known && ok; ok {
			given = append(given, declared(in, t))
		}
	}
	var outputs []loaders.Value
	for _, out := range n.Outputs {
		if out != "" {
			outputs = append(outputs, loaders.Value{Name: out})
			l.live[out] = l.live[out] || len(given) > 0 || !known
		}
	}
	if !known || len(outputs) == 0 {
		return
	}
	name := l.graph.names[i]
	set, err := l.run(given, outputs)
	if err != nil {
		level := Exception
		if isCustom(n) && slices.ContainsFunc(unknown, func(words string) bool {
			return strings.Contains(err.Error(), words)
		}) {
			level = Warning
		}
		l.report.add(level, l.source, err.Error(), name)
		for _, out := range outputs {
			l.live[out.Name] = true // the tensor exists, but its value is not known
		}
		return
	}
	l.report.pass(name)
	for out, t := range set.All() {
		if l.live[out] {
			l.values[out] = t
		}
	}
}

// isCustom reports whether a node's operator is outside ONNX's own domain.
func isCustom(n loaders.Node) bool { return n.Domain != "" && n.Domain != "ai.onnx" }

// unknown lists phrases by which ONNX Runtime's messages about unknown operators can be recognized.
var unknown = []string{"No opset import for domain", "is not a registered function/op",
	"No Op registered for", "is not known"}

// run cuts out the part of the model that computes the given outputs from the given tensors, and
// runs it.
func (l *linting) run(given, outputs []loaders.Value) (*tensor.Set, error) {
	part, err := l.model.Cut(given, outputs)
	if err != nil {
		return nil, err
	}
	needed, err := part.Inputs()
	if err != nil {
		return nil, err
	}
	var entries []tensor.Entry
	for _, v := range needed {
		entries = append(entries, tensor.Entry{Name: v.Name, Tensor: l.values[v.Name]})
	}
	set, err := tensor.NewSet(entries...)
	if err != nil {
		return nil, err
	}
	run, err := backends.RunPart(l.ctx, l.engine, part, fixtures.Of(set))
	if err != nil {
		return nil, err
	}
	return run.Outputs()[0], nil
}

// declared returns a declaration for the tensor t, so that it can be an input of a part of the
// model.
func declared(name string, t *tensor.Tensor) loaders.Value {
	v := loaders.Value{Name: name, Kind: loaders.Tensor, Type: t.ElementType(), HasShape: true}
	for _, size := range t.Shape() {
		v.Dims = append(v.Dims, loaders.Dim{Size: size})
	}
	return v
}
