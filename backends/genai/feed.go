package genai

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/tensor"
)

// feed is what a step gives the library, and what it has to fit.
type feed struct {
	tokens    [][]int32
	mask      *tensor.Tensor // [batch, past and present]; nil for no padding
	positions *tensor.Tensor // [batch,tokens]; nil where the model has none
}

// feed takes the inputs of a step apart, behind so many tokens.
func (b *backend) feed(inputs *tensor.Set, past int) (f feed, err error) {
	names := b.names.Inputs
	t, ok := inputs.Get(names.Tokens)
	if !ok || len(t.Shape()) != 2 || t.Len() == 0 {
		return f, fmt.Errorf("expected an input %q of integers, [batch,tokens]", names.Tokens)
	}
	rows, n := t.Shape()[0], t.Shape()[1]
	f.tokens = make([][]int32, rows)
	for i := range t.Len() {
		token := t.Float64At(i)
		if token < 0 || token > math.MaxInt32 || token != math.Trunc(token) {
			return f, fmt.Errorf("input %q: %v at %d is not a token", names.Tokens, token, i)
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
			return f, fmt.Errorf("input %q is %v%v; ONNX Runtime GenAI keeps its caches and takes none: "+
				"only an empty one can be fed", name, t.ElementType(), t.Shape())
		}
	}
	if err := expect(names.Mask, f.mask, tensor.Shape{rows, past + n}); err != nil {
		return f, err
	}
	return f, expect(names.Positions, f.positions, tensor.Shape{rows, n})
}

// expect holds an input that is there to its shape.
func expect(name string, t *tensor.Tensor, shape tensor.Shape) error {
	if t != nil && !t.Shape().Equal(shape) {
		return fmt.Errorf("input %q is %v; expected %v", name, t.Shape(), shape)
	}
	return nil
}

// real reports whether a place of a sequence is a token, and not padding.
func (f feed) real(row, i int) bool {
	return f.mask == nil || f.mask.Float64At(row*f.mask.Shape()[1]+i) != 0
}

// follows holds the mask of what was fed and the positions of a sequence to what the library has.
func (f feed) follows(row int, at []int, past int) error {
	fed := 0
	for i := range past {
		if was := fed < len(at) && at[fed] == i; was != f.real(row, i) {
			return fmt.Errorf("the mask of sequence %d differs at %d from what was fed there", row, i)
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
			return fmt.Errorf("sequence %d: token %d has the position %v, and ONNX Runtime GenAI counts "+
				"it as %d: it begins at 0 and leaves padding out", row, past+i, p, fed)
		}
		fed++
	}
	return nil
}
