package cli

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

func TestFlagsOfDebugPrecisionBecomeOptions(t *testing.T) {
	g := NewWithT(t)
	var r precisionRequest
	_, err := arguments.Parse(r.layerFlags(), strings.Fields(
		"--mode LINEAR --dir reverse --precision float16 --int8 --fp16"), nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.search).To(Equal(precision.Layers{Linear: true, Reverse: true,
		Higher: tensor.Float16, Format: precision.FP16}))
	g.Expect(r.lower).To(HaveExactElements("--int8", "--fp16"))
	for line, says := range map[string]string{
		"--mode halves":    `unknown value "halves": want bisect, linear`,
		"--dir up":         `unknown value "up": want forward, reverse`,
		"--precision int8": `unknown precision "int8": want float32 or float16`,
	} {
		_, err := arguments.Parse(r.layerFlags(), strings.Fields(line), nil)
		g.Expect(err).To(MatchError(ContainSubstring(says)))
	}
}
