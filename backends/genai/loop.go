package genai

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	abi "github.com/modelparity/modelparity/internal/genai"
	"github.com/modelparity/modelparity/tensor"
)

// loop is one batch whose sequences are being generated. Each sequence has its own generator, which
// stores the sequence's cache.
type loop struct {
	of   *backend
	rows []*row
	past int               // number of tokens so far, including padding
	kept map[string]string // maps an input to the output kept for it
}

// row is one sequence of the batch.
type row struct {
	generator *abi.Generator
	at        []int // positions of the row's tokens in the batch; others are padding
}

// newLoop starts a series of inferences. The library itself keeps the cache and passes it from step
// to step.
func newLoop(b *backend) *loop { return &loop{of: b, kept: map[string]string{}} }

// Step implements [backends.Loop]. It reads the tokens and the mask, and checks that the given
// positions match the library's.
func (l *loop) Step(ctx context.Context, inputs *tensor.Set, outputs []string,
	keep map[string]string) (*tensor.Set, error) {
	set, err := l.step(ctx, inputs, outputs, keep)
	if errors.Is(err, abi.ErrClosed) {
		return nil, backends.ErrClosed
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.of.model.Name(), err)
	}
	return set, nil
}

func (l *loop) step(ctx context.Context, inputs *tensor.Set, outputs []string,
	keep map[string]string) (*tensor.Set, error) {
	f, err := l.of.feed(inputs, l.past)
	if err != nil {
		return nil, err
	}
	for len(l.rows) < len(f.tokens) {
		g, err := l.of.loaded.Generator()
		if err != nil {
			return nil, err
		}
		l.rows = append(l.rows, &row{generator: g})
	}
	if len(l.rows) != len(f.tokens) {
		return nil, fmt.Errorf("input %q has %d sequences, but the previous step had %d",
			l.of.names.Inputs.Tokens, len(f.tokens), len(l.rows))
	}
	for r, one := range l.rows {
		if err := f.follows(r, one.at, l.past); err != nil {
			return nil, err
		}
	}
	ran := make([][]int, len(l.rows)) // positions used in this step
	for r, one := range l.rows {
		var tokens []int32
		for i, token := range f.tokens[r] {
			if f.real(r, l.past+i) {
				tokens, ran[r] = append(tokens, token), append(ran[r], i)
			}
		}
		if len(tokens) == 0 {
			continue
		}
		if err := one.generator.Append(ctx, tokens); err != nil {
			return nil, explained(err)
		}
		for _, i := range ran[r] {
			one.at = append(one.at, l.past+i)
		}
	}
	n := len(f.tokens[0])
	l.past += n
	for output, input := range keep {
		l.kept[input] = output
	}
	var entries []tensor.Entry
	for _, name := range outputs {
		var t *tensor.Tensor
		if l.of.names.isCache(name) {
			t, err = l.cache(name)
		} else {
			t, err = l.gathered(name, 1, n, ran)
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, tensor.Entry{Name: name, Tensor: t})
	}
	return tensor.NewSet(entries...)
}

// rewind keeps the given number of tokens at the start of the generators' caches and drops the
// rest.
func (l *loop) rewind(tokens int) error {
	if tokens < 0 || tokens > l.past {
		return fmt.Errorf("onnxruntime-genai: cannot rewind to %d of %d tokens", tokens, l.past)
	}
	for _, one := range l.rows {
		left, _ := slices.BinarySearch(one.at, tokens)
		if left == len(one.at) {
			continue
		}
		if err := one.generator.Rewind(left); err != nil {
			return fmt.Errorf("%s: %w", l.of.model.Name(), explained(err))
		}
		one.at = one.at[:left]
	}
	l.past = tokens
	return nil
}

// Kept implements [backends.Loop].
func (l *loop) Kept(input string) (tensor.ElementType, tensor.Shape, error) {
	for _, in := range l.of.inputs {
		if l.kept[input] == "" || in.Name != input || len(in.Dims) != 4 {
			continue
		}
		return in.Type, tensor.Shape{len(l.rows), in.Dims[1].Size, l.past, in.Dims[3].Size}, nil
	}
	return tensor.Invalid, nil, fmt.Errorf("onnxruntime-genai: no step has set input %q", input)
}

// Read implements [backends.Loop].
func (l *loop) Read(input string) (*tensor.Tensor, error) {
	output, ok := l.kept[input]
	if !ok {
		return nil, fmt.Errorf("onnxruntime-genai: no step has set input %q", input)
	}
	return l.cache(output)
}

// cache combines the caches of all sequences into one tensor. For each sequence, the tensor has
// l.past positions, including the positions of padding. The values for padding are zeros.
func (l *loop) cache(output string) (*tensor.Tensor, error) {
	places := make([][]int, len(l.rows))
	for r, one := range l.rows {
		places[r] = one.at
	}
	return l.gathered(output, 2, l.past, places)
}

// Provenance implements [backends.Loop].
func (l *loop) Provenance() backends.Provenance { return l.of.provenance }

// Close implements [backends.Loop].
func (l *loop) Close() error {
	for _, one := range l.rows {
		one.generator.Close()
	}
	l.rows = nil
	return nil
}
