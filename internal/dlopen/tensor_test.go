package dlopen

import (
	"math"
	"testing"
	"unsafe"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/tensor"
)

var codes = Codes{1: tensor.Int4, 2: tensor.Uint4, 3: tensor.Float4E2M1, 4: tensor.Uint2,
	6: tensor.Uint8, 7: tensor.Float32}

func TestBitsThatBelongToNoElementAreCleared(t *testing.T) {
	for name, row := range map[string]struct {
		elem           tensor.ElementType
		shape          []int
		data, expected []byte
	}{
		"one of 4 bits":   {tensor.Int4, []int{1}, []byte{0xab}, []byte{0x0b}},
		"three of 4 bits": {tensor.Uint4, []int{1, 3}, []byte{0xab, 0xcd}, []byte{0xab, 0x0d}},
		"two of 4 bits":   {tensor.Float4E2M1, []int{2}, []byte{0xab}, []byte{0xab}},
		"three of 2 bits": {tensor.Uint2, []int{3}, []byte{0xff}, []byte{0x3f}},
		"0-d of 4 bits":   {tensor.Int4, nil, []byte{0xab}, []byte{0x0b}},
		"none of 4 bits":  {tensor.Int4, []int{0, 3}, nil, []byte{}},
		"whole bytes":     {tensor.Uint8, []int{1}, []byte{0xff}, []byte{0xff}},
	} {
		g := NewWithT(t)
		copied, err := codes.Copy(codes.Of(row.elem), row.shape,
			unsafe.Pointer(unsafe.SliceData(row.data)))
		g.Expect(err).NotTo(HaveOccurred(), name)
		g.Expect(copied.ElementType()).To(Equal(row.elem), name)
		g.Expect(copied.Bytes()).To(Equal(row.expected), name)
	}
}

func TestCopyRefusesWhatDoesNotFit(t *testing.T) {
	g := NewWithT(t)
	for _, shape := range []tensor.Shape{{-1}, {math.MaxInt}, {1 << 40, 1 << 40}} {
		_, err := codes.Copy(7, shape, nil)
		g.Expect(err).To(MatchError(ContainSubstring("cannot be copied: ")))
	}
	for _, code := range []int{-1, 0, 5, 8} {
		_, err := codes.Copy(code, nil, nil)
		g.Expect(err).To(MatchError(MatchRegexp(
			"^the engine returned element type %d, which modelparity does not support$", code)))
	}
}

func TestTypesWithoutACodeHaveNone(t *testing.T) {
	g := NewWithT(t)
	g.Expect(codes.Of(tensor.Float32)).To(Equal(7))
	g.Expect(codes.Of(tensor.Invalid)).To(Equal(-1))
	g.Expect(codes.Of(tensor.Float64)).To(Equal(-1))
}
