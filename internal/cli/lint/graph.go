package lint

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// graph holds the parts of a model's graph that the rules need.
type graph struct {
	nodes   []loaders.Node
	names   []string // names of the nodes; generated for unnamed ones
	inputs  []loaders.Value
	outputs []loaders.Value
	weights []loaders.Initializer

	repeated bool // an output is listed more than once; set by rules
}

// read reads the graph. It returns an error if the graph is invalid.
func read(m *loaders.Model) (g graph, _ error) {
	var wrong [4]error
	g.nodes, wrong[0] = m.Nodes()
	g.inputs, wrong[1] = m.Inputs()
	g.outputs, wrong[2] = m.Outputs()
	g.weights, wrong[3] = m.Initializers()
	if err := cmp.Or(wrong[:]...); err != nil {
		return g, err
	}
	for i, n := range g.nodes {
		g.names = append(g.names, cmp.Or(n.Name, fmt.Sprintf("polygraphy_unnamed_node_%d", i)))
	}
	return g, nil
}

// rules adds an entry to the report for each violation of ONNX's rules about names and the order of
// nodes.
func (g *graph) rules(head loaders.Head, r *Report) {
	if head.IRVersion == 0 {
		r.add(Exception, Checker, "the model has no IR version")
	}
	if len(head.Opsets) == 0 {
		r.add(Exception, Checker, "the model imports no operator set")
	}
	if head.Graph == "" {
		r.add(Exception, Checker, "the graph has no name")
	}
	places, later := map[string][]string{}, map[string]bool{}
	for i, n := range g.nodes {
		places[g.names[i]] = append(places[g.names[i]], fmt.Sprint(i))
		for _, out := range n.Outputs {
			later[out] = true
		}
	}
	for i, name := range g.names {
		if at := places[name]; len(at) > 1 && at[0] == fmt.Sprint(i) {
			r.add(Exception, GraphSurgeon, fmt.Sprintf("%d nodes have this name, at the "+
				"indices %s", len(at), strings.Join(at, ", ")), name)
		}
	}
	made := map[string]string{} // what defines each tensor
	for _, w := range g.weights {
		if made[w.Name] != "" {
			r.add(Exception, Checker, fmt.Sprintf("two weights are named %q", w.Name))
		}
		made[w.Name] = "a weight"
	}
	inputs := map[string]bool{}
	for _, v := range g.inputs {
		switch {
		case v.Name == "":
			r.add(Exception, Checker, "an input has no name")
		case inputs[v.Name]:
			r.add(Exception, Checker, fmt.Sprintf("two inputs are named %q", v.Name))
		}
		if v.Kind == loaders.Untyped {
			r.add(Exception, Checker, fmt.Sprintf("input %q has no type", v.Name))
		}
		inputs[v.Name], made[v.Name] = true, "an input"
	}
	for i, n := range g.nodes {
		for _, in := range reads(n) {
			switch {
			case made[in] != "":
			case later[in]:
				r.add(Exception, Checker, fmt.Sprintf("it reads %q, which a later node computes: sort the "+
					"nodes with modelparity surgeon sanitize --toposort", in), g.names[i])
			default:
				r.add(Exception, Checker, fmt.Sprintf("it reads %q, which no node, input or weight "+
					"defines", in), g.names[i])
			}
		}
		for _, out := range n.Outputs {
			if by := made[out]; out != "" && by != "" {
				r.add(Exception, Checker, fmt.Sprintf("it computes %q, but %s already has that name", out, by),
					g.names[i])
			}
			made[out] = "an output of " + g.names[i]
		}
	}
	given := map[string]bool{}
	for _, v := range g.outputs {
		switch {
		case given[v.Name]: // ONNX's checker accepts it
			g.repeated = true
			r.add(Warning, GraphSurgeon, fmt.Sprintf("the graph lists the output %q more than once: "+
				"modelparity cannot run such a model", v.Name))
		case made[v.Name] == "":
			r.add(Exception, Checker, fmt.Sprintf("no node computes the output %q", v.Name))
		}
		given[v.Name] = true
	}
}

// mismatches adds an entry to the report for each output whose declared shape differs from its
// shape in the run.
func (g graph) mismatches(outputs *tensor.Set, engine Source, r *Report) {
	for _, v := range g.outputs {
		t, ok := outputs.Get(v.Name)
		if ok && contradict(v, declared(v.Name, t)) {
			r.add(Warning, engine, fmt.Sprintf("the declaration of output %v is wrong: its shape is %v", v,
				t.Shape()))
		}
	}
}

// contradictions adds an entry to the report for each tensor inside the graph whose declared shape
// contradicts the shape that ONNX Runtime infers without these declarations. It adds none if ONNX
// Runtime cannot infer shapes, for example because it lacks an operator.
func (g graph) contradictions(ctx context.Context, m *loaders.Model, r *Report) error {
	var names []string
	for _, n := range g.nodes {
		names = append(names, n.Outputs...)
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(g.outputs, func(v loaders.Value) bool { return v.Name == name })
	})
	said, err := m.Declared(names...)
	if err != nil || len(said) == 0 {
		return err
	}
	bare, err := edit.WithInputShapes(m, nil) // without the declarations
	if err != nil {
		return err
	}
	inferred := map[string]loaders.Value{}
	if full, err := edit.InferShapes(ctx, bare, ort.EditEngine()); err == nil {
		if inferred, err = full.Declared(names...); err != nil {
			return err
		}
	}
	for _, name := range names {
		if v, other := said[name], inferred[name]; contradict(v, other) {
			r.add(Warning, "onnxruntime", fmt.Sprintf("the declaration of %v is wrong: ONNX Runtime "+
				"infers %v", v, other))
		}
	}
	return context.Cause(ctx)
}

// contradict reports whether no tensor can have the shapes of both declarations.
func contradict(a, b loaders.Value) bool {
	return a.HasShape && b.HasShape && !slices.EqualFunc(a.Dims, b.Dims,
		func(a, b loaders.Dim) bool { return a.Dynamic() || b.Dynamic() || a.Size == b.Size })
}

// unused adds an entry to the report for each input or node that does not affect any output. The
// nodes may be in any order.
func (g graph) unused(r *Report) {
	makers := map[string][]int{} // by output
	for i, n := range g.nodes {
		for _, out := range n.Outputs {
			makers[out] = append(makers[out], i)
		}
	}
	needed, used := map[string]bool{}, make([]bool, len(g.nodes))
	var need func(name string)
	need = func(name string) {
		if needed[name] {
			return
		}
		needed[name] = true
		for _, i := range makers[name] {
			used[i] = true
			for _, in := range reads(g.nodes[i]) {
				need(in)
			}
		}
	}
	for _, v := range g.outputs {
		need(v.Name)
	}
	for _, v := range g.inputs {
		if !needed[v.Name] {
			r.add(Warning, GraphSurgeon, fmt.Sprintf(
				"input %q does not affect the outputs and can be removed", v.Name))
		}
	}
	for i, is := range used {
		if !is {
			r.add(Warning, GraphSurgeon, "it does not affect the outputs and can be removed",
				g.names[i])
		}
	}
}

// reads returns the names of all tensors that a node reads.
func reads(n loaders.Node) []string {
	return slices.DeleteFunc(slices.Concat(n.Inputs, n.Captured),
		func(name string) bool { return name == "" })
}
