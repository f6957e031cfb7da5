package decode

import (
	"fmt"

	"github.com/modelparity/modelparity/internal/largest"
	"github.com/modelparity/modelparity/tensor"
)

// collector stores the logits of every token or, with [TopK], only the largest ones.
type collector struct {
	drive *drive
	words int // size of the vocabulary

	elem   tensor.ElementType
	whole  []byte    // all logits, unless TopK is set
	values []float32 // the k largest logits per token
	tokens []int64   // their ids
}

// start allocates the buffers for the vocabulary and element type of the first logits.
func (k *collector) start(logits *tensor.Tensor) error {
	k.words, k.elem = logits.Shape()[2], logits.ElementType()
	cells, n := len(k.drive.ids)*k.drive.total, k.drive.settings.TopK
	switch {
	case n > k.words:
		return fmt.Errorf("decode.TopK asks for %d tokens, but the vocabulary has %d", n, k.words)
	case n > 0:
		k.values, k.tokens = make([]float32, cells*n), make([]int64, cells*n)
	case k.elem.Bits()%8 != 0:
		return fmt.Errorf("logits of type %v cannot be stored: use decode.TopK", k.elem)
	default:
		k.whole = make([]byte, cells*k.words*k.elem.Bits()/8)
	}
	return nil
}

// add stores the logits of a step. pos is the position of the step's first token.
func (k *collector) add(logits *tensor.Tensor, pos int) error {
	if k.words == 0 {
		if err := k.start(logits); err != nil {
			return err
		}
	}
	if logits.Shape()[2] != k.words || logits.ElementType() != k.elem {
		return fmt.Errorf("the logits are %v%v, but in earlier steps they were %v with a vocabulary "+
			"of %d", logits.ElementType(), logits.Shape(), k.elem, k.words)
	}
	n := logits.Shape()[1]
	for r := range len(k.drive.ids) {
		for i := range n {
			if k.drive.mask[r][pos+i] == 0 {
				continue
			}
			k.one(logits, r*n+i, r*k.drive.total+pos+i)
		}
	}
	return nil
}

// one stores the results for one token. from is the token's index in the step's logits, and to is
// its index in the whole run.
func (k *collector) one(logits *tensor.Tensor, from, to int) {
	if k.whole != nil {
		size := k.words * k.elem.Bits() / 8
		copy(k.whole[to*size:(to+1)*size], logits.Bytes()[from*size:(from+1)*size])
		return
	}
	row := make([]float64, k.words)
	for i := range row {
		row[i] = logits.Float64At(from*k.words + i)
	}
	n := k.drive.settings.TopK
	for i, token := range largest.Indices(row, n) {
		k.values[to*n+i], k.tokens[to*n+i] = float32(row[token]), int64(token)
	}
}

// outputs returns the collected values as output tensors.
func (k *collector) outputs(logits string) ([]tensor.Entry, error) {
	shape := tensor.Shape{len(k.drive.ids), k.drive.total, k.words}
	if k.whole != nil {
		t, err := tensor.FromBytes(k.elem, shape, k.whole)
		return []tensor.Entry{{Name: logits, Tensor: t}}, err
	}
	shape[2] = k.drive.settings.TopK
	values, err := tensor.New(shape, k.values)
	if err != nil {
		return nil, err
	}
	tokens, err := tensor.New(shape, k.tokens)
	return []tensor.Entry{{Name: logits + ".top_values", Tensor: values},
		{Name: logits + ".top_tokens", Tensor: tokens}}, err
}
