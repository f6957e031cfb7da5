package cli

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
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
	g.Expect(r.decode.Inputs()).To(WithTransform(
		func(i fixtures.Inputs) string { return i.Origin().Text }, Equal("t.json")))
	_, err = new(decoding).Inputs()
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
		_, err = r.decode.Inputs()
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(says)), line)
	}
}

// TestAStreamOfOneFrameIsMentioned passes frames with the rank that the model declares, which are
// one frame of several sequences, and frames with one more dimension.
func TestAStreamOfOneFrameIsMentioned(t *testing.T) {
	ort.Require(t)
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: 1, Dims: []any{"batch", 2}}
	}
	model := onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Add", Name: "add", In: []string{"x", "h"}, Out: []string{"y"}},
			{Op: "Neg", Name: "next", In: []string{"y"}, Out: []string{"hn"}}},
		Inputs:  []onnxtest.Value{value("x"), value("h")},
		Outputs: []onnxtest.Value{value("y"), value("hn")}}}
	g.Expect(os.WriteFile("net.onnx", model.Bytes(), 0o600)).To(Succeed())
	for shape, says := range map[string]types.GomegaMatcher{
		"3,2": ContainSubstring("note: frames.npz contains one frame (x [3,2]), so no state is " +
			"carried from frame to frame; to pass several, add a first dimension for the frames\n"),
		"3,1,2": Not(ContainSubstring("one frame")),
	} {
		var dims tensor.Shape
		for d := range strings.SplitSeq(shape, ",") {
			n, err := strconv.Atoi(d)
			g.Expect(err).NotTo(HaveOccurred())
			dims = append(dims, n)
		}
		x, err := tensor.New(dims, []float32{1, 2, 3, 4, 5, 6})
		g.Expect(err).NotTo(HaveOccurred())
		set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: x})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(fixtures.Save("frames.npz", fixtures.Of(set))).To(Succeed())
		status, stdout, stderr := modelparity(t, "decode", "net.onnx", "--frames", "frames.npz",
			"--state", "hn:h", "--expected-onnxrt-threads", "2")
		g.Expect(status).To(Equal(equal), stderr)
		g.Expect(stdout).To(says)
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
		compare.Bars{}))).To(BeEmpty())
}
