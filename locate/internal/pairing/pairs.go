package pairing

import (
	"cmp"
	"math"
	"slices"

	"github.com/modelparity/modelparity/internal/names"
)

// By is the kind of evidence on which two tensors were paired.
type By string

// The kinds of evidence, which the package documentation explains.
const (
	Name      By = "name"
	Structure By = "structure"
	Values    By = "values"
	// Interface means that both tensors are inputs of the models, or both are outputs. Such tensors
	// are paired by name or else by position.
	Interface By = "interface"
)

// Pair is a tensor of the actual side and the corresponding tensor of the expected side.
type Pair struct {
	Actual, Expected string
	By               By
	// Again is true if a node of the actual side merely passes the value on, and the expected side
	// lacks that node. Expected is then the counterpart of the node's input as well as of its output.
	Again bool
	// Reshaped is true if the two tensors have the same elements in the same order, but different
	// shapes.
	Reshaped bool
}

// sides contains the two graphs to compare: a is the actual one, and e the expected one.
type sides struct{ a, e *Graph }

// matching is the state of a call of Match.
type matching struct {
	sides
	of     map[string]Pair            // by actual tensor
	roots  map[string]map[string]bool // roots of actual tensors to roots of their counterparts
	aSteps []*step
	eSteps []*step
	done   map[*step]*step // maps matched steps of either side to each other
}

// Largest distances at which two tensors still count as the same, depending on the coarsest type in
// either model. They are far above rounding errors, so that a small fault does not prevent a match,
// and far below √2, the typical distance of unrelated tensors.
const (
	nearFloat32   = 1e-2
	nearFloat16   = 0.1
	nearQuantized = 0.35
)

// Match pairs the tensors of two graphs. Both graphs' summaries of tensors ([Sketch]) must come
// from the same inputs. Match pairs the graphs' inputs and outputs by name. The inputs whose names
// do not match are paired by position if both sides have the same number of them, and the outputs
// likewise. The result maps the names of the actual side's computed tensors to their pairs.
func Match(actual, expected *Graph) map[string]Pair {
	m := &matching{sides: sides{actual, expected}, of: map[string]Pair{},
		roots: map[string]map[string]bool{}, done: map[*step]*step{},
		aSteps: stepsOf(actual), eSteps: stepsOf(expected)}
	m.ends(actual.Inputs, expected.Inputs)
	m.ends(actual.Outputs, expected.Outputs)
	m.byValues()
	for range 3 {
		m.forward()
		m.backward()
	}
	m.align()
	m.forward()
	m.inPlace()
	m.forward()
	m.carried()
	for _, name := range actual.Inputs {
		delete(m.of, name) // no node computes the inputs
	}
	return m.of
}

// ends pairs the models' inputs, or their outputs, by name. Those whose names do not match are
// paired by position if both sides have the same number of them.
func (m *matching) ends(actual, expected []string) {
	pairs := names.Pairs(nil, true, actual, expected)
	for _, a := range actual {
		if e := cmp.Or(pairs[a], a); slices.Contains(expected, e) {
			m.add(a, e, Interface)
		}
	}
}

// add pairs two tensors unless the actual tensor already has a counterpart.
func (m *matching) add(actual, expected string, by By) {
	if _, taken := m.of[actual]; taken {
		return
	}
	m.of[actual] = Pair{Actual: actual, Expected: expected, By: by}
	root := m.a.root(actual)
	if m.roots[root] == nil {
		m.roots[root] = map[string]bool{}
	}
	m.roots[root][m.e.root(expected)] = true
}

// paired reports whether there is a pair whose actual tensor has the root a and whose expected
// tensor has the root e; see [Graph.root].
func (m *matching) paired(a, e string) bool { return m.roots[a][e] }

// Near returns the largest distance at which an actual tensor may match the named expected tensor.
// In a float32 model, Near returns less if the expected graph contains another tensor with similar
// values. A residual network contains such tensors, because a block may change its input only a
// little.
func Near(actual, expected *Graph, name string) float64 {
	near := max(actual.nearness(), expected.nearness())
	if near > nearFloat32 {
		return near // rounding hides such small differences
	}
	return min(near, max(repeated, expected.apart(name)/4))
}

// repeated is the largest distance that rounding alone causes between two float32 tensors.
const repeated = 1e-5

// apart returns the distance between a tensor and the nearest other tensor of the same size. It
// ignores tensors that repeat the tensor's values up to rounding.
func (g *Graph) apart(name string) float64 {
	if g.next == nil {
		g.next = map[string]float64{}
	}
	next, known := g.next[name]
	if s := g.Sketches[name]; !known {
		next = math.Inf(1)
		for _, t := range g.Sketches {
			if d := s.Distance(t); d > repeated && t.Distinctive() {
				next = min(next, d)
			}
		}
		g.next[name] = next
	}
	return next
}

// nearness returns the largest distance at which two tensors still count as the same, for the types
// in the graph.
func (g *Graph) nearness() float64 {
	if g.near > 0 {
		return g.near
	}
	g.near = nearFloat32
	for _, s := range g.Sketches {
		if s.Type.IsFloat() && s.Type.Bits() < 32 {
			g.near = max(g.near, nearFloat16)
		}
	}
	if g.Integers.Used() {
		g.near = nearQuantized
	}
	return g.near
}
