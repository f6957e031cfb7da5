package search

import (
	"fmt"
	"strconv"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// Encoded inputs begin with one byte for each dynamic dimension, its size minus one, in the order
// that [resized] asks for them: dimensions with the same name share a byte, and sums of dimensions
// have none. The elements of all inputs follow, little-endian.

// mostSize limits the size of a dynamic dimension, and mostElements the number of elements.
const (
	mostSize     = 256
	mostElements = 1 << 22
)

// Encode converts inputs to bytes for [Decode]. It returns an error for inputs of strings, for
// dynamic dimensions of size 0 or above 256, and if equal names have different sizes or a sum, such
// as "past + 1", differs from its parts.
func Encode(model fixtures.Declaration, set *tensor.Set) ([]byte, error) {
	inputs, err := model.Inputs()
	if err != nil {
		return nil, err
	}
	shapes := map[string]tensor.Shape{}
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
		shapes[v.Name] = t.Shape()
	}
	var data []byte
	decoded := resized(inputs, shapes, func(d dimension) int {
		size := min(max(shapes[d.input][d.axis], 1), mostSize)
		data = append(data, byte(size-1))
		return size
	})
	for _, v := range inputs {
		if !shapes[v.Name].Equal(decoded[v.Name]) {
			return nil, fmt.Errorf("search: input %s has shape %v, but Decode would return %v: dynamic "+
				"dimensions must be 1 to %d, equal for equal names, and sums must fit their parts", v,
				shapes[v.Name], decoded[v.Name], mostSize)
		}
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
	shapes, total := map[string]tensor.Shape{}, 0
	for _, v := range inputs {
		if !v.HasShape {
			return nil, fmt.Errorf("search: input %s has no declared rank, so Decode cannot choose its "+
				"shape", v)
		}
		if v.Type == tensor.String || !v.Type.Valid() {
			return nil, fmt.Errorf("search: input %s: this type cannot be decoded from bytes", v)
		}
		for _, d := range v.Dims {
			shapes[v.Name] = append(shapes[v.Name], d.Size)
		}
	}
	shapes = resized(inputs, shapes, func(dimension) int { return int(take(1)[0]) + 1 })
	for _, v := range inputs {
		elements := 1
		for _, size := range shapes[v.Name] {
			if elements *= size; total+elements > mostElements {
				return nil, fmt.Errorf("search: the inputs up to %q, of shape %v, have more than %d elements",
					v.Name, shapes[v.Name], mostElements)
			}
		}
		total += elements
	}
	var entries []tensor.Entry
	for _, v := range inputs {
		raw := take(v.Type.Bytes(count(shapes[v.Name])))
		if v.Type == tensor.Bool {
			for i := range raw {
				raw[i] &= 1
			}
		}
		t, err := tensor.FromBytes(v.Type, shapes[v.Name], raw)
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
