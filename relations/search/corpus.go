package search

import (
	"fmt"
	"strconv"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// Encoded inputs begin with one byte for each dynamic dimension, its size minus one, in the order
// of the inputs. Dimensions with the same name share a byte. The elements of all inputs follow,
// little-endian.

// mostSize limits the size of a dynamic dimension, and mostElements the number of elements.
const (
	mostSize     = 256
	mostElements = 1 << 22
)

// Encode converts inputs to bytes for [Decode]. It returns an error for inputs of strings, and for
// dynamic dimensions of size 0 or above 256.
func Encode(model fixtures.Declaration, set *tensor.Set) ([]byte, error) {
	inputs, err := model.Inputs()
	if err != nil {
		return nil, err
	}
	var data []byte
	seen := map[string]bool{}
	for _, v := range inputs {
		t, ok := set.Get(v.Name)
		switch {
		case !ok:
			return nil, fmt.Errorf("search: the inputs lack %q", v.Name)
		case t.ElementType() == tensor.String:
			return nil, fmt.Errorf("search: input %q: strings cannot be encoded, as they have no fixed "+
				"length", v.Name)
		case !v.HasShape || len(v.Dims) != len(t.Shape()):
			return nil, fmt.Errorf("search: input %s: its tensor has a different rank, %v", v, t.Shape())
		}
		for i, d := range v.Dims {
			if !d.Dynamic() || d.Symbol != "" && seen[d.Symbol] {
				continue
			}
			seen[d.Symbol] = true
			size := t.Shape()[i]
			if size < 1 || size > mostSize {
				return nil, fmt.Errorf("search: input %q has size %d along axis %d; expected 1 to %d", v.Name,
					size, i, mostSize)
			}
			data = append(data, byte(size-1))
		}
	}
	for _, v := range inputs {
		t, _ := set.Get(v.Name)
		data = append(data, t.Bytes()...)
	}
	return data, nil
}

// Decode builds inputs from arbitrary bytes, for fuzz targets and for property-testing libraries
// that generate bytes. Missing bytes count as zero, and surplus bytes are ignored:
//
//	f.Fuzz(func(t *testing.T, data []byte) {
//		inputs, err := search.Decode(model, data)
//		if err != nil {
//			t.Skip(err)
//		}
//		…
//	})
//
// Decode returns an error if the inputs would have more than 4 million elements.
func Decode(model fixtures.Declaration, data []byte) (*tensor.Set, error) {
	inputs, err := model.Inputs()
	if err != nil {
		return nil, err
	}
	take := func(n int) []byte {
		taken := make([]byte, n)
		data = data[copy(taken, data):]
		return taken
	}
	sizes, shapes, total := map[string]int{}, make([]tensor.Shape, len(inputs)), 0
	for i, v := range inputs {
		if !v.HasShape {
			return nil, fmt.Errorf("search: input %s has no declared rank, so Decode cannot choose its "+
				"shape", v)
		}
		if v.Type == tensor.String || !v.Type.Valid() {
			return nil, fmt.Errorf("search: input %s: this type cannot be decoded from bytes", v)
		}
		shapes[i] = make(tensor.Shape, 0, len(v.Dims))
		elements := 1
		for _, d := range v.Dims {
			size, known := sizes[d.Symbol]
			switch {
			case !d.Dynamic():
				size = d.Size
			case !known || d.Symbol == "":
				size = int(take(1)[0]) + 1
				sizes[d.Symbol] = size
			}
			shapes[i] = append(shapes[i], size)
			if elements *= size; elements > mostElements {
				return nil, fmt.Errorf("search: input %q: %v has more than %d elements", v.Name, shapes[i],
					mostElements)
			}
		}
		if total += elements; total > mostElements {
			return nil, fmt.Errorf("search: the inputs have more than %d elements", mostElements)
		}
	}
	var entries []tensor.Entry
	for i, v := range inputs {
		raw := take(v.Type.Bytes(count(shapes[i])))
		if v.Type == tensor.Bool {
			for i := range raw {
				raw[i] &= 1
			}
		}
		t, err := tensor.FromBytes(v.Type, shapes[i], raw)
		if err != nil {
			return nil, fmt.Errorf("search: input %q: %w", v.Name, err)
		}
		entries = append(entries, tensor.Entry{Name: v.Name, Tensor: t})
	}
	return tensor.NewSet(entries...)
}

// CorpusFile formats the bytes as a file of Go's fuzzing corpus, for testdata/fuzz/FuzzName.
func CorpusFile(data []byte) []byte {
	return []byte("go test fuzz v1\n[]byte(" + strconv.Quote(string(data)) + ")\n")
}
