package cli

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// decoded reads the flags of decode.
func decoded(line string) (*decodeRequest, error) {
	var r decodeRequest
	_, err := read(&r, flagsOf("", r.sections()), strings.Fields(line))
	if err == nil {
		_, err = r.decode.options()
	}
	return &r, err
}

func TestFlagsOfDecodeBecomeOptions(t *testing.T) {
	g := NewWithT(t)
	for line, want := range map[string]string{
		"--steps 128 1": "decode.Steps(128, 1)",
		"--whole":       "decode.Whole()",
		"--greedy 5":    "decode.Greedy(5)",
		"--top-k 3":     "decode.TopK(3)",

		"--frames f.npz --state hn:h cn:c:0": `decode.State("hn", "h"), decode.State("cn:c", "0")`,
	} {
		r, err := decoded(line)
		g.Expect(err).NotTo(HaveOccurred(), line)
		options, err := r.decode.options()
		g.Expect(err).NotTo(HaveOccurred(), line)
		g.Expect(decode.Engine(ort.Engine(), options...).GoString()).To(ContainSubstring(want), line)
	}
	r, err := decoded("--tokens t.json --vs other.onnx")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.decode.other).To(Equal("other.onnx"))
	g.Expect(r.decode.inputs()).To(WithTransform(
		func(i fixtures.Inputs) string { return i.Origin().Text }, Equal("t.json")))
	_, err = new(decoding).inputs()
	g.Expect(err).To(MatchError(ContainSubstring("write --tokens FILE")))
}

func TestFlagsOfDecodeSayWhatIsWrong(t *testing.T) {
	for line, says := range map[string]string{
		"--steps 0":           `--steps: "0" is not a whole number of at least 1`,
		"--steps":             "--steps needs a value",
		"--whole --steps 2":   "drop one of them",
		"--greedy many":       `"many" is not a whole number of at least 1`,
		"--greedy 0":          `"0" is not a whole number of at least 1`,
		"--top-k 0":           `"0" is not a whole number of at least 1`,
		"--tokens= --whole":   "--tokens has an empty value",
		"--state h":           `"h" does not name a state; write OUTPUT:INPUT`,
		"--vs= --tokens t.py": "--vs has an empty value",
	} {
		_, err := decoded(line)
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(says)), line)
	}
}

func TestFramesNeedStates(t *testing.T) {
	for line, says := range map[string]string{
		"--frames f.npz":                         "--frames FILE and --state OUTPUT:INPUT",
		"--state hn:h":                           "--frames FILE and --state OUTPUT:INPUT",
		"--frames f.npz --tokens t --state hn:h": "--tokens FILE for a decoder, or --frames",
	} {
		r, err := decoded(line)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		_, err = r.decode.inputs()
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(says)), line)
	}
}

func TestSpeedCountsTokensAndNotPadding(t *testing.T) {
	g := NewWithT(t)
	ids, err := tensor.New(tensor.Shape{2, 2}, []int64{5, 17, -1, 3})
	g.Expect(err).NotTo(HaveOccurred())
	set, err := tensor.NewSet(tensor.Entry{Name: "tokens", Tensor: ids})
	g.Expect(err).NotTo(HaveOccurred())
	of := func(took time.Duration) string {
		return speedText(backends.NewRun(backends.Provenance{}, backends.Iteration{Outputs: set,
			Runtime: took}))
	}
	g.Expect(of(time.Second)).To(Equal("3 tokens, 3 tokens per second"))
	g.Expect(of(-1)).To(Equal("3 tokens"))
}

func TestEqualRunsWithoutLogitsAddNoText(t *testing.T) {
	ort.Require(t)
	g := NewWithT(t)
	top, err := decode.Run(t.Context(), ort.Engine(), loaders.ONNX("../../decode/testdata/gpt2.onnx"),
		decode.Tokens([]int64{5, 17, 3}), decode.TopK(3))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(decodedText(top, top, decode.Under(compare.Options{
		Checks: []compare.Check{compare.Within(0, 0, compare.Elementwise)}}, nil,
		compare.NoiseBars{}))).To(BeEmpty())
}
