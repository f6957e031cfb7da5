package noise

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// jitter moves each number to the next larger or next smaller one, with equal probability.
type jitter struct {
	random *rand.Rand
	moved  int // how many numbers were replaced
}

// constant returns a constant's values, each replaced by a neighbouring number of its type. It
// returns nil if the constant must stay unchanged. It changes the values in place, because weights
// can fill most of the memory.
func (j *jitter) constant(c loaders.Constant) *tensor.Tensor {
	if !moves(c.Values.ElementType()) || c.IsSetting() || isStored(c) {
		return nil
	}
	j.move(c.Values.ElementType(), c.Values.Bytes())
	return c.Values
}

// inputs returns the inputs, with each float replaced by a neighbouring number. The inputs named in
// fixed stay unchanged.
func (j *jitter) inputs(given []*tensor.Set, fixed map[string]bool) ([]*tensor.Set, error) {
	return sets.MapAll(given, func(_ int, name string, t *tensor.Tensor) (*tensor.Tensor, error) {
		if !moves(t.ElementType()) || fixed[name] {
			return t, nil
		}
		data := slices.Clone(t.Bytes())
		j.move(t.ElementType(), data)
		return tensor.FromBytes(t.ElementType(), t.Shape(), data)
	})
}

// moves reports whether numbers of type t are replaced by neighbouring ones. Numbers of 8 bits or
// fewer are not: these types are only used for storage, and engines compute in a wider type.
func moves(t tensor.ElementType) bool { return t.IsFloat() && t.Bits() >= 16 }

// isStored reports whether a constant's 16-bit type is only for storage: before using the constant,
// the model casts it to a different type, and the cast is exact.
func isStored(c loaders.Constant) bool {
	return c.Values.ElementType().Bits() == 16 && len(c.Uses) > 0 &&
		!slices.ContainsFunc(c.Uses, func(u loaders.Use) bool { return u.Op != "Cast" })
}

// move replaces numbers by neighbouring numbers of their type, in place. It skips zeros, NaN and
// infinities, and always moves the largest finite number toward zero. Read as integers, the bits of
// neighbouring floats differ by 1, because floats are stored as sign and magnitude.
func (j *jitter) move(elem tensor.ElementType, data []byte) {
	size := elem.Bits() / 8
	infinity := infinities[elem]
	var coins uint64
	for i := range len(data) / size {
		if i%64 == 0 {
			coins = j.random.Uint64()
		}
		up := coins&1 == 1
		coins >>= 1
		var word [8]byte
		copy(word[:], data[i*size:(i+1)*size])
		bits := binary.LittleEndian.Uint64(word[:])
		magnitude := bits &^ (1 << (elem.Bits() - 1))
		if magnitude == 0 || magnitude >= infinity {
			continue
		}
		if up && magnitude+1 < infinity {
			bits++
		} else {
			bits--
		}
		binary.LittleEndian.PutUint64(word[:], bits)
		copy(data[i*size:(i+1)*size], word[:])
		j.moved++
	}
}

// infinities maps each type to the bits of +Inf.
var infinities = map[tensor.ElementType]uint64{tensor.Float16: 0x7c00, tensor.BFloat16: 0x7f80,
	tensor.Float32: 0x7f800000, tensor.Float64: 0x7ff0000000000000}
