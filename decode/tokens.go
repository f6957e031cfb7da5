package decode

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/rows"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Tokens returns one batch of sequences in the form that [Engine] expects: "input_ids" and
// "attention_mask", both int64[B,N]. Shorter sequences are padded on the left with token 0 and mask
// 0. [TokensWith] adds further inputs.
//
// Any other inputs with such tensors work too, for example from [fixtures.Load]. If they have no
// mask, no token counts as padding.
func Tokens(sequences ...[]int64) fixtures.Inputs {
	return TokensWith(nil, sequences...)
}

// TokensWith is [Tokens] with additional model inputs, such as encoder_hidden_states. Every step
// receives them unchanged.
func TokensWith(more []tensor.Entry, sequences ...[]int64) fixtures.Inputs {
	text := fmt.Sprintf("%d sequences of tokens", len(sequences))
	return fixtures.Repeatable(text, func() iter.Seq2[*tensor.Set, error] {
		set, err := padSequences(more, sequences)
		return func(yield func(*tensor.Set, error) bool) { yield(set, err) }
	})
}

// padSequences pads the sequences on the left.
func padSequences(more []tensor.Entry, sequences [][]int64) (*tensor.Set, error) {
	longest := 0
	for _, s := range sequences {
		longest = max(longest, len(s))
	}
	if longest == 0 {
		return nil, errors.New("decode: no tokens given")
	}
	ids, mask := make([]int64, 0, longest*len(sequences)), make([]int64, 0, longest*len(sequences))
	for _, s := range sequences {
		pad := make([]int64, longest-len(s))
		ids, mask = append(append(ids, pad...), s...), append(mask, pad...)
		for range s {
			mask = append(mask, 1)
		}
	}
	return maskedSet(tensor.Shape{len(sequences), longest}, ids, mask, more...)
}

// batch contains the inputs of one iteration: the tokens with their mask, and all other inputs.
type batch struct {
	ids, mask [][]int64 // [sequence][token]; the mask is 1 for tokens, 0 for padding
	more      []tensor.Entry
}

// batchOf splits a set of inputs into the tokens, the mask and all other inputs. In the set, the
// tokens have the model's name for them or the name input_ids. The mask has the model's name for it
// or the name attention_mask. But if the model uses input_ids or attention_mask as the name of a
// different input, then a tensor with this name belongs to that input.
func (l *layout) batchOf(set *tensor.Set) (*batch, error) {
	b := &batch{}
	for name, t := range set.All() {
		var err error
		switch {
		case name == l.tokens.Name || name == "input_ids" && l.inputs[name] == nil:
			b.ids, err = matrix(name, t)
		case l.mask != nil && name == l.mask.Name || name == "attention_mask" && l.inputs[name] == nil:
			b.mask, err = matrix(name, t)
		case l.drives(name):
			err = fmt.Errorf("decoding computes input %q at each step; leave it out of the inputs", name)
		default:
			b.more = append(b.more, tensor.Entry{Name: name, Tensor: t})
		}
		if err != nil {
			return nil, err
		}
	}
	if b.ids == nil {
		return nil, fmt.Errorf("no tokens: expected an integer tensor %q of shape [batch,tokens], got %s",
			l.tokens.Name, names.List(set.Names()))
	}
	return b, b.checkMask()
}

// drives reports whether decoding itself computes this input at each step. Users must not pass such
// an input.
func (l *layout) drives(name string) bool {
	for _, v := range []*loaders.Value{l.positions, l.slots, l.branch} {
		if v != nil && v.Name == name {
			return true
		}
	}
	return slices.ContainsFunc(l.caches, func(c layerCache) bool { return c.past.Name == name })
}

// checkMask adds a mask of ones if there is none, and returns an error for an invalid mask.
func (b *batch) checkMask() error {
	if b.mask == nil {
		for _, row := range b.ids {
			b.mask = append(b.mask, slices.Repeat([]int64{1}, len(row)))
		}
		return nil
	}
	if len(b.mask) != len(b.ids) || len(b.mask[0]) != len(b.ids[0]) {
		return fmt.Errorf("the mask is [%d,%d] and the tokens are [%d,%d]; expected equal shapes",
			len(b.mask), len(b.mask[0]), len(b.ids), len(b.ids[0]))
	}
	for i, row := range b.mask {
		for j, v := range row {
			if v != 0 && v != 1 {
				return fmt.Errorf("the mask is %d at [%d,%d]; expected 1 for tokens or 0 for padding", v, i,
					j)
			}
		}
		if !slices.Contains(row, 1) {
			return fmt.Errorf("sequence %d consists of padding only", i)
		}
	}
	return nil
}

// matrix returns the rows of a two-dimensional integer tensor.
func matrix(name string, t *tensor.Tensor) ([][]int64, error) {
	shape := t.Shape()
	if len(shape) != 2 || shape[0] == 0 || shape[1] == 0 || t.ElementType() != tensor.Int64 &&
		t.ElementType() != tensor.Int32 {
		return nil, fmt.Errorf("input %q is %v%v; expected int64 or int32 of shape [batch,tokens]", name,
			t.ElementType(), shape)
	}
	return rows.Integers(t), nil
}
