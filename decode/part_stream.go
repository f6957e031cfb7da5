package decode

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// noBatch is the batch axis of an output that has none.
const noBatch = 1 << 30

// inFrame compares one frame of two streams. It returns the first state that differs. If all states
// agree, it returns the first output that differs, or nil if all outputs agree.
func (p *comparer) inFrame() (found *Parting, err error) {
	var states []string
	for _, output := range p.expected.Names() {
		at := place{cached: cached{Output: output, Layer: -1, Part: "output", Axis: -1,
			Batch: noBatch}, head: -1}
		isState := slices.ContainsFunc(p.of.States, func(s state) bool { return s.Output == output })
		if isState {
			at.Part = "state"
		}
		d, err := p.at(at, -1)
		if err != nil {
			return nil, err
		}
		if d == nil {
			continue
		}
		if isState {
			states = append(states, output)
		}
		if found == nil || isState && found.Part != "state" {
			found = d
		}
	}
	if found != nil {
		found.States = states
	}
	return found, nil
}

// streamText describes the first difference between two streams in one sentence.
func (p *Parting) streamText() string {
	text := fmt.Sprintf("the streams first differ at frame %d, in %s %q", p.Iteration, p.Part,
		p.Output)
	if p.Index != nil {
		text += fmt.Sprintf(" (%v: %s, expected %s)", tensor.Shape(p.Index), p.Actual, p.Expected)
	}
	text += ": " + p.Reason
	switch {
	case len(p.States) > 1:
		text += "; states that differ there: " + strings.Join(p.States, ", ")
	case len(p.States) == 0:
		text += "; the states agree there"
	}
	return text + "; " + p.Why
}

// values maps the name of each state's input to the state's value.
type values = map[string]*tensor.Tensor

// mistake is something that a program can do wrong with the states between two frames.
type mistake struct {
	text     string // "started with zeros instead of h"
	states   string // the inputs with wrong states, or "" if two states are exchanged
	returned bool   // the frame returns the wrong states, rather than starting with them
	// make returns the wrong states. right contains the correct states, and before the previous
	// frame's states.
	make func(right, before values) values
}

// mistakes lists the mistakes to try as explanations: lost, late and exchanged states.
func mistakes(of shape) (list []mistake) {
	add := func(text, states string, produce func(right, before values) values) {
		list = append(list, mistake{"started with " + text, states, false, produce},
			mistake{"returned " + text, states, true, produce})
	}
	groups := [][]state{of.States}
	if len(of.States) > 1 {
		groups = slices.AppendSeq(groups, slices.Chunk(of.States, 1))
	}
	for _, group := range groups {
		var inputs []string
		for _, s := range group {
			inputs = append(inputs, s.Input)
		}
		which := strings.Join(inputs, ", ")
		replaced := func(right values, by func(name string) *tensor.Tensor) values {
			wrong := maps.Clone(right)
			for _, name := range inputs {
				wrong[name] = by(name)
			}
			return wrong
		}
		add("zeros instead of "+which, which, func(right, _ values) values {
			return replaced(right, func(name string) *tensor.Tensor { return zeros(right[name]) })
		})
		add(which+" one frame late", which, func(right, before values) values {
			return replaced(right, func(name string) *tensor.Tensor { return before[name] })
		})
	}
	for i, a := range of.States {
		for _, b := range of.States[:i] {
			add(b.Input+" and "+a.Input+" exchanged", "", func(right, _ values) values {
				wrong := maps.Clone(right)
				wrong[a.Input], wrong[b.Input] = right[b.Input], right[a.Input]
				return wrong
			})
		}
	}
	return list
}

func zeros(t *tensor.Tensor) *tensor.Tensor {
	z, _ := tensor.FromBytes(t.ElementType(), t.Shape(), make([]byte, len(t.Bytes()))) // as valid as t
	return z
}

// explainer finds out why two streams differ. It runs single frames in the engine of one stream,
// and compares their outputs with those that the other stream recorded.
type explainer struct {
	ctx     context.Context
	of      shape
	frames  []*tensor.Set
	data    *backends.Run // the other stream
	backend backends.Backend
	hold    Hold
}

// explain finds out why two streams differ at a frame. The engine of one stream runs the frame
// again, starting from the other stream's states. If the outputs now agree, only the states had
// drifted. If they still differ, explain looks for wrong states that would cause the difference.
func (p *Parting) explain(of shape, actual, expected *backends.Run, hold Hold) error {
	data, live, side, other := actual, expected, "actual", "expected"
	if live.Subject().Repeatable() != nil {
		data, live, side, other = expected, actual, other, side
	}
	subject := live.Subject()
	if err := subject.Repeatable(); err != nil {
		return err
	}
	a, b := actual.Provenance.InputsSHA256, expected.Provenance.InputsSHA256
	if a != "" && b != "" && a != b {
		return errors.New("the two streams have different inputs")
	}
	ctx, err := backends.ContextOf(live, data)
	if err != nil {
		return err
	}
	for i, outputs := range data.Outputs() {
		for _, s := range of.States {
			if _, ok := outputs.Get(s.Output); !ok {
				return fmt.Errorf("the %s run lacks the state %q of frame %d", side, s.Output, i)
			}
		}
	}
	x := &explainer{ctx: ctx, of: of, data: data, hold: hold}
	if x.frames, err = subject.Draw(); err != nil {
		return err
	}
	if len(x.frames) != data.Len() {
		return fmt.Errorf("%d frames for %d iterations", len(x.frames), data.Len())
	}
	if x.backend, err = subject.Engine.Open(ctx, subject.Model, fixtures.Of(x.frames...)); err != nil {
		return err
	}
	defer x.backend.Close() // it was only read
	same, err := x.explained(p.Iteration, nil)
	switch {
	case err != nil:
		return err
	case same && p.Iteration > 0:
		p.Why = fmt.Sprintf("starting this frame from the %s run's states, the %s engine returns the "+
			"%s run's outputs: the states drifted apart in earlier frames, each of which passed the "+
			"comparison", side, other, side)
		return nil
	}
	p.Why = fmt.Sprintf("starting from the same states, the %s run computes this frame differently",
		side)
	found, err := x.mistake(p.Iteration)
	if found != "" {
		p.Why += ", as it would if it " + found
	} else if err == nil {
		p.Frame, err = sets.With(x.frames[p.Iteration], x.before(p.Iteration))
	}
	return err
}

// mistake returns the texts of all [mistakes] that reproduce the frame's outputs in x.data. If some
// of them also reproduce the next one or two frames, it returns only these. If no mistake
// reproduces the frame, it returns "".
func (x *explainer) mistake(frame int) (string, error) {
	left := mistakes(x.of)
	frames := 0
	for at := frame; at < min(frame+3, x.data.Len()); at++ {
		var still []mistake
		for _, m := range left {
			ok, err := x.explained(at, &m)
			if err != nil {
				return "", err
			}
			if ok {
				still = append(still, m)
			}
		}
		if len(still) > 0 || at == frame {
			left = still
			frames++
		}
	}
	var texts []string
	for i, m := range left {
		// A state that is always zero looks both lost and late. Keep only the first: lost.
		if frames > 1 && m.states != "" && slices.ContainsFunc(left[:i], func(o mistake) bool {
			return o.states == m.states && o.returned == m.returned
		}) {
			continue
		}
		texts = append(texts, m.text)
	}
	return strings.Join(texts, ", or if it "), nil
}

// explained runs a frame again and reports whether the outputs agree with the recorded ones. Unless
// m is nil, it makes the mistake m in the frame's states.
func (x *explainer) explained(frame int, m *mistake) (bool, error) {
	right, before := x.before(frame), x.before(frame-1)
	feed := right
	if m != nil && !m.returned {
		feed = m.make(right, before)
		if maps.EqualFunc(feed, right, (*tensor.Tensor).Identical) {
			return false, nil
		}
	}
	set, err := sets.With(x.frames[frame], feed)
	if err != nil {
		return false, err
	}
	run, err := x.backend.Run(x.ctx, fixtures.Of(set))
	if err != nil {
		if m != nil && !m.returned && x.ctx.Err() == nil {
			return false, nil // exchanged states of different shapes
		}
		return false, err
	}
	outputs, renamed := run.Outputs()[0], values{}
	if m != nil && m.returned {
		after := values{}
		for _, s := range x.of.States {
			after[s.Input], _ = outputs.Get(s.Output)
		}
		wrong := m.make(after, right)
		for _, s := range x.of.States {
			renamed[s.Output] = wrong[s.Input]
		}
	}
	for name, t := range x.data.Outputs()[frame].All() {
		found, ok := outputs.Get(name)
		if r := renamed[name]; r != nil {
			found = r
		}
		if !ok || found.Identical(t) {
			continue
		}
		if found.ElementType() != t.ElementType() || !found.Shape().Equal(t.Shape()) {
			return false, nil
		}
		reason, err := x.hold(Slice{frame, name, -1, -1}, t, found)
		if reason != "" || err != nil {
			return false, err
		}
	}
	return true, nil
}

// before returns the states at the start of a frame. Each state comes from the frame's inputs if
// they contain it, and otherwise from the previous frame's outputs. In the first frame, which has
// no previous frame, it is zero.
func (x *explainer) before(frame int) values {
	all := values{}
	for _, s := range x.of.States {
		t, given := x.frames[max(frame, 0)].Get(s.Input)
		if !given && frame > 0 {
			t, given = x.data.Outputs()[frame-1].Get(s.Output)
		}
		if !given {
			first, _ := x.data.Outputs()[0].Get(s.Output)
			t = zeros(first)
		}
		all[s.Input] = t
	}
	return all
}
