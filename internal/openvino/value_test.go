package openvino

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestBitsThatBelongToNoElementAreCleared(t *testing.T) {
	for name, row := range map[string]struct {
		elem           ElementType
		shape          []int
		data, expected []byte
	}{
		"one of 4 bits":       {Int4, []int{1}, []byte{0xab}, []byte{0x0b}},
		"three of 4 bits":     {Uint4, []int{1, 3}, []byte{0xab, 0xcd}, []byte{0xab, 0x0d}},
		"two of 4 bits":       {Float4E2M1, []int{2}, []byte{0xab}, []byte{0xab}},
		"three of 2 bits":     {Uint2, []int{3}, []byte{0xff}, []byte{0x3f}},
		"one bit":             {Uint1, []int{1}, []byte{0xff}, []byte{0x01}},
		"0-d of 4 bits":       {Int4, nil, []byte{0xab}, []byte{0x0b}},
		"none of 4 bits":      {Int4, []int{0, 3}, nil, nil},
		"whole bytes":         {Uint8, []int{1}, []byte{0xff}, []byte{0xff}},
		"another size than 4": {Int4, []int{9}, []byte{0xff}, []byte{0xff}},
	} {
		tensor := Tensor{Type: row.elem, Shape: row.shape, Data: row.data}
		tensor.clearRest()
		NewWithT(t).Expect(tensor.Data).To(Equal(row.expected), name)
	}
}

func TestErrorsWithoutWordsHaveAStatus(t *testing.T) {
	g := NewWithT(t)
	g.Expect((&Error{Status: -14}).Error()).To(Equal("OpenVINO's status -14"))
	g.Expect((&Error{Status: -1, Message: "no"}).Error()).To(Equal("no"))
}
