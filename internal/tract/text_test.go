package tract

import (
	"math"
	"testing"

	. "github.com/onsi/gomega"
)

func TestFactsReadAsTractWritesThem(t *testing.T) {
	for want, fact := range map[string]Fact{
		"f32":          {Float32, nil},
		"0,3,i64":      {Int64, []int{0, 3}},
		"1,3,8,8,bool": {Bool, []int{1, 3, 8, 8}},
	} {
		NewWithT(t).Expect(fact.String()).To(Equal(want))
	}
}

func TestSizesAreThoseOfTheTypes(t *testing.T) {
	for elem, want := range map[DatumType]int{Bool: 1, Uint8: 1, Int16: 2, Float16: 2, Uint32: 4,
		Float32: 4, Int64: 8, Float64: 8, 0x54: 0, 0: 0} {
		NewWithT(t).Expect(elem.Size()).To(Equal(want))
	}
}

func TestBytesRefusesWhatDoesNotFit(t *testing.T) {
	g := NewWithT(t)
	g.Expect(bytes(Float32, []int{2, 3})).To(Equal(24))
	g.Expect(bytes(Float32, nil)).To(Equal(4))
	g.Expect(bytes(Float64, []int{0, math.MaxInt})).To(Equal(0))
	for _, shape := range [][]int{{-1}, {math.MaxInt}, {1 << 40, 1 << 40}} {
		_, err := bytes(Float32, shape)
		g.Expect(err).To(MatchError(ContainSubstring("invalid shape")))
	}
	_, err := bytes(0x99, nil)
	g.Expect(err).To(MatchError("unknown element type 0x99"))
}

func TestAnswersAreOneLine(t *testing.T) {
	for answer, want := range map[string]string{
		"plain": "plain",
		"Translating node #1\n\nCaused by:\n    0: in output_facts\n    1: no such thing\n" +
			"\nStack backtrace:\n   0: std::x": "Translating node #1: in output_facts: no such thing",
		"Building node\n\nCaused by:\n    Unknown DatumType Bfloat16": "Building node: Unknown " +
			"DatumType Bfloat16",
		"": "",
	} {
		NewWithT(t).Expect(oneLine(answer)).To(Equal(want))
	}
}
