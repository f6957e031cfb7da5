package precision

import "fmt"

// marker finds how many of the first or last layers must run in the higher precision, by the same
// steps as `debug precision` of Polygraphy 0.53.6 (tools/debug/subtool/precision.py). It copies two
// quirks of that command: a bisection never tries zero layers, and a bisection fails if only all
// layers together suffice.
//
//	for !m.done {
//		from, to := m.between() // run these in the higher precision
//		m.step(passes)
//	}
//	count, found := m.found()
//
// The search assumes that raising the precision of more layers never makes the result worse.
type marker struct {
	linear, reverse   bool // see [Layers]
	layers            int
	marked, good, bad int
	steps             int
	done              bool
}

// newMarker starts a search over the given number of layers.
func newMarker(linear, reverse bool, layers int) (*marker, error) {
	if layers < 1 {
		return nil, fmt.Errorf("the model has %d layers: expected at least one", layers)
	}
	m := &marker{linear: linear, reverse: reverse, layers: layers, good: layers + 1}
	if !linear {
		m.marked = layers
	}
	return m, nil
}

// between returns the layers of the current step: from is included, to is excluded.
func (m *marker) between() (from, to int) { return ends(m.reverse, m.layers, m.marked) }

// ends returns a range of n layers, [from,to): the last ones if reverse is set, and the first ones
// otherwise.
func ends(reverse bool, layers, n int) (from, to int) {
	if reverse {
		return layers - n, layers
	}
	return 0, n
}

// step records whether the current step's layers passed.
func (m *marker) step(passes bool) {
	if m.done {
		return
	}
	m.steps++
	if m.linear {
		if passes {
			m.good, m.done = m.marked, true
			return
		}
		m.marked++
		m.done = m.marked > m.layers
		return
	}
	if passes {
		m.good = m.marked
		m.marked = (m.good + m.bad) / 2
	} else {
		m.bad = m.marked
		m.marked = (m.good + m.bad + 1) / 2
	}
	m.done = m.good-m.bad <= 1
}

// found returns the smallest number of layers that must run in the higher precision. ok is false if
// the search is not done or no number of layers passes. As in Polygraphy, ok is also false if a
// bisection finds that all layers are necessary.
func (m *marker) found() (layers int, ok bool) {
	if !m.done || m.good > m.layers || !m.linear && m.good >= m.layers {
		return 0, false
	}
	return m.good, true
}

// message returns the search's result in one line, in Polygraphy's format.
func (m *marker) message() string {
	layers, ok := m.found()
	if !ok {
		return "could not find a configuration that satisfied accuracy requirements"
	}
	which := "first"
	if m.reverse {
		which = "last"
	}
	return fmt.Sprintf("to achieve acceptable accuracy, try running the %s %d layer(s) in higher "+
		"precision", which, layers)
}
