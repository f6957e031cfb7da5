package apart

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/tensor"
)

// loop is a [backends.Loop] whose kept values are in the engine's process.
type loop struct {
	of         *backend
	process    *process // the process that keeps the values
	number     int      // of the loop in that process
	provenance backends.Provenance
	closed     bool
}

// loop starts a series of inferences in the engine's process.
func (b *backend) loop() (backends.Loop, error) {
	l := &loop{of: b}
	answer, err := l.ask(context.Background(), &message{Does: begins})
	if err == nil {
		l.number = answer.Loop
	}
	return l, err
}

// ask sends a message about the loop to the engine's process and returns the answer.
func (l *loop) ask(ctx context.Context, m *message) (*message, error) {
	m.Loop = l.number
	s := session{process: l.process, doing: "running a step of " + l.of.name()}
	answer, err := l.of.command(ctx, &s, m, looped)
	if err != nil {
		return nil, err
	}
	l.process = s.process
	if answer.Provenance != nil {
		l.provenance = *answer.Provenance
	}
	return answer, nil
}

// Step implements [backends.Loop].
func (l *loop) Step(ctx context.Context, inputs *tensor.Set, outputs []string,
	keep map[string]string) (*tensor.Set, error) {
	outputs = append([]string{}, outputs...) // nil would not arrive
	answer, err := l.ask(ctx, &message{Does: steps, Names: &outputs, Keep: keep,
		Tensors: inputs})
	if err != nil {
		return nil, err
	}
	return answer.Tensors, nil
}

// Kept implements [backends.Loop].
func (l *loop) Kept(input string) (tensor.ElementType, tensor.Shape, error) {
	answer, err := l.ask(context.Background(), &message{Does: keeps, Input: input})
	if err != nil || answer.Kept == nil {
		return tensor.Invalid, nil, err
	}
	return answer.Kept.Type, answer.Kept.Shape, nil
}

// Read implements [backends.Loop].
func (l *loop) Read(input string) (*tensor.Tensor, error) {
	answer, err := l.ask(context.Background(), &message{Does: reads, Input: input})
	if err != nil {
		return nil, err
	}
	t, _ := answer.Tensors.Get(input)
	return t, nil
}

func (l *loop) rewind(tokens int) error {
	_, err := l.ask(context.Background(), &message{Does: rewinds, Tokens: tokens})
	return err
}

// Provenance implements [backends.Loop].
func (l *loop) Provenance() backends.Provenance { return l.provenance }

// Close implements [backends.Loop]. It has nothing to free if the process has ended.
func (l *loop) Close() error {
	if !l.closed {
		l.closed = true
		_, _ = l.ask(context.Background(), &message{Does: unloops})
	}
	return nil
}

// loop carries out a message about a loop: it starts the loop, runs a step, reads a kept value, or
// closes the loop.
func (c *worker) loop(ctx context.Context, m *message) (*message, error) {
	can := backends.CapabilitiesOf(c.engine)
	answer := &message{Does: looped}
	if m.Does == begins {
		l, err := can.Loop(c.backend)
		if err != nil {
			return nil, err
		}
		c.loops = append(c.loops, l)
		answer.Loop = len(c.loops) - 1
		p := l.Provenance()
		answer.Provenance = &p
		return answer, nil
	}
	if m.Loop < 0 || m.Loop >= len(c.loops) {
		return nil, fmt.Errorf("no loop %d", m.Loop)
	}
	l := c.loops[m.Loop]
	var err error
	switch m.Does {
	case steps:
		answer.Tensors, err = l.Step(ctx, m.Tensors, *m.Names, m.Keep)
		p := l.Provenance()
		answer.Provenance = &p
	case keeps:
		answer.Kept = &kept{}
		answer.Kept.Type, answer.Kept.Shape, err = l.Kept(m.Input)
	case reads:
		var t *tensor.Tensor
		if t, err = l.Read(m.Input); err == nil {
			answer.Tensors, err = tensor.NewSet(tensor.Entry{Name: m.Input, Tensor: t})
		}
	case rewinds:
		err = can.Rewind(l, m.Tokens)
	default:
		err = l.Close()
	}
	return answer, err
}
