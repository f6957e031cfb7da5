package genai

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/tensor"
)

// feed contains the inputs of a step.
type feed struct {
	tokens    [][]int32
	mask      *tensor.Tensor // [batch, past and new tokens]; nil without padding
	positions *tensor.Tensor // [batch,tokens]; nil if the model has no such input
}

// feed checks the inputs of a step, and finds out which of them are the tokens, the mask and the
// positions. past is the number of tokens in earlier steps.
func (b *backend) feed(inputs *tensor.Set, past int) (f feed, err error) {
	names := b.names.Inputs
	t, ok := inputs.Get(names.Tokens)
	if !ok || len(t.Shape()) != 2 || t.Len() == 0 {
		return f, fmt.Errorf("expected an integer input %q with shape [batch,tokens]", names.Tokens)
	}
	rows, n := t.Shape()[0], t.Shape()[1]
	f.tokens = make([][]int32, rows)
	for i := range t.Len() {
		token := t.Float64At(i)
		if token < 0 || token > math.MaxInt32 || token != math.Trunc(token) {
			return f, fmt.Errorf("input %q: %v at position %d is not a token id", names.Tokens, token, i)
		}
		f.tokens[i/n] = append(f.tokens[i/n], int32(token))
	}
	for name, t := range inputs.All() {
		switch {
		case name == names.Tokens:
		case name == names.Mask:
			f.mask = t
		case name == names.Positions:
			f.positions = t
		case t.Len() > 0:
			return f, fmt.Errorf("input %q is %v%v, expected an empty tensor: ONNX Runtime GenAI "+
				"keeps the cache itself", name, t.ElementType(), t.Shape())
		}
	}
	if err := expect(names.Mask, f.mask, tensor.Shape{rows, past + n}); err != nil {
		return f, err
	}
	return f, expect(names.Positions, f.positions, tensor.Shape{rows, n})
}

// expect checks the shape of an input, if the input is present.
func expect(name string, t *tensor.Tensor, shape tensor.Shape) error {
	if t != nil && !t.Shape().Equal(shape) {
		return fmt.Errorf("input %q is %v; expected %v", name, t.Shape(), shape)
	}
	return nil
}

// real reports whether position i of a sequence holds a token rather than padding. row is the index
// of the sequence.
func (f feed) real(row, i int) bool {
	return f.mask == nil || f.mask.Float64At(row*f.mask.Shape()[1]+i) != 0
}

// follows checks the mask and the position numbers of one sequence. row is the index of the
// sequence. The elements [0,past) of the sequence's mask belong to earlier steps. Among these
// elements, exactly the elements with an index in earlier must be nonzero. The position numbers
// must count the sequence's tokens from 0, without padding, because ONNX Runtime GenAI counts this
// way.
func (f feed) follows(row int, earlier []int, past int) error {
	fed := 0
	for i := range past {
		if was := fed < len(earlier) && earlier[fed] == i; was != f.real(row, i) {
			return fmt.Errorf("the mask of sequence %d at position %d differs from the mask of "+
				"earlier steps", row, i)
		} else if was {
			fed++
		}
	}
	if f.positions == nil {
		return nil
	}
	n := len(f.tokens[row])
	for i := range n {
		if !f.real(row, past+i) {
			continue
		}
		if p := f.positions.Float64At(row*n + i); p != float64(fed) {
			return fmt.Errorf("sequence %d: token %d has position %v, expected %d: ONNX Runtime GenAI "+
				"counts from 0 and skips padding", row, past+i, p, fed)
		}
		fed++
	}
	return nil
}
