package decode

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/tensor"
)

// mostText is the maximum size in bytes of a JSON file of token ids: enough for a few million
// tokens.
const mostText = 16 << 20

// FromFile returns the tokens in a file, in the form that [Engine] expects:
//
//	x.npy   integers, [tokens] or [batch,tokens]; −1 is padding
//	x.json  [5, 17, 3], or [[5, 17, 3], [8, 1]] (shorter sequences are padded on the left)
//
// Other files contain tensors named after the model's inputs; [fixtures.Load] reads them. FromFile
// does not open the file: it is read each time a backend needs the tokens.
func FromFile(path string) fixtures.Inputs {
	name := filepath.Base(path)
	read := readers[strings.ToLower(filepath.Ext(name))]
	if read == nil {
		return fixtures.Load(path)
	}
	return fixtures.Repeatable(name, func() iter.Seq2[*tensor.Set, error] {
		return func(yield func(*tensor.Set, error) bool) {
			set, err := read(path)
			if err != nil {
				err = fmt.Errorf("decode: %s: %w", name, err)
			}
			yield(set, err)
		}
	})
}

// readers maps each file extension to a function that reads tokens.
var readers = map[string]func(path string) (*tensor.Set, error){".npy": readArray,
	".json": readJSON}

func readArray(path string) (*tensor.Set, error) {
	set, err := fixtures.LoadSet(path)
	if err != nil {
		return nil, err
	}
	t := set.At(0).Tensor
	shape := t.Shape()
	if len(shape) == 1 {
		shape = tensor.Shape{1, shape[0]}
	}
	if len(shape) != 2 || t.Len() == 0 || !t.ElementType().IsInteger() {
		return nil, fmt.Errorf("the tokens are %v%v: expected an integer type and the shape [tokens] or "+
			"[batch,tokens]", t.ElementType(), t.Shape())
	}
	ids, mask := make([]int64, t.Len()), make([]int64, t.Len())
	for i := range ids {
		if ids[i], mask[i] = int64(t.Float64At(i)), 1; ids[i] == -1 {
			ids[i], mask[i] = 0, 0
		}
	}
	return maskedSet(shape, ids, mask)
}

// maskedSet returns a set of inputs with the tokens, their mask and the additional entries.
func maskedSet(shape tensor.Shape, ids, mask []int64, more ...tensor.Entry) (*tensor.Set, error) {
	a, err := tensor.New(shape, ids)
	if err != nil {
		return nil, err
	}
	b, err := tensor.New(shape, mask)
	if err != nil {
		return nil, err
	}
	return tensor.NewSet(append([]tensor.Entry{{Name: "input_ids", Tensor: a},
		{Name: "attention_mask", Tensor: b}}, more...)...)
}

func readJSON(path string) (*tensor.Set, error) {
	file, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, mostText+1))
	if err != nil {
		return nil, err
	}
	if len(data) > mostText {
		return nil, fmt.Errorf("the file is larger than %d MiB: save the ids as .npy", mostText>>20)
	}
	sequences, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	return padSequences(nil, sequences)
}

func parseJSON(data []byte) (sequences [][]int64, err error) {
	var one []int64
	if err = json.Unmarshal(data, &one); err == nil {
		sequences = [][]int64{one}
	} else {
		err = json.Unmarshal(data, &sequences)
	}
	if err != nil || len(sequences) == 0 || slices.ContainsFunc(sequences, func(s []int64) bool {
		return len(s) == 0 || slices.Min(s) < 0
	}) {
		return nil, fmt.Errorf("expected lists of token ids, none negative or empty, such as "+
			"[5, 17, 3] or [[5, 17, 3], [8, 1]]; got %.40q", data)
	}
	return sequences, nil
}
