package pairing

import (
	"slices"

	"github.com/modelparity/modelparity/internal/describe"
)

// forward pairs the results of two steps (see [step]) if the steps have the same class and their
// inputs are paired.
func (m *matching) forward() {
	for _, s := range m.aSteps {
		if m.done[s] != nil {
			continue
		}
		var best *step
		most := -1.0
		for _, o := range m.eSteps {
			if o.class != s.class || m.done[o] != nil || !m.feeds(s, o) {
				continue
			}
			if score := m.score(s, o); score > most {
				best, most = o, score
			}
		}
		if best != nil {
			m.match(s, best)
		}
	}
}

// feeds reports whether the inputs of the two steps are paired. The order of the inputs does not
// matter, because exporters write the operands of an Add in different orders.
func (m *matching) feeds(s, o *step) bool {
	if len(s.inputs) != len(o.inputs) {
		return false
	}
	left := slices.Clone(o.inputs)
	for _, a := range s.inputs {
		at := slices.IndexFunc(left, func(e string) bool { return m.paired(a, e) })
		if at < 0 {
			return false
		}
		left = slices.Delete(left, at, at+1)
	}
	return true
}

// score returns how similar two steps are. It returns -1 if their results have different shapes.
func (m sides) score(s, o *step) float64 {
	a, e := m.results(s, o)
	if a == "" {
		return -1
	}
	score := 2 * m.likeness(a, e)
	if s.node.SortedAttributes() == o.node.SortedAttributes() {
		score += 2
	}
	if sameWeights(m.a.weights(s.node), m.e.weights(o.node)) {
		score += 4
	}
	if len(s.stages) == len(o.stages) {
		score++
	}
	if s.node.Name != "" && s.node.Name == o.node.Name || a == e {
		score += 3
	}
	return score
}

// results returns the names of two results of the same shape, one from each of two steps, or empty
// names if there are none.
func (m sides) results(s, o *step) (a, e string) {
	for _, a := range s.last() {
		for _, e := range o.last() {
			if m.sameShape(a, e) {
				return a, e
			}
		}
	}
	return "", ""
}

// match pairs the results of two steps (see [step]). If both steps have the same number of stages,
// it also pairs their intermediate tensors.
func (m *matching) match(s, o *step) {
	m.done[s], m.done[o] = o, s
	stages := len(s.stages)
	if stages == len(o.stages) {
		for k := range stages - 1 {
			m.stage(s.stages[k], o.stages[k])
		}
	}
	m.stage(s.last(), o.last())
	for k := 1; k < min(len(s.node.Outputs), len(o.node.Outputs)); k++ {
		m.stage(s.node.Outputs[k:k+1], o.node.Outputs[k:k+1])
	}
}

// stage pairs the tensors of two stages (see [step]). All tensors of a stage are equal up to
// rounding and layout. Each actual tensor is therefore paired with any expected tensor of the same
// shape, preferably one from an operator of the same class.
func (m *matching) stage(actual, expected []string) {
	for _, a := range actual {
		if a == "" {
			continue
		}
		best, alike := "", false
		for _, e := range expected {
			if e == "" {
				continue
			}
			if e = m.unfolded(a, e); !m.sameShape(a, e) {
				continue
			}
			if same := m.sameOp(a, e); best == "" || same && !alike {
				best, alike = e, same
			}
		}
		if best != "" {
			m.add(a, best, Structure)
		}
	}
}

// unfolded returns the expected counterpart of tensor a, which is usually the expected tensor e. If
// e is the input of a Relu or Clip that the actual side has folded into a quantizer's range, the
// counterpart is the result of the Relu or Clip.
func (m sides) unfolded(a, e string) string {
	q := m.a.Integers.quantizedTo(a)
	if !q.clips(m.e.Sketches[e]) || len(m.e.readers[e]) != 1 {
		return e
	}
	n := &m.e.Nodes[m.e.readers[e][0]]
	if n.Op != "Relu" && n.Op != "Clip" || q.clips(m.e.Sketches[n.Outputs[0]]) {
		return e
	}
	return n.Outputs[0]
}

// backward pairs steps (see [step]) from the outputs back to the inputs. For each matched step, it
// matches the steps that compute its inputs, if exactly one step on the other side fits.
func (m *matching) backward() {
	aMade, eMade := makers(m.aSteps), makers(m.eSteps)
	for _, a := range m.a.Outputs {
		if s, o := aMade[m.a.root(a)], eMade[m.e.root(m.of[a].Expected)]; m.fits(s, o) {
			m.match(s, o)
		}
	}
	for i := len(m.aSteps) - 1; i >= 0; i-- {
		s := m.aSteps[i]
		o := m.done[s]
		if o == nil {
			continue
		}
		for _, a := range s.inputs {
			var fit []*step
			for _, e := range o.inputs {
				if m.fits(aMade[a], eMade[e]) {
					fit = append(fit, eMade[e])
				}
			}
			if fit = slices.Compact(fit); len(fit) == 1 {
				m.match(aMade[a], fit[0])
			}
		}
	}
}

// keeps is the set of operators that pass a value through with its shape unchanged, up to rounding.
var keeps = map[string]bool{"Identity": true, "Cast": true, "Dropout": true,
	"QuantizeLinear": true, "DequantizeLinear": true}

// reshapes is the set of operators that pass all elements through in the same order.
var reshapes = map[string]bool{"Reshape": true, "Flatten": true, "Squeeze": true, "Unsqueeze": true,
	"Identity": true}

// Reshapes reports whether an operator passes all elements through in the same order.
func Reshapes(op string) bool { return reshapes[op] }

// Carries reports whether an operator passes on the values of its input, up to rounding.
func Carries(op string) bool { return keeps[op] || reshapes[op] }

// carried looks at the actual tensors that have no counterpart yet. If such a tensor is a mere
// copy, cast, quantization or reshape of an earlier tensor, and the expected side makes the same
// copy, its counterpart is that copy. If the expected side makes no such copy, the tensor gets the
// earlier tensor's counterpart. The actual node that makes the copy can then be tested alone,
// because its input and its result both have expected values.
func (m *matching) carried() {
	taken := m.taken()
	for _, a := range m.a.Computed() {
		n := m.a.Made(a)
		s := m.a.Sketches[a]
		_, paired := m.of[a]
		if paired || s == nil || n.Outputs[0] != a || len(n.Inputs) == 0 ||
			!reshapes[n.Op] && !(keeps[n.Op] && s.Type.IsFloat()) {
			continue
		}
		if e := m.copied(a, n, taken); e != "" {
			taken[e] = true
			m.add(a, e, Structure)
			continue
		}
		from, flat := a, false
		for n != nil && (keeps[n.Op] || reshapes[n.Op]) && n.Outputs[0] == from && !paired {
			from, flat = n.Inputs[0], flat || reshapes[n.Op]
			n = m.a.Made(from)
			paired = m.repeat(a, from, flat)
		}
	}
}

// copied returns the result of an expected node that has the same operator as n and reads the
// counterpart of n's input. The result is not in taken, and has the shape of a, which is n's
// result. Of several such results, the one with the same name as a wins.
func (m *matching) copied(a string, n *describe.Node, taken map[string]bool) (best string) {
	from := m.of[n.Inputs[0]].Expected
	for _, i := range m.e.readers[from] {
		o := &m.e.Nodes[i]
		if o.Op != n.Op || o.Inputs[0] != from || taken[o.Outputs[0]] || !m.sameShape(a, o.Outputs[0]) {
			continue
		}
		if best == "" || o.Outputs[0] == a {
			best = o.Outputs[0]
		}
	}
	return best
}

// repeat pairs tensor a with the expected tensor that is already paired with other. Both a and
// other are actual tensors, and they have the same elements. flat says whether a node between other
// and a may change the shape. repeat returns false if other has no counterpart, or if the shapes do
// not fit.
func (m *matching) repeat(a, other string, flat bool) bool {
	p, paired := m.of[other]
	s, t := m.a.Sketches[a], m.e.Sketches[p.Expected]
	if !paired || !m.e.data[p.Expected] || s == nil || t == nil {
		return false
	}
	again := Pair{Actual: a, Expected: p.Expected, By: Structure, Again: true,
		Reshaped: !s.Shape.Equal(t.Shape)}
	if again.Reshaped && !(flat || p.Reshaped) || s.Elements != t.Elements {
		return false
	}
	m.of[a] = again
	return true
}

// inPlace pairs steps (see [step]) of different classes, because one operator may have replaced the
// other. It pairs a step with the only remaining step of the expected side that has the same inputs
// and a result of the same shape. But it pairs no result twice: if the expected side has fused an
// Add and a LayerNormalization, the result of the fused node is already paired with the
// LayerNormalization's, and the Add stays without a counterpart.
func (m *matching) inPlace() {
	taken := m.taken()
	for _, s := range m.aSteps {
		if m.done[s] != nil {
			continue
		}
		var fit []*step
		for _, o := range m.eSteps {
			a, e := m.results(s, o)
			free := a != "" && (!taken[e] || m.of[a].Expected == e)
			if m.done[o] == nil && free && m.feeds(s, o) {
				fit = append(fit, o)
			}
		}
		if len(fit) == 1 {
			m.match(s, fit[0])
		}
	}
}

// taken returns the expected tensors that are in pairs.
func (m *matching) taken() map[string]bool {
	taken := map[string]bool{}
	for _, p := range m.of {
		taken[p.Expected] = true
	}
	return taken
}

// fits reports whether two steps (see [step]) may correspond. A step that is already matched does
// not fit.
func (m *matching) fits(s, o *step) bool {
	return s != nil && o != nil && m.done[s] == nil && m.done[o] == nil && s.class == o.class &&
		len(s.inputs) == len(o.inputs) && m.score(s, o) >= 0
}

// makers maps every tensor in the stages of the given steps to the step that computes it.
func makers(steps []*step) map[string]*step {
	by := map[string]*step{}
	for _, s := range steps {
		for _, stage := range s.stages {
			for _, name := range stage {
				by[name] = s
			}
		}
	}
	return by
}
