package relations_test

import (
	"math"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = skips.Announce("trained: ", "make trained")

// signal returns frames of the given shape, along a first axis of 10.
func signal(name string, frame ...int) fixtures.Inputs {
	n := 10
	for _, d := range frame {
		n *= d
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(math.Sin(float64(i) * 10 / float64(n) * 4.1))
	}
	t, err := tensor.New(append(tensor.Shape{10}, frame...), values)
	Expect(err).NotTo(HaveOccurred())
	set, err := tensor.NewSet(tensor.Entry{Name: name, Tensor: t})
	Expect(err).NotTo(HaveOccurred())
	return fixtures.Of(set)
}

var _ = Describe("a stream against itself", func() {
	var model *loaders.Model
	BeforeEach(func() {
		ort.Require(GinkgoT())
		path := filepath.Join(GinkgoT().TempDir(), "lstm.onnx")
		Expect(os.WriteFile(path, onnxtest.LSTM().Bytes(), 0o600)).To(Succeed())
		model = loaders.ONNX(path)
	})
	of := func(ctx SpecContext, e backends.Engine) *backends.Run {
		run, err := decode.Stream(ctx, e, model, signal("x", 1, 1, 4), decode.State("hn", "h"),
			decode.State("cn", "c"))
		Expect(err).NotTo(HaveOccurred())
		return run
	}
	// fails returns the failure message of a matcher.
	fails := func(m *RelationMatcher, run *backends.Run) string {
		GinkgoHelper()
		ok, err := m.Match(run)
		Expect(err).NotTo(HaveOccurred())
		Expect(ok).To(BeFalse())
		return m.FailureMessage(run)
	}

	It("is the same in chunks and after a reset", func(ctx SpecContext) {
		Expect(of(ctx, ort.Engine())).To(And(BeResetInvariant(), BeChunkInvariant(),
			BeChunkInvariant().Along("x", 0).Within(1e-6, 1e-6, Elementwise)))
	})

	It("breaks where states leak through the session", func(ctx SpecContext) {
		leaky := meddled{ort.Engine(), "leaky", func() func(in, out map[string]*tensor.Tensor) {
			var kept *tensor.Tensor
			return func(in, out map[string]*tensor.Tensor) {
				switch {
				case out != nil:
					kept = out["cn"]
				case kept != nil:
					in["c"] = kept
				}
			}
		}}
		Expect(fails(BeResetInvariant(), of(ctx, leaky))).To(
			ContainSubstring("in another stream of the session (session 1), frame 0"))
	})

	It("breaks in chunks if states are lost, late or exchanged", func(ctx SpecContext) {
		for name, with := range map[string]func() func(in, out map[string]*tensor.Tensor){
			"lost": func() func(in, out map[string]*tensor.Tensor) {
				return func(in, out map[string]*tensor.Tensor) {
					if out == nil {
						in["h"], _ = tensor.FromBytes(tensor.Float32, in["h"].Shape(), make([]byte, 12))
					}
				}
			},
			"late": func() func(in, out map[string]*tensor.Tensor) {
				var before *tensor.Tensor
				return func(in, out map[string]*tensor.Tensor) {
					if out == nil {
						now := in["c"]
						if before != nil {
							in["c"] = before
						}
						before = now
					}
				}
			},
			"exchanged": func() func(in, out map[string]*tensor.Tensor) {
				return func(in, out map[string]*tensor.Tensor) {
					if out == nil {
						in["h"], in["c"] = in["c"], in["h"]
					}
				}
			},
		} {
			run := of(ctx, meddled{ort.Engine(), name, with})
			Expect(fails(BeChunkInvariant().Within(1e-5, 1e-5, Elementwise), run)).To(
				ContainSubstring("in chunks of 2 frames, frame "), name)
		}
	})

	It("is refused if it is no stream, or its frames cannot be joined", func(ctx SpecContext) {
		run, err := ort.Run(ctx, model, fixtures.Random(model))
		Expect(err).NotTo(HaveOccurred())
		for _, m := range []*RelationMatcher{BeResetInvariant(), BeChunkInvariant()} {
			_, err = m.Match(run)
			Expect(err).To(MatchError(ContainSubstring("the run is not a stream: ")))
		}
		fixed := onnxtest.LSTM()
		fixed.Graph.Inputs[0].Dims[0], fixed.Graph.Outputs[0].Dims[0] = 1, 1
		path := filepath.Join(GinkgoT().TempDir(), "fixed.onnx")
		Expect(os.WriteFile(path, fixed.Bytes(), 0o600)).To(Succeed())
		frames, err := decode.Stream(ctx, ort.Engine(), loaders.ONNX(path), signal("x", 1, 1, 4),
			decode.State("hn", "h"), decode.State("cn", "c"))
		Expect(err).NotTo(HaveOccurred())
		Expect(frames).To(BeResetInvariant())
		_, err = BeChunkInvariant().Match(frames)
		Expect(err).To(MatchError(ContainSubstring(
			"frames cannot be joined into chunks; set the axis")))
		_, err = BeStepInvariant().Match(of(ctx, ort.Engine()))
		Expect(err).To(MatchError(ContainSubstring("the other options are for tokens")))
	})

	It("holds for Silero's detector over sequences", func(ctx SpecContext) {
		folder, err := os.UserCacheDir()
		Expect(err).NotTo(HaveOccurred())
		path := filepath.Join(folder, "modelparity", "trained", "silero6-sequence.onnx")
		if _, err := os.Stat(path); err != nil {
			Skip("trained: make trained fetches silero6-sequence")
		}
		run, err := decode.Stream(ctx, ort.Engine(), loaders.ONNX(path), signal("input", 1, 576),
			decode.State("hn", "h"), decode.State("cn", "c"))
		Expect(err).NotTo(HaveOccurred())
		Expect(run).To(And(BeResetInvariant(), BeChunkInvariant().Within(1e-4, 1e-4, Elementwise)))
		Expect(run).To(BeChunkInvariant())
	})
})
