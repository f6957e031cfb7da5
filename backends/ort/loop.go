package ort

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/tensor"
)

// loop is a series of inferences whose kept outputs stay in ONNX Runtime's memory as OrtValues.
type loop struct {
	of   *backend
	loop *onnxruntime.Loop
	kept map[string]bool // the names of inputs whose values the library holds
}

// startLoop starts a series of inferences. Kept values stay in ONNX Runtime's memory, so on the CPU
// they are not copied. A GPU provider still copies kept values to the host and back, as in ordinary
// runs.
func startLoop(opened backends.Backend) (backends.Loop, error) {
	b := opened.(*backend)
	return &loop{of: b, loop: b.session.Loop(), kept: map[string]bool{}}, nil
}

// Step implements [backends.Loop].
func (l *loop) Step(ctx context.Context, inputs *tensor.Set, outputs []string,
	keep map[string]string) (*tensor.Set, error) {
	feeds, err := l.of.feeds(inputs, l.kept)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.of.model.Name(), err)
	}

	if !l.of.lease.Enter() {
		return nil, backends.ErrClosed
	}
	defer l.of.lease.Leave()
	values, err := l.loop.Step(ctx, feeds, outputs, keep)
	if errors.Is(err, onnxruntime.ErrClosed) { // the loop is closed
		return nil, backends.ErrClosed
	}
	if err != nil {
		l.of.lease.Spoil()
		return nil, fmt.Errorf("%s: %w", l.of.model.Name(), explain(err))
	}
	for _, input := range keep {
		l.kept[input] = true
	}
	return named(outputs, values)
}

// Kept implements [backends.Loop].
func (l *loop) Kept(input string) (tensor.ElementType, tensor.Shape, error) {
	elem, shape, err := l.loop.Kept(input)
	if err != nil {
		return tensor.Invalid, nil, fmt.Errorf("onnxruntime: %w", err)
	}
	return elem, shape, nil
}

// Read implements [backends.Loop].
func (l *loop) Read(input string) (*tensor.Tensor, error) {
	t, err := l.loop.Read(input)
	if err != nil {
		return nil, fmt.Errorf("onnxruntime: %w", err)
	}
	return t, nil
}

// Provenance implements [backends.Loop].
func (l *loop) Provenance() backends.Provenance { return l.of.provenance }

// Close implements [backends.Loop].
func (l *loop) Close() error {
	l.loop.Close()
	return nil
}
