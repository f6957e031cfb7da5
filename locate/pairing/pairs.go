package pairing

// By is how a pair was found.
type By string

// The kinds of evidence, see the package.
const (
	Name      By = "name"
	Structure By = "structure"
	Values    By = "values"
	// Interface is a model's own input or output, of the same name or else in the same place.
	Interface By = "interface"
)

// Pair is two tensors that are taken for the same.
type Pair struct {
	Actual, Expected string
	By               By
	// Again says that the actual side has the value more than once, behind a node that only carries it
	// on, and the expected side does not: the pair is that of what the node was given.
	Again bool
	// Reshaped says that the two have their elements in one order and different shapes.
	Reshaped bool
}

// Pairs is what was found for the tensors that the actual side's nodes compute.
type Pairs struct {
	of    map[string]Pair
	roots map[string]map[string]bool // roots of expected tensors by root of actual ones
}

// Of is the pair of an actual side's tensor.
func (p *Pairs) Of(actual string) (Pair, bool) {
	pair, ok := p.of[actual]
	return pair, ok
}

// matching is one run of Match.
type matching struct {
	*Pairs
	a, e   *Graph
	near   float64         // distance up to which values confirm
	firm   map[string]bool // actual tensors whose pair values confirm
	held   map[string]bool // expected tensors that are in a pair that values confirm
	aSteps []*step
	eSteps []*step
	done   map[*step]*step // matched steps, both ways
}

// The distance up to which two tensors are taken for the same, by the coarsest type that either
// model computes in: far above rounding, since a small fault must not hide what a tensor is, and
// far below √2, where unrelated tensors lie.
const (
	nearFloat32   = 1e-2
	nearFloat16   = 0.1
	nearQuantized = 0.35
)

// Match pairs the tensors of two graphs, whose sketches are of one set of inputs. Inputs and
// outputs are pairs by name, and by place where their names differ but not their number.
func Match(actual, expected *Graph) *Pairs {
	m := &matching{Pairs: &Pairs{of: map[string]Pair{}, roots: map[string]map[string]bool{}},
		a: actual, e: expected, near: nearness(actual, expected), firm: map[string]bool{},
		held: map[string]bool{}, done: map[*step]*step{},
		aSteps: actual.steps(), eSteps: expected.steps()}
	m.ends(actual.Inputs, expected.Inputs)
	m.ends(actual.Outputs, expected.Outputs)
	m.byValues()
	m.firmSteps()
	for range 3 {
		m.forward()
		m.backward()
	}
	m.align()
	m.forward()
	m.inPlace()
	m.forward()
	m.stages()
	m.carried()
	m.byNames()
	for _, name := range actual.Inputs {
		delete(m.of, name) // no node computes them
	}
	return m.Pairs
}

// ends pairs what the models are given, or give.
func (m *matching) ends(actual, expected []string) {
	for a, e := range Ends(actual, expected) {
		m.add(a, e, Interface)
	}
}

// Ends pairs two models' inputs, or their outputs: by name, and those that are left by their place
// where as many are left on either side.
func Ends(actual, expected []string) map[string]string {
	pairs := map[string]string{}
	known := map[string]bool{}
	for _, name := range expected {
		known[name] = true
	}
	var left []string
	for _, name := range actual {
		if known[name] {
			pairs[name] = name
			delete(known, name)
		} else {
			left = append(left, name)
		}
	}
	if len(left) != len(known) {
		return pairs
	}
	for _, name := range expected {
		if known[name] {
			pairs[left[0]] = name
			left = left[1:]
		}
	}
	return pairs
}

// add notes a pair, unless the actual tensor is in one.
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

// paired reports whether two roots carry paired tensors.
func (m *matching) paired(a, e string) bool { return m.roots[a][e] }

func nearness(graphs ...*Graph) float64 {
	near := nearFloat32
	for _, g := range graphs {
		near = max(near, g.nearness())
	}
	return near
}

func (g *Graph) nearness() float64 {
	near := nearFloat32
	for _, s := range g.Sketches {
		if s.Type.IsFloat() && s.Type.Bits() < 32 {
			near = max(near, nearFloat16)
		}
	}
	if g.Quantized() {
		near = nearQuantized
	}
	return near
}

// Near is the distance up to which two tensors of the graphs are taken for the same.
func Near(actual, expected *Graph) float64 { return nearness(actual, expected) }
