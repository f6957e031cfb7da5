package genai

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	abi "github.com/modelparity/modelparity/internal/genai"
	"github.com/modelparity/modelparity/tensor"
)

// gathered combines one output of all sequences into one tensor, [batch,…,n,…] with n tokens along
// the given axis. places contains, for each sequence, the positions of its tokens; all other
// positions are padding and are filled with zeros. The library's buffer may have room for more
// tokens than there are; the valid tokens come first.
func (l *loop) gathered(output string, axis, n int, places [][]int) (*tensor.Tensor, error) {
	var data []byte
	var shape tensor.Shape
	var elem tensor.ElementType
	var outer, inner int // blocks per sequence before the axis, bytes per token after it
	for r, one := range l.rows {
		if len(places[r]) == 0 {
			continue
		}
		v, err := one.generator.Output(output)
		if err != nil {
			return nil, explained(err)
		}
		own := v.Shape()
		if len(own) <= axis || own[0] != 1 || own[axis] < len(places[r]) {
			return nil, fmt.Errorf("output %q has shape %v for %d tokens; expected the tokens along "+
				"axis %d", output, own, len(places[r]), axis)
		}
		if data == nil {
			elem, shape = v.ElementType(), slices.Clone(own)
			shape[0], shape[axis] = len(l.rows), n
			outer, _ = shape[1:axis].Elements()
			inner, _ = shape[axis+1:].Elements()
			inner *= elem.Bits() / 8
			data = make([]byte, len(l.rows)*outer*n*inner)
		}
		if v.Size() != outer*own[axis]*inner {
			return nil, fmt.Errorf("output %q has shape %v for sequence %d, but a different shape for "+
				"an earlier sequence", output, own, r)
		}
		for o := range outer {
			for i, place := range places[r] {
				copy(data[((r*outer+o)*n+place)*inner:][:inner], v.Bytes()[(o*own[axis]+i)*inner:])
			}
		}
	}
	if data == nil {
		return l.blank(output, axis, n)
	}
	return tensor.FromBytes(elem, shape, data)
}

// blank returns the output of a step that consists only of padding: zeros of the declared shape.
func (l *loop) blank(output string, axis, n int) (*tensor.Tensor, error) {
	for _, out := range l.of.outputs {
		if out.Name != output || len(out.Dims) <= axis {
			continue
		}
		shape := tensor.Shape{len(l.rows)}
		for _, d := range out.Dims[1:] {
			shape = append(shape, d.Size)
		}
		shape[axis] = n
		if elements, err := shape.Elements(); err == nil { // every dimension is declared
			return tensor.FromBytes(out.Type, shape, make([]byte, out.Type.Bytes(elements)))
		}
	}
	return nil, fmt.Errorf("output %q contains only padding, so it should be zeros, but the model "+
		"does not declare its shape", output)
}

// explained adds a remedy to the library's error about a sequence that is too long, and returns
// other errors unchanged.
func explained(err error) error {
	var said *abi.Error
	if errors.As(err, &said) && strings.Contains(said.Message, "max length") {
		return fmt.Errorf("%w; to allow longer sequences, pass genai.Overlay(`{\"model\": "+
			"{\"context_length\": …}, \"search\": {\"max_length\": …}}`)", err)
	}
	return err
}
