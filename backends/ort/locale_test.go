package ort_test

import (
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

var _ = Describe("A model that asks for a locale", func() {
	It("is refused with what to install where the system lacks it", func() {
		text := onnxtest.Value{Name: "x", Elem: 8, Dims: []any{"n"}}
		out := onnxtest.Value{Name: "y", Elem: 8, Dims: []any{"m"}}
		_, err := open(loaders.ONNXBytes("text.onnx", onnxtest.Model{Graph: onnxtest.Graph{
			Inputs: []onnxtest.Value{text}, Outputs: []onnxtest.Value{out},
			Nodes: []onnxtest.Node{{Op: "StringNormalizer", Name: "lower", In: []string{"x"},
				Out: []string{"y"}, Attrs: []onnxtest.Attr{{Name: "case_change_action", Text: "LOWER"},
					{Name: "locale", Text: "xx_XX.UTF-8"}}}}}}.Bytes()))
		Expect(err).To(MatchError(And(ContainSubstring("text.onnx: a node needs the locale "+
			"xx_XX.UTF-8, but the system has no locale of that name; install Debian's package "+
			"locales-all, or run localedef -i xx_XX -f UTF-8 DIR/xx_XX.UTF-8 and set LOCPATH=DIR"),
			Not(ContainSubstring("\n")))))
		var explained *backends.Refusal
		Expect(errors.As(err, &explained)).To(BeTrue())
		Expect(explained.Reason).To(Equal(backends.NoLocale))
	})
})
