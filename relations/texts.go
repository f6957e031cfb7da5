package relations

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/rows"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// texts contains the tokens of a batch and their mask. The mask is nil if the inputs have none.
type texts struct {
	name       string // the name of the token input
	rows, mask [][]int64
}

// maskName is the name that package decode uses for the mask.
const maskName = "attention_mask"

// tokensOf finds the tokens among a decoder's inputs.
func tokensOf(set *tensor.Set) (t texts, err error) {
	t.name = "input_ids"
	ids, ok := set.Get(t.name)
	if !ok {
		t.name = "decoder_input_ids"
		ids, ok = set.Get(t.name)
	}
	if !ok || len(ids.Shape()) != 2 || !ids.ElementType().IsInteger() {
		return t, fmt.Errorf("no integer input %q of shape [batch,tokens]; the inputs are %q",
			"input_ids", set.Names())
	}
	t.rows = rows.Integers(ids)
	if mask, ok := set.Get(maskName); ok && mask.Shape().Equal(ids.Shape()) {
		t.mask = rows.Integers(mask)
	}
	return t, nil
}

// front returns the number of padding tokens before sequence i.
func (t texts) front(i int) int {
	if t.mask == nil {
		return 0
	}
	return max(slices.IndexFunc(t.mask[i], func(v int64) bool { return v != 0 }), 0)
}

// withNeighbours turns a single sequence into a batch of three: the sequence, its tokens in reverse
// order, and its tokens rotated by half.
func (t texts) withNeighbours() texts {
	own := t.rows[0]
	back := slices.Clone(own)
	slices.Reverse(back)
	along := append(slices.Clone(own[len(own)/2:]), own[:len(own)/2]...)
	t.rows = [][]int64{own, back, along}
	if t.mask != nil {
		t.mask = [][]int64{t.mask[0], t.mask[0], t.mask[0]}
	}
	return t
}

// set returns a decoder's inputs for the sequences with the chosen indices. It removes the given
// number of leading positions from each sequence, and then adds the given number of padding
// positions on the left. From each input other than the tokens and their mask, set takes the rows
// with the chosen indices. If the input has too few rows, set takes the input's last row instead.
func (t texts) set(given *tensor.Set, chosen []int, leading, padding int) (*tensor.Set, error) {
	var ids, mask []int64
	for _, i := range chosen {
		for range padding {
			ids, mask = append(ids, 0), append(mask, 0)
		}
		for k, id := range t.rows[i][leading:] {
			ids = append(ids, id)
			if t.mask != nil {
				mask = append(mask, t.mask[i][leading+k])
			}
		}
	}
	shape := tensor.Shape{len(chosen), len(t.rows[0]) - leading + padding}
	return sets.Map(given, func(name string, of *tensor.Tensor) (*tensor.Tensor, error) {
		switch {
		case name == t.name:
			return tensor.New(shape, ids)
		case name == maskName && t.mask != nil:
			return tensor.New(shape, mask)
		case len(of.Shape()) == 0:
			return of, nil
		}
		picks := make([]rows.Pick, len(chosen))
		for k, i := range chosen {
			picks[k] = rows.Pick{Of: of, At: min(i, of.Shape()[0]-1)}
		}
		return rows.Join(0, picks)
	})
}
