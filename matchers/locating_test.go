package matchers_test

import (
	"context"
	"errors"
	"iter"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// threeNodes is x → Neg a → middle b → Neg y.
func threeNodes(name, middle string) *loaders.Model {
	value := func(name string) []onnxtest.Value {
		return []onnxtest.Value{{Name: name, Elem: 1, Dims: []any{4}}}
	}
	return loaders.ONNXBytes(name, onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "Neg", Name: "first", In: []string{"x"}, Out: []string{"a"}},
			{Op: middle, Name: "second", In: []string{"a"}, Out: []string{"b"}},
			{Op: "Neg", Name: "third", In: []string{"b"}, Out: []string{"y"}}},
		Inputs: value("x"), Outputs: value("y")}}.Bytes())
}

// times is a model that multiplies by a constant.
func times(factor float32) *loaders.Model {
	value := []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{4}}}
	return loaders.ONNXBytes("times.onnx", onnxtest.Model{Graph: onnxtest.Graph{Name: "times",
		Initializers: []onnxtest.Tensor{{Name: "factor", Type: 1, Raw: onnxtest.Float32s(factor)}},
		Nodes:        []onnxtest.Node{{Op: "Mul", In: []string{"x", "factor"}, Out: []string{"y"}}},
		Inputs:       value, Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{4}}}}}.Bytes())
}

var _ = Describe("Locating", func() {
	opened := 0
	// counted is ONNX Runtime, which counts how often it is opened, and may be broken.
	counted := func(broken error) backends.Engine {
		return fake.Engine(fake.Opens(func(ctx context.Context, m fixtures.Declaration,
			in fixtures.Inputs) (backends.Backend, error) {
			if opened++; opened > 1 && broken != nil {
				return nil, broken
			}
			b, err := ort.Engine().Open(ctx, m, in)
			return anonymous{b}, err
		}))
	}
	right, wrong := threeNodes("right.onnx", "Tanh"), threeNodes("wrong.onnx", "Sin")
	inputs := fixtures.Random(right)
	ran := func(run *backends.Run, err error) *backends.Run {
		GinkgoHelper()
		Expect(err).NotTo(HaveOccurred())
		return run
	}
	exact := func() *OutputsMatcher { return MatchOutputsWithin(1e-5, 1e-5, Elementwise) }
	BeforeEach(func() {
		ort.Require(GinkgoT())
		opened = 0
	})

	It("ends a failure with the node that makes the runs part", func(ctx SpecContext) {
		m := exact().Of(ort.Run(ctx, right, inputs)).Locating()
		run := ran(backends.RunIn(ctx, counted(nil), wrong, inputs))
		Expect(m.Match(run)).To(BeFalse())
		Expect(opened).To(Equal(1), "no search before the message is read")
		Expect(m.FailureMessage(run)).To(And(
			ContainSubstring("\ninside the models:\n    actual    wrong.onnx in onnxruntime"),
			ContainSubstring(`"b" is the first tensor out of tolerance, computed by Sin "second" (node 1; `+
				`Tanh on the expected side): the node alone is out of tolerance`)))
		Expect(opened).To(BeNumerically(">", 2))
	})

	It("takes the tolerance inside from noise", func(ctx SpecContext) {
		m := MatchWithinNoise().Of(ort.Run(ctx, right, inputs)).Locating()
		run := ran(ort.Run(ctx, wrong, inputs))
		Expect(m.Match(run)).To(BeFalse())
		Expect(m.FailureMessage(run)).To(And(
			ContainSubstring("\ninside the models:\n    actual    wrong.onnx in onnxruntime"),
			ContainSubstring("note: tensors are judged by the noise of "),
			ContainSubstring(`"b" is the first tensor out of tolerance, computed by Sin "second" (node 1; `+
				`Tanh on the expected side): the node alone is out of tolerance`)))
		Expect(ort.Run(ctx, right, inputs)).To(m)
	})

	It("names a node whose error is a few last places, as long as rounding does not make it",
		func(ctx SpecContext) {
			m := MatchWithinNoise().Of(ort.Run(ctx, times(1), inputs)).Locating()
			run := ran(ort.Run(ctx, times(1+7*0x1p-23), inputs))
			Expect(m.Match(run)).To(BeFalse())
			Expect(m.FailureMessage(run)).To(ContainSubstring(`"y" is the first tensor out of tolerance, ` +
				`computed by Mul (node 0, unnamed): the node alone is out of tolerance`))
		})

	It("costs a passing spec nothing", func(ctx SpecContext) {
		Expect(backends.RunIn(ctx, counted(nil), right, inputs)).To(
			MatchOutputsWithin(0, 0, Elementwise).Of(ort.Run(ctx, right, inputs)).Locating())
		Expect(opened).To(Equal(1))
	})

	It("says what kept it from searching", func(ctx SpecContext) {
		m := exact().Of(ort.Run(ctx, right, inputs)).Locating()
		run := ran(backends.RunIn(ctx, counted(errors.New("the engine is busy")), wrong, inputs))
		Expect(m.Match(run)).To(BeFalse())
		Expect(m.FailureMessage(run)).To(ContainSubstring("the first divergence cannot be located: " +
			"wrong.onnx in fake Opens(a function): the engine is busy"))
	})

	DescribeTable("says in one line what cannot be run again",
		func(ctx SpecContext, expected func(*backends.Run) any, why string) {
			other := ran(ort.Run(ctx, right, inputs))
			m := exact().Of(expected(other)).Locating()
			run := ran(ort.Run(ctx, wrong, inputs))
			Expect(m.Match(run)).To(BeFalse())
			Expect(m.FailureMessage(run)).To(HaveSuffix(
				"\nthe first divergence cannot be located: the expected side" + why))
			mirrored := exact().Of(run).Locating()
			Expect(mirrored.Match(expected(other))).To(BeFalse())
			Expect(mirrored.FailureMessage(nil)).To(HaveSuffix(
				"\nthe first divergence cannot be located: the actual side" + why))
		},
		Entry("a run from a file", func(run *backends.Run) any {
			return backends.NewRun(run.Provenance, run.Iterations()...)
		}, ": the run was read from a file and has no engine that could repeat it; run the model in "+
			"the spec instead"),
		Entry("tensors by themselves", func(run *backends.Run) any { return run.Outputs() },
			" has only tensors, which no engine can compute again: pass the *backends.Run instead"),
	)

	It("does not locate against a golden file, and says so in one line", func(ctx SpecContext) {
		path := filepath.Join(GinkgoT().TempDir(), "right.json")
		Expect(golden.Write(path, ran(ort.Run(ctx, right, inputs)), golden.Options{})).To(Succeed())
		m := exact().OfFile(path).Locating()
		run := ran(ort.Run(ctx, wrong, inputs))
		Expect(m.Match(run)).To(BeFalse())
		Expect(m.FailureMessage(run)).To(ContainSubstring("\nthe first divergence cannot be located: " +
			"the expected side: the run was read from a file"))
	})

	It("rejects inputs that changed when drawn again", func(ctx SpecContext) {
		drawn := 0
		moving := fixtures.Repeatable("moving", func() iter.Seq2[*tensor.Set, error] {
			return func(yield func(*tensor.Set, error) bool) {
				drawn++
				yield(tensor.NewSet(tensor.Entry{Name: "x",
					Tensor: tensor.Of(float32(drawn), 1, 2, 3)}))
			}
		})
		m := exact().Of(ort.Run(ctx, right, moving)).Locating()
		run := ran(ort.Run(ctx, wrong, moving))
		Expect(m.Match(run)).To(BeFalse())
		Expect(m.FailureMessage(run)).To(ContainSubstring("the first divergence cannot be located: the " +
			"actual side: the inputs (moving) changed since the run"))
	})

	It("refuses runs on different inputs", func(ctx SpecContext) {
		m := exact().Of(ort.Run(ctx, right, fixtures.Random(right, fixtures.Seed(2)))).Locating()
		run := ran(ort.Run(ctx, wrong, inputs))
		Expect(m.Match(run)).To(BeFalse())
		Expect(m.FailureMessage(run)).To(ContainSubstring("the first divergence cannot be located: the " +
			"two sides ran on different inputs"))
	})

	It("tells what it found when the spec ends, and runs under a context that lasts",
		func(ctx SpecContext) {
			over, cancel := context.WithCancelCause(ctx)
			m := exact().Of(ort.Run(over, right, inputs)).Locating()
			cancel(errors.New("BeforeEach has ended"))
			run := ran(ort.Run(ctx, wrong, inputs))
			Expect(m.Match(run)).To(BeFalse())
			Expect(m.FailureMessage(run)).To(ContainSubstring(`"b" is the first tensor out of tolerance`))

			early, cancel := context.WithCancelCause(ctx)
			run = ran(ort.Run(early, wrong, inputs))
			cancel(errors.New("It has ended"))
			Expect(m.Match(run)).To(BeFalse())
			Expect(m.FailureMessage(run)).To(ContainSubstring("the first divergence cannot be located: " +
				"the run's context has ended (BeforeEach has ended), so follow-up runs cannot use it; " +
				"run the model inside the spec, or give the run the spec's context with run.Under(ctx)"))

			ending, cancel := context.WithCancelCause(ctx)
			m = exact().Of(ort.Run(ending, right, inputs)).Locating()
			run = ran(backends.RunIn(ending, counted(nil), wrong, inputs))
			Expect(m.Match(run)).To(BeFalse())
			stopping = func() {
				if opened == 3 {
					cancel(errors.New("the spec timed out"))
				}
			}
			defer func() { stopping = func() {} }()
			Expect(m.FailureMessage(run)).To(And(
				ContainSubstring("\n    incomplete: stopped while comparing inner tensors, with 0 of 3 "),
				ContainSubstring("the spec timed out")))
		})
})

// stopping is called before each run of an anonymous backend.
var stopping = func() {}

// anonymous is a backend whose runs do not say which engine made them, so that the engine that was
// opened is their subject.
type anonymous struct{ backends.Backend }

func (b anonymous) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	stopping()
	run, err := b.Backend.Run(ctx, inputs)
	if err != nil {
		return nil, err
	}
	return backends.NewRun(run.Provenance, run.Iterations()...), nil
}
