package tract

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/tensor"
)

func TestFactsReadAsTractWritesThem(t *testing.T) {
	for want, fact := range map[string]Fact{
		"f32":          {tensor.Float32, nil},
		"0,3,i64":      {tensor.Int64, []int{0, 3}},
		"1,3,8,8,bool": {tensor.Bool, []int{1, 3, 8, 8}},
	} {
		NewWithT(t).Expect(fact.String()).To(Equal(want))
	}
}

func TestTheWidthOfAnElementIsInItsCode(t *testing.T) {
	for code, elem := range codes {
		if elem != tensor.Invalid {
			NewWithT(t).Expect(elem.Bytes(1)).To(Equal(code & 0xf))
			NewWithT(t).Expect(names).To(HaveKey(elem))
		}
	}
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
