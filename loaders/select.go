package loaders

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/internal/wildcard"
)

// Selection selects tensors of a graph. Names and operators are exact names, or wildcards as in
// Python's fnmatch. Except and ExceptOps exclude tensors that the other fields select.
type Selection struct {
	All       bool     // every tensor that a node computes
	Names     []string // tensors with these names; inputs and initializers need exact names
	Ops       []string // every output of these operators, such as "Conv" or "*norm*"; case is ignored
	Except    []string // excludes these tensors
	ExceptOps []string // excludes the outputs of these operators
}

// Select lists the selected tensors in graph order, for [Model.Mark]:
//
//	names, err := model.Select(loaders.Selection{All: true, ExceptOps: []string{"Shape"}})
//
// Outputs of Constant and ConstantOfShape are omitted unless named exactly: they are weights, which
// would only waste memory. It is an error if a name, pattern or operator matches nothing, also in
// Except and ExceptOps, or if the selection is empty.
func (m *Model) Select(s Selection) ([]string, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	if !s.All && len(s.Names)+len(s.Ops) == 0 {
		return nil, m.file.Located(errors.New(
			"the selection is empty; set All, or pass names or operators"))
	}
	c := chooser{
		names: wildcard.CompileAll(s.Names), ops: wildcard.CompileOps(s.Ops),
		except: wildcard.CompileAll(s.Except), exceptOps: wildcard.CompileOps(s.ExceptOps),
	}
	selected := c.outside(m, s)
	err := m.file.EachNode(func(_ int, n *onnxwire.Node, _ *onnxwire.Reader) {
		if !slices.Contains(c.graph, n.Op) {
			c.graph = append(c.graph, n.Op)
		}
		weight := onnxfile.IsONNX(n.Domain) && (n.Op == "Constant" || n.Op == "ConstantOfShape")
		op := strings.ToLower(n.Op)
		byOp, notOp := c.ops.Match(op), c.exceptOps.Match(op)
		for _, name := range n.Outputs {
			if name == "" {
				continue
			}
			byName, notName := c.names.Match(name), c.except.Match(name)
			wanted := !weight && (s.All || byOp || byName) || slices.Contains(s.Names, name)
			if wanted && !notOp && !notName {
				selected = append(selected, name)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if err := c.unmatched(m); err != nil {
		return nil, err
	}
	switch {
	case len(selected) == 0 && len(s.Except)+len(s.ExceptOps) == 0:
		return nil, m.file.Located(errors.New("the graph has no nodes that compute tensors from its " +
			"inputs, so there is nothing to mark as an output"))
	case len(selected) == 0:
		return nil, m.file.Located(errors.New("every selected tensor is also excluded"))
	}
	return selected, nil
}

// selectOutputs returns the model's outputs, in declared order, except those that a pattern
// matches. A pattern may match nothing, but excluding every output is an error.
func (m *Model) selectOutputs(except ...string) ([]string, error) {
	outputs, err := m.Outputs()
	if err != nil {
		return nil, err
	}
	leave := wildcard.CompileAll(except)
	var names []string
	for _, output := range outputs {
		if !leave.Match(output.Name) {
			names = append(names, output.Name)
		}
	}
	if len(names) == 0 {
		return nil, m.file.Located(fmt.Errorf("excluding %s leaves no outputs",
			strings.Join(except, ", ")))
	}
	return names, nil
}

// Marked returns the model with the selected tensors as additional outputs. wanted contains the
// names of the outputs that a run should keep. If the selection contains only exceptions, wanted
// contains the model's own outputs without these exceptions. For an empty selection, wanted is nil,
// which keeps all outputs.
func (m *Model) Marked(s Selection) (marked *Model, wanted []string, err error) {
	switch {
	case s.All || len(s.Names)+len(s.Ops) > 0:
		if wanted, err = m.Select(s); err != nil {
			return nil, nil, err
		}
		marked, err = m.Mark(wanted...)
		return marked, wanted, err
	case len(s.Except) > 0:
		wanted, err = m.selectOutputs(s.Except...)
		return m, wanted, err
	}
	return m, nil, nil
}

// chooser collects the tensors that one selection matches.
type chooser struct {
	names, ops, except, exceptOps wildcard.List

	graph []string // the graph's operators, each once, in graph order
}

// outside lists the selected inputs and initializers, which must be named exactly.
func (c *chooser) outside(m *Model, s Selection) []string {
	var selected []string
	see := func(name string) {
		named, not := slices.Contains(s.Names, name), c.except.Match(name)
		if named {
			c.names.Match(name)
		}
		if named && !not && !slices.Contains(selected, name) {
			selected = append(selected, name)
		}
	}
	graph := &m.file.Structure.Graph
	for i := range graph.Inputs {
		see(graph.Inputs[i].Name)
	}
	for i := range graph.Initializers {
		see(graph.Initializers[i].Name)
	}
	return selected
}

// unmatched returns an error for the first pattern of the selection that matches nothing, or nil.
func (c *chooser) unmatched(m *Model) error {
	for _, list := range []wildcard.List{c.names, c.except} {
		for _, p := range list {
			if !p.Seen {
				return m.unmarkable(p.String())
			}
		}
	}
	for _, list := range []wildcard.List{c.ops, c.exceptOps} {
		for _, p := range list {
			if !p.Seen {
				return m.file.Located(fmt.Errorf("no operator %q in the graph; it has %s", p.Said,
					names.Join(c.graph)))
			}
		}
	}
	return nil
}
