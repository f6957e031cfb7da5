package decode_test

import (
	"math"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = skips.Announce("trained: ", "make trained")

// trained returns one of the streaming networks that `make trained` fetches.
func trained(name, input string, feeds, outputs []string, width int) streaming {
	folder := must(os.UserCacheDir())
	path := filepath.Join(folder, "modelparity", "trained", name+".onnx")
	if _, err := os.Stat(path); err != nil {
		Skip("trained: make trained fetches " + name)
	}
	s := streaming{model: loaders.ONNX(path), input: input, width: width, feeds: feeds,
		outputs: outputs}
	for i := range feeds {
		s.states = append(s.states, decode.State(outputs[i], feeds[i]))
	}
	return s
}

var _ = Describe("Silero's voice detector", func() {
	one, next := []string{"state"}, []string{"stateN"}
	two, after := []string{"h", "c"}, []string{"hn", "cn"}
	others := []backends.Engine{openvino.Engine(), tract.Engine()}
	DescribeTable("gives the same stream in other engines, and planted faults are named",
		func(ctx SpecContext, name string, feeds, outputs []string, width int, rate bool,
			engines []backends.Engine) {
			ort.Require(GinkgoT())
			openvino.Require(GinkgoT())
			tract.Require(GinkgoT())
			s := trained(name, "input", feeds, outputs, width)
			if rate {
				s.more = &tensor.Entry{Name: "sr", Tensor: must(tensor.New(tensor.Shape{}, []int64{16000}))}
			}
			s.findsPlanted(ctx)
			reference := s.run(ctx, ort.Engine(), 30)
			for _, e := range engines {
				run := s.run(ctx, e, 30)
				Expect(run).To(MatchOutputsWithin(1e-3, 1e-3, Elementwise).Of(reference))
				if name == "silero6-openvino" {
					Expect(run).To(MatchWithinNoise().Of(reference))
				}
			}
		},
		Entry("4, whose branches tract rejects", "silero4", two, after, 512, true, others[:1]),
		Entry("5, whose branches both reject", "silero5", one, next, 576, true, nil),
		Entry("5 for 16 kHz, which both reject", "silero-half", one, next, 576, false, nil),
		Entry("6 for old operators, which both reject", "silero6-op15", one, next, 576, true, nil),
		Entry("6, whose branches both reject", "silero6", one, next, 576, true, nil),
		Entry("6 without most branches", "silero6-ifless", one, next, 576, true, others),
		Entry("6 for OpenVINO", "silero6-openvino", one, next, 576, false, others),
		Entry("6 over sequences", "silero6-sequence", two, after, 576, false, others),
	)
})

var _ = Describe("A voice filter, whose quantized LSTMs mask what is not the wanted voice", func() {
	It("gives the same stream in OpenVINO, and planted faults are named", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		openvino.Require(GinkgoT())
		s := trained("voice-filter", "stacked_logmel", []string{"h0", "c0"}, []string{"hN", "cN"}, 512)
		speaker := make([]float32, 256)
		for i := range speaker {
			speaker[i] = float32(math.Sin(float64(i))) / 12
		}
		s.more = &tensor.Entry{Name: "dvec", Tensor: must(tensor.New(tensor.Shape{1, 256}, speaker))}
		s.findsPlanted(ctx)
		reference := s.run(ctx, ort.Engine(), 30)
		run := s.run(ctx, openvino.Engine(), 30)
		Expect(run.Only("mask", "f_adapt")).To(MatchOutputsWithin(1e-3, 0, Elementwise).
			Of(reference.Only("mask", "f_adapt")))
		Expect(run).To(MatchOutputsWithin(2e-2, 0, Elementwise).Of(reference))
	})
})

var _ = Describe("A recurrent denoiser", func() {
	DescribeTable("gives the same stream in other engines, and planted faults are named",
		func(ctx SpecContext, name, input string, feeds, outputs []string, shape []int) {
			ort.Require(GinkgoT())
			openvino.Require(GinkgoT())
			tract.Require(GinkgoT())
			s := trained(name, input, feeds, outputs, shape[len(shape)-1])
			s.before = shape[:len(shape)-1]
			s.findsPlanted(ctx)
			reference := s.run(ctx, ort.Engine(), 30)
			for _, e := range []backends.Engine{openvino.Engine(), tract.Engine()} {
				Expect(s.run(ctx, e, 30)).To(MatchWithinNoise().Of(reference), "%v", e)
			}
		},
		Entry("GTCRN, with caches of convolutions, attention and GRUs", "gtcrn", "mix",
			[]string{"conv_cache", "tra_cache", "inter_cache"},
			[]string{"conv_cache_out", "tra_cache_out", "inter_cache_out"}, []int{1, 257, 1, 2}),
		Entry("DTLN over spectra, with the states of two LSTMs", "dtln-1", "input_2",
			[]string{"input_3"}, []string{"tf_op_layer_stack_2"}, []int{1, 1, 257}),
		Entry("DTLN over features, with the states of two LSTMs", "dtln-2", "input_4",
			[]string{"input_5"}, []string{"tf_op_layer_stack_5"}, []int{1, 1, 512}),
	)
})
