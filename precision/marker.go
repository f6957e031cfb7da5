package precision

import (
	"context"
	"fmt"
	"strings"
)

// Mode is the order in which [Marker] tries numbers of layers.
type Mode string

// Direction is the end of the network from which [Marker] marks layers.
type Direction string

// The modes and directions of Polygraphy's `debug precision`, with Polygraphy's names.
const (
	Bisect Mode = "bisect" // a binary search, starting with all layers
	Linear Mode = "linear" // one more layer each time, starting with none

	Forward Direction = "forward" // the first layers
	Reverse Direction = "reverse" // the last layers
)

// ParseMode parses a mode's name, ignoring case.
func ParseMode(text string) (Mode, error) { return oneOf(text, "mode", Bisect, Linear) }

// ParseDirection parses a direction's name, ignoring case.
func ParseDirection(text string) (Direction, error) {
	return oneOf(text, "direction", Forward, Reverse)
}

func oneOf[T ~string](text, what string, all ...T) (T, error) {
	for _, one := range all {
		if strings.EqualFold(text, string(one)) {
			return one, nil
		}
	}
	return "", fmt.Errorf("precision: unknown %s %q: want one of %v", what, text, all)
}

// Marker finds how many of the first or last layers must run in the higher precision, in the same
// steps as `debug precision` of polygraphy 0.53.6 (tools/debug/subtool/precision.py). It copies two
// quirks of that command: a bisection never tries zero layers, and a bisection that needs all
// layers counts as failed.
//
//	for m.Next() {
//		from, to := m.Layers() // run these in the higher precision
//		m.Step(passes)
//	}
//	count, found := m.Found()
//
// The search assumes that more layers in higher precision are never worse.
type Marker struct {
	mode              Mode
	direction         Direction
	layers            int
	marked, good, bad int
	steps             int
	done              bool
}

// NewMarker starts a search over the given number of layers. It returns an error for an unknown
// mode or direction and for fewer than one layer.
func NewMarker(mode Mode, direction Direction, layers int) (*Marker, error) {
	if _, err := ParseMode(string(mode)); err != nil {
		return nil, err
	}
	if _, err := ParseDirection(string(direction)); err != nil {
		return nil, err
	}
	if layers < 1 {
		return nil, fmt.Errorf("precision: %d layers to mark: want at least one", layers)
	}
	m := &Marker{mode: mode, direction: direction, layers: layers, good: layers + 1}
	if mode == Bisect {
		m.marked = layers
	}
	return m, nil
}

// Next reports whether another step is needed.
func (m *Marker) Next() bool { return !m.done }

// Layers returns the layers of the current step: from is included, to is excluded.
func (m *Marker) Layers() (from, to int) {
	if m.direction == Reverse {
		return m.layers - m.marked, m.layers
	}
	return 0, m.marked
}

// Step records whether the current step's layers passed.
func (m *Marker) Step(passes bool) {
	if m.done {
		return
	}
	m.steps++
	if m.mode == Linear {
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

// Steps returns the number of results so far.
func (m *Marker) Steps() int { return m.steps }

// Remaining returns the maximum number of steps left.
func (m *Marker) Remaining() int {
	switch {
	case m.done:
		return 0
	case m.mode == Linear:
		return m.layers - m.marked + 1
	}
	steps := 0
	for distance := m.good - m.bad; distance > 1; distance = (distance + 1) / 2 {
		steps++
	}
	return steps
}

// Found returns the number of layers that suffice. found is false if the search has not ended, if
// no number of layers passes, or if a bisection needs all layers.
func (m *Marker) Found() (layers int, found bool) {
	if !m.done || m.good > m.layers || m.mode == Bisect && m.good >= m.layers {
		return 0, false
	}
	return m.good, true
}

// Message returns the search's result in one line, in Polygraphy's format.
func (m *Marker) Message() string {
	layers, found := m.Found()
	if !found {
		return "could not find a configuration that satisfied accuracy requirements"
	}
	which := "first"
	if m.direction == Reverse {
		which = "last"
	}
	return fmt.Sprintf("to achieve acceptable accuracy, try running the %s %d layer(s) in higher "+
		"precision", which, layers)
}

// Run runs all steps. passes reports whether it suffices to run the layers in [from,to) in the
// higher precision. An error from passes ends the search.
func (m *Marker) Run(ctx context.Context,
	passes func(ctx context.Context, from, to int) (bool, error)) error {
	for m.Next() {
		from, to := m.Layers()
		ok, err := passes(ctx, from, to)
		if err != nil {
			return fmt.Errorf("precision: layers %d to %d in higher precision: %w", from, to, err)
		}
		m.Step(ok)
	}
	return nil
}
