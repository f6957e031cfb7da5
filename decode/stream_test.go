package decode_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// streaming is a model with states, and the inputs of a stream.
type streaming struct {
	model   *loaders.Model
	states  []decode.Option
	input   string
	width   int           // samples in a frame
	chunk   int           // frames that one run takes, if more than one
	before  []int         // sizes before the width; a sequence by default
	more    *tensor.Entry // goes into every frame
	outputs []string      // of a state
	feeds   []string      // the input of each
}

// lstm is an LSTM over frames of four values, with the states h and c.
func lstm() streaming {
	path := filepath.Join(GinkgoT().TempDir(), "lstm.onnx")
	Expect(os.WriteFile(path, onnxtest.LSTM().Bytes(), 0o600)).To(Succeed())
	return streaming{model: loaders.ONNX(path), input: "x", width: 4,
		states:  []decode.Option{decode.State("hn", "h"), decode.State("cn", "c")},
		outputs: []string{"hn", "cn"}, feeds: []string{"h", "c"}}
}

// wave returns n frames of a chirp, with the given sizes before each frame's width.
func (s streaming) wave(n int, before ...int) *tensor.Set {
	shape := append(append(tensor.Shape{n}, before...), s.width)
	values := make([]float32, must(shape.Elements()))
	for i := range values {
		at := float64(i) / 16000
		values[i] = float32(0.4 * math.Sin(2*math.Pi*(200+900*at)*at) * (1 + math.Sin(30*at)) / 2)
		if s.width < 100 { // short frames need a faster signal
			values[i] = float32(math.Sin(float64(i)))
		}
	}
	entries := []tensor.Entry{{Name: s.input, Tensor: must(tensor.New(shape, values))}}
	if s.more != nil {
		entries = append(entries, *s.more)
	}
	return must(tensor.NewSet(entries...))
}

// frames returns one set of inputs with n frames.
func (s streaming) frames(n int) fixtures.Inputs {
	before := []int{1, max(1, s.chunk)}
	if s.input == "input" {
		before = []int{1}
	}
	if s.before != nil {
		before = s.before
	}
	return fixtures.Of(s.wave(n, before...))
}

func (s streaming) run(ctx SpecContext, of backends.Engine, n int) *backends.Run {
	GinkgoHelper()
	return must(decode.Stream(ctx, of, s.model, s.frames(n), s.states...))
}

// planted returns the faults of a stream with their names in [decode.Parting].
func (s streaming) planted() map[string]*fault {
	var late [2]values
	shift := func(at int, names []string, all map[string]*tensor.Tensor) {
		now := values{}
		for _, name := range names {
			now[name] = all[name]
			if late[at] != nil {
				all[name] = late[at][name]
			} else {
				all[name] = blank(all[name])
			}
		}
		late[at] = now
	}
	lose := func(name string, all map[string]*tensor.Tensor) { all[name] = blank(all[name]) }
	list := map[string]*fault{
		"it started with zeros instead of " + s.feeds[0]: {feed: func(_ int,
			in map[string]*tensor.Tensor) {
			lose(s.feeds[0], in)
		}},
		"it started with " + s.feeds[0] + " one frame late": {feed: func(_ int,
			in map[string]*tensor.Tensor) {
			shift(0, s.feeds[:1], in)
		}},
		"it returned zeros instead of " + s.feeds[0]: {give: func(_ int,
			out map[string]*tensor.Tensor) {
			lose(s.outputs[0], out)
		}},
	}
	if len(s.feeds) > 1 && s.before == nil {
		h, c, hn, cn := s.feeds[0], s.feeds[1], s.outputs[0], s.outputs[1]
		all := strings.Join(s.feeds, ", ")
		list["it started with "+all+" one frame late"] = &fault{feed: func(_ int,
			in map[string]*tensor.Tensor) {
			shift(1, s.feeds, in)
		}}
		exchanged := h + " and " + c + " exchanged"
		list["it started with "+exchanged] = &fault{feed: func(_ int, in map[string]*tensor.Tensor) {
			in[h], in[c] = in[c], in[h]
		}}
		list["it returned "+exchanged] = &fault{give: func(_ int, out map[string]*tensor.Tensor) {
			out[hn], out[cn] = out[cn], out[hn]
		}}
	}
	return list
}

type values = map[string]*tensor.Tensor

func blank(t *tensor.Tensor) *tensor.Tensor {
	return must(tensor.FromBytes(t.ElementType(), t.Shape(), make([]byte, len(t.Bytes()))))
}

// findsPlanted expects every fault to be named.
func (s streaming) findsPlanted(ctx SpecContext) {
	GinkgoHelper()
	healthy := s.run(ctx, ort.Engine(), 8)
	Expect(decode.Part(s.run(ctx, ort.Engine(), 8), healthy, near)).To(BeNil())
	for name, f := range s.planted() {
		f.name = name
		found := must(decode.Part(s.run(ctx, faulty{ort.Engine(), f}, 8), healthy, near))
		Expect(found).NotTo(BeNil(), name)
		Expect(found.Why).To(HaveSuffix("as it would if " + name))
		Expect(found.Why).NotTo(ContainSubstring(", or "))
		Expect(found.Iteration).To(Equal(map[bool]int{true: 1, false: 0}[f.feed != nil]), name)
		Expect(found.States).NotTo(BeEmpty(), name)
	}
}

var _ = Describe("A stream", func() {
	var s streaming
	BeforeEach(func() { ort.Require(GinkgoT()); s = lstm() })

	It("carries its states in every engine", func(ctx SpecContext) {
		openvino.Require(GinkgoT())
		tract.Require(GinkgoT())
		joined := s.wave(8, 1)
		zero := must(tensor.New(tensor.Shape{1, 1, 3}, make([]float32, 3)))
		whole := must(ort.Run(ctx, s.model, fixtures.Of(must(tensor.NewSet(joined.At(0),
			tensor.Entry{Name: "h", Tensor: zero}, tensor.Entry{Name: "c", Tensor: zero}))))).Outputs()[0]
		all, _ := whole.Get("out")
		for _, engine := range []backends.Engine{ort.Engine(), openvino.Engine(), tract.Engine()} {
			run := s.run(ctx, engine, 8)
			Expect(run.Len()).To(Equal(8))
			for i, outputs := range run.Outputs() {
				out, _ := outputs.Get("out")
				for k := range 3 {
					Expect(out.Float64At(k)).To(BeNumerically("~", all.Float64At(i*3+k), 1e-5))
				}
			}
			Expect(must(run.Only("hn", "cn")).Outputs()[7]).To(
				MatchOutputsWithin(1e-5, 1e-5, Elementwise).Of(whole.Only("hn", "cn")))
			Expect(run).To(MatchWithinNoise().Of(s.run(ctx, ort.Engine(), 8)))
		}
	})

	It("takes frames as iterations, and a state that restarts it", func(ctx SpecContext) {
		run := s.run(ctx, ort.Engine(), 4)
		drawn := must(run.Subject().Draw())
		Expect(drawn).To(HaveLen(4))
		Expect(decode.Stream(ctx, ort.Engine(), s.model, fixtures.Of(drawn...), s.states...)).To(
			MatchOutputsWithin(0, 0, Elementwise).Of(run))
		zero := must(tensor.New(tensor.Shape{1, 1, 3}, make([]float32, 3)))
		drawn = append(drawn, edited(drawn[0], func(map[string]*tensor.Tensor) {}))
		drawn[4] = must(tensor.NewSet(drawn[0].At(0), tensor.Entry{Name: "h", Tensor: zero},
			tensor.Entry{Name: "c", Tensor: zero}))
		again := must(decode.Stream(ctx, ort.Engine(), s.model, fixtures.Of(drawn...), s.states...))
		Expect(again.Outputs()[4]).To(MatchOutputsWithin(0, 0, Elementwise).Of(run.Outputs()[0]))
		wide := s.wave(2, 1, 2) // two rows of a batch: the states are as wide
		Expect(must(decode.Stream(ctx, ort.Engine(), s.model, fixtures.Of(wide), s.states...)).
			Outputs()[1].Names()).To(Equal([]string{"out", "hn", "cn"}))
	})

	It("names lost, late and exchanged states", func(ctx SpecContext) { s.findsPlanted(ctx) })

	It("tells drift from a frame that computes otherwise", func(ctx SpecContext) {
		healthy := s.run(ctx, ort.Engine(), 8)
		scaled := func(by float64) func(int, map[string]*tensor.Tensor) {
			return func(step int, out map[string]*tensor.Tensor) {
				if by > 1.1 && step != 5 {
					return
				}
				of := out["cn"]
				more := make([]float32, of.Len())
				for i := range more {
					more[i] = float32(by * of.Float64At(i))
				}
				out["cn"] = must(tensor.New(of.Shape(), more))
			}
		}
		drifting := s.run(ctx, faulty{ort.Engine(), &fault{name: "drift", give: scaled(1.001)}}, 8)
		found := must(decode.Part(drifting, healthy, compare.Within(0, 1.3e-3, compare.Elementwise)))
		Expect(found.Iteration).To(BeNumerically(">", 0))
		Expect(found.String()).To(ContainSubstring(
			"starting this frame from the actual run's states, the expected engine returns the actual " +
				"run's outputs: the states drifted apart in earlier frames, each of which passed the " +
				"comparison"))
		broken := s.run(ctx, faulty{ort.Engine(), &fault{name: "broken", give: scaled(2)}}, 8)
		byNoise := MatchWithinNoise().Of(healthy).Locating()
		Expect(byNoise.Match(broken)).To(BeFalse())
		Expect(byNoise.FailureMessage(broken)).To(And(ContainSubstring(`at frame 5, in state "cn"`),
			ContainSubstring("the same states, the actual run computes this frame differently\ninside")))
		found = must(decode.Part(broken, healthy, near))
		Expect(found.String()).To(And(ContainSubstring(`at frame 5, in state "cn"`),
			HaveSuffix("from the same states, the actual run computes this frame differently")))

		path := filepath.Join(GinkgoT().TempDir(), "saved.json")
		Expect(runs.WriteRuns(path, []runs.Named{{Name: "broken", Run: broken}})).To(Succeed())
		saved := must(runs.ReadOne(ctx, path)).Run
		Expect(must(decode.Part(saved, healthy, near)).String()).To(Equal(found.String()))
		Expect(must(decode.Part(saved, must(runs.ReadOne(ctx, path)).Run, near))).To(BeNil())
		other := must(saved.Changed(func(set *tensor.Set) (*tensor.Set, error) {
			return edited(set, func(m map[string]*tensor.Tensor) { m["out"] = blank(m["out"]) }), nil
		}))
		Expect(must(decode.Part(other, saved, near)).Why).To(ContainSubstring("read from a file"))
	})

	It("names the frame by a format's error, and by the noise where decisions flip", func(
		ctx SpecContext) {
		healthy := s.run(ctx, ort.Engine(), 8)
		at := func(frame int, change func(*tensor.Tensor) *tensor.Tensor) *backends.Run {
			return s.run(ctx, faulty{ort.Engine(), &fault{name: "broken", give: func(step int,
				out map[string]*tensor.Tensor) {
				if step == frame {
					out["cn"] = change(out["cn"])
				}
			}}}, 8)
		}
		broken := at(5, func(t *tensor.Tensor) *tensor.Tensor {
			more := make([]float32, t.Len())
			for i := range more {
				more[i] = float32(-3 * t.Float64At(i))
			}
			return must(tensor.New(t.Shape(), more))
		})
		computes := And(ContainSubstring(`the streams first differ at frame 5, in state "cn"`),
			ContainSubstring("from the same states, the actual run computes this frame differently\ninside"))
		worse := NoWorseThan(precision.FP16).Of(healthy).Locating()
		Expect(s.run(ctx, ort.Engine(), 8)).To(worse)
		for _, m := range []OmegaMatcher{worse,
			MatchDecisions(decisions.TopK{K: 1, Output: "out"}).Of(healthy).Locating(),
			MatchDecisionsWithinNoise(decisions.TopK{K: 1, Output: "out"}).Of(healthy).Locating()} {
			Expect(m.Match(broken)).To(BeFalse())
			Expect(m.FailureMessage(broken)).To(computes)
		}
		lost := at(3, blank)
		Expect(worse.Match(lost)).To(BeFalse())
		Expect(worse.FailureMessage(lost)).To(And(
			ContainSubstring(`the streams first differ at frame 3, in state "cn"`),
			ContainSubstring("as it would if it returned zeros instead of c"),
			Not(ContainSubstring("inside the models"))))
	})

	It("matches its golden file, and names the frame after which a state was lost", func(
		ctx SpecContext) {
		same := MatchGolden("stream").Within(1e-4, 1e-4, Elementwise)
		Expect(s.run(ctx, ort.Engine(), 4)).To(same)
		f := s.planted()["it started with zeros instead of h"]
		f.name = "lost"
		broken := s.run(ctx, faulty{ort.Engine(), f}, 4)
		Expect(same.Match(broken)).To(BeFalse())
		Expect(same.FailureMessage(broken)).To(ContainSubstring("iteration 1"))
	})

	It("is located as any run", func(ctx SpecContext) {
		expected := s.run(ctx, ort.Engine(), 3)
		graph := filepath.Join(GinkgoT().TempDir(), "sinh.onnx")
		data := must(os.ReadFile(s.model.Path()))
		at := len(data) - len("Tanh")
		for string(data[at:at+4]) != "Tanh" {
			at--
		}
		copy(data[at:], "Sinh")
		Expect(os.WriteFile(graph, data, 0o600)).To(Succeed())
		actual := must(decode.Stream(ctx, ort.Engine(), loaders.ONNX(graph), s.frames(3), s.states...))
		found := must(locate.Divergence(ctx, actual.Subject(), expected.Subject(), locate.Options{
			Compare: compare.Options{Checks: []compare.Check{near}}, Isolate: true}))
		Expect(found.Text()).To(ContainSubstring("Sinh"))
		located := And(ContainSubstring("the streams first differ at frame 0, in output \"out\""),
			ContainSubstring("the states agree there; starting from the same states"),
			ContainSubstring("Sinh"))
		locating := MatchOutputsWithin(1e-4, 1e-4, Elementwise).Of(expected).Locating()
		Expect(locating.Match(actual)).To(BeFalse())
		Expect(locating.FailureMessage(actual)).To(located)
		byNoise := MatchWithinNoise().Of(expected).Locating()
		Expect(byNoise.Match(actual)).To(BeFalse())
		Expect(byNoise.FailureMessage(actual)).To(And(located,
			ContainSubstring("note: tensors are judged by the noise of ")))
	})

	It("says what is wrong", func(ctx SpecContext) {
		run := func(frames fixtures.Inputs, options ...decode.Option) error {
			_, err := decode.Stream(ctx, ort.Engine(), s.model, frames, options...)
			return err
		}
		says := func(text string) OmegaMatcher { return MatchError(ContainSubstring(text)) }
		Expect(run(s.frames(2))).To(says("add decode.State(output, input)"))
		Expect(run(s.frames(2), decode.State("hn", "x1"))).To(says(`has no input "x1"`))
		Expect(run(s.frames(2), decode.State("h1", "h"))).To(says(`has no output "h1"`))
		Expect(run(s.frames(2), decode.State("", "h"))).To(
			says("needs the names of an output and of an input"))
		Expect(run(s.frames(2), decode.State("hn", "h"), decode.State("cn", "h"))).To(
			says(`outputs "hn" and "cn" are both states for input "h"; keep one`))
		Expect(run(s.frames(2), decode.State("hn", "h"), decode.Whole())).To(
			says("is for streams of frames, the other options are for tokens"))
		Expect(run(fixtures.Random(s.model, fixtures.Iterations(3)), s.states...)).To(
			says("the inputs of all 3 frames include the states"))
	})

	It("prints as Go, and is read again from its text", func(ctx SpecContext) {
		e := decode.Engine(ort.Engine(), s.states...)
		Expect(e.GoString()).To(Equal(
			`decode.Engine(ort.Engine(), decode.State("hn", "h"), decode.State("cn", "c"))`))
		Expect(e.String()).To(ContainSubstring("onnxruntime, frame by frame"))
		read := must(backends.OpenText(e.Text()))
		Expect(backends.RunIn(ctx, read, s.model, s.frames(4))).To(
			MatchOutputsWithin(0, 0, Elementwise).Of(s.run(ctx, ort.Engine(), 4)))
	})
})
