package precision

import (
	"context"
	"fmt"
	"strings"
)

// Mode is how [Marker] goes through the numbers of layers.
type Mode string

// Direction is the end of the network from which [Marker] marks layers.
type Direction string

// The modes and directions of Polygraphy's `debug precision`, by its names.
const (
	Bisect Mode = "bisect" // a binary search, from all layers on
	Linear Mode = "linear" // one layer more each time, from none on

	Forward Direction = "forward" // the first layers
	Reverse Direction = "reverse" // the last layers
)

// ParseMode reads a mode's name, in any case.
func ParseMode(text string) (Mode, error) { return oneOf(text, "mode", Bisect, Linear) }

// ParseDirection reads a direction's name, in any case.
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

// Marker is the search of Polygraphy's `debug precision` for how many of the first or of the last
// layers must run in the higher precision, step by step as polygraphy 0.53.6 does it
// (tools/debug/subtool/precision.py), with its two peculiarities: a bisection never tries none of
// the layers, and one that ends at all of them counts as failed.
//
//	for m.Next() {
//		from, to := m.Layers() // run these in the higher precision
//		m.Step(passes)
//	}
//	count, found := m.Found()
//
// What the search assumes is that more layers are no worse.
type Marker struct {
	mode              Mode
	direction         Direction
	layers            int
	marked, good, bad int
	steps             int
	done              bool
}

// NewMarker starts a search over so many layers. Unknown modes and directions are errors, and so
// is a network without layers.
func NewMarker(mode Mode, direction Direction, layers int) (*Marker, error) {
	if _, err := ParseMode(string(mode)); err != nil {
		return nil, err
	}
	if _, err := ParseDirection(string(direction)); err != nil {
		return nil, err
	}
	if layers < 1 {
		return nil, fmt.Errorf("precision: there are %d layers to mark: want at least one", layers)
	}
	m := &Marker{mode: mode, direction: direction, layers: layers, good: layers + 1}
	if mode == Bisect {
		m.marked = layers
	}
	return m, nil
}

// Next reports whether there is a step to take.
func (m *Marker) Next() bool { return !m.done }

// Layers are the layers of this step, from the first index up to and without the second.
func (m *Marker) Layers() (from, to int) {
	if m.direction == Reverse {
		return m.layers - m.marked, m.layers
	}
	return 0, m.marked
}

// Step takes the result of the layers of this step.
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

// Steps is how many results were taken.
func (m *Marker) Steps() int { return m.steps }

// Remaining is how many steps there are at most.
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

// Found is how many layers were found to suffice. It is false before the end, where no number of
// layers passes, and where a bisection found that all are needed.
func (m *Marker) Found() (layers int, found bool) {
	if !m.done || m.good > m.layers || m.mode == Bisect && m.good >= m.layers {
		return 0, false
	}
	return m.good, true
}

// Message is the search's result in one line, as Polygraphy prints it.
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

// Run takes every step: passes says whether the layers from and up to and without to suffice. Its
// errors end the search.
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
