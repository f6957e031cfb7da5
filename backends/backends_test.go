package backends_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/inputsum"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// three is inputs of three iterations; the i-th holds i.
var three = fixtures.From("three", func() iter.Seq2[*tensor.Set, error] {
	return func(yield func(*tensor.Set, error) bool) {
		for i := range 3 {
			set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Scalar(int64(i))})
			if !yield(set, err) {
				return
			}
		}
	}
})

func echo(_ context.Context, in *tensor.Set) (*tensor.Set, error) { return in, nil }

var _ = Describe("A run", func() {
	It("needs an engine and a context", func(ctx SpecContext) {
		_, err := backends.RunIn(ctx, nil, nil, three)
		Expect(err).To(MatchError("backends: the engine is nil"))
		var none context.Context
		_, err = backends.RunIn(none, fake.Engine(fake.Func(echo)), nil, three)
		Expect(err).To(MatchError("backends: the context is nil; pass context.Background()"))
	})

	It("keeps only the outputs that are named, and what it was made of", func(ctx SpecContext) {
		pair := func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
			return tensor.NewSet(tensor.Entry{Name: "a", Tensor: in.At(0).Tensor},
				tensor.Entry{Name: "b", Tensor: in.At(0).Tensor})
		}
		run, err := backends.Collect(ctx, backends.Provenance{Backend: "abacus"}, backends.Subject{},
			three, pair)
		Expect(err).NotTo(HaveOccurred())
		kept, err := run.Only("b")
		Expect(err).NotTo(HaveOccurred())
		Expect(kept.Outputs()).To(HaveLen(3))
		Expect(kept.Outputs()[2].Names()).To(Equal([]string{"b"}))
		Expect(kept.Provenance).To(Equal(run.Provenance))
		Expect(run.Only()).To(BeIdenticalTo(run))
		turned, err := run.Only("b", "a", "b")
		Expect(err).NotTo(HaveOccurred())
		Expect(turned.Outputs()[0].Names()).To(Equal([]string{"b", "a"}))
	})
})

var _ = Describe("Collect", func() {
	p := backends.Provenance{Backend: "abacus"}

	It("runs every iteration in order, and says where the inputs come from", func(ctx SpecContext) {
		run, err := backends.Collect(ctx, p, backends.Subject{}, three, echo)
		Expect(err).NotTo(HaveOccurred())
		digest := inputsum.New()
		for _, set := range run.Outputs() { // echo gives its inputs
			digest.Add(set)
		}
		Expect(run.Provenance).To(Equal(backends.Provenance{Backend: "abacus", Inputs: "three",
			InputsSHA256: digest.Sum()}))
		Expect(run.Outputs()).To(HaveLen(3))
		for i, set := range run.Outputs() {
			Expect(set.At(0).Tensor.Float64At(0)).To(Equal(float64(i)))
			Expect(run.Iterations()[i].Runtime).To(BeNumerically(">=", 0))
		}
	})

	It("says once which dynamic dimensions were taken as 1", func(ctx SpecContext) {
		model := onnxtest.Model{Graph: onnxtest.Graph{
			Inputs: []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"batch", 2}}}}}
		inputs := fixtures.Random(loaders.ONNXBytes("m", model.Bytes()), fixtures.Iterations(2))
		run, err := backends.Collect(ctx, p, backends.Subject{}, inputs, echo)
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Provenance.Inputs).To(Equal("random, seed 1, values in [0,1], 2 iterations; " +
			`input "x": dynamic dimension "batch" taken as 1`))
	})

	It("says which dimensions were guessed where the engine fails", func(ctx SpecContext) {
		model := onnxtest.Model{Graph: onnxtest.Graph{Inputs: []onnxtest.Value{
			{Name: "x", Elem: 1, Dims: []any{"batch", 2, -1}}, {Name: "y", Elem: 1, Dims: []any{2}},
			{Name: "z", Elem: 1, Dims: []any{"batch"}}}}}
		file := loaders.ONNXBytes("m", model.Bytes())
		run := func(ctx context.Context, inputs fixtures.Inputs, said string, warmUp int) error {
			_, err := backends.CollectWarm(ctx, p, backends.Subject{}, inputs, warmUp,
				func(context.Context, *tensor.Set) (*tensor.Set, error) { return nil, errors.New(said) })
			return err
		}
		const guessed = `dimensions were assumed to be 1: input "x" "batch", 2, input "z" "batch"; ` +
			`set them with fixtures.Shape`
		Expect(run(ctx, fixtures.Random(file), "bad channels", 0)).To(MatchError(
			"abacus: iteration 0: bad channels; " + guessed))
		Expect(run(ctx, fixtures.Random(file), "bad channels", 1)).To(MatchError(
			"abacus: while warming up: bad channels; " + guessed))
		Expect(run(ctx, fixtures.Random(file), "its last output was:\n\tbad", 0)).To(MatchError(
			"abacus: iteration 0: its last output was:\n\tbad\n" + guessed))
		given := fixtures.Random(file, fixtures.Shape("x", 3, 2, 4)) // z follows it
		Expect(run(ctx, given, "bad channels", 0)).To(MatchError("abacus: iteration 0: bad channels"))
	})

	It("stops at the first error and says in which iteration", func(ctx SpecContext) {
		broken, calls := errors.New("broken"), 0
		_, err := backends.Collect(ctx, p, backends.Subject{}, three,
			func(context.Context, *tensor.Set) (*tensor.Set, error) {
				if calls++; calls == 2 {
					return nil, broken
				}
				return nil, nil
			})
		Expect(err).To(MatchError(broken))
		Expect(err).To(MatchError("abacus: iteration 1: broken"))
		Expect(calls).To(Equal(2))
	})

	It("warms up on the first iteration, which then counts once", func(ctx SpecContext) {
		var seen []float64
		run, err := backends.CollectWarm(ctx, p, backends.Subject{}, three, 2,
			func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
				if len(seen) < 2 {
					time.Sleep(20 * time.Millisecond)
				}
				seen = append(seen, in.At(0).Tensor.Float64At(0))
				return in, nil
			})
		Expect(err).NotTo(HaveOccurred())
		Expect(seen).To(Equal([]float64{0, 0, 0, 1, 2}))
		Expect(run.Len()).To(Equal(3))
		Expect(run.Iterations()[0].Runtime).To(BeNumerically("<", 20*time.Millisecond))
		plain, err := backends.Collect(ctx, p, backends.Subject{}, three, echo)
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Provenance).To(Equal(plain.Provenance))
	})

	It("stops while it warms up", func(ctx SpecContext) {
		ending, cancel := context.WithCancelCause(ctx)
		calls := 0
		_, err := backends.CollectWarm(ending, p, backends.Subject{}, three, math.MaxInt,
			func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
				if calls++; calls == 3 {
					cancel(errors.New("enough"))
				}
				return in, nil
			})
		Expect(err).To(MatchError("abacus: while warming up: enough"))
		_, err = backends.CollectWarm(ctx, p, backends.Subject{}, three, 1,
			func(context.Context, *tensor.Set) (*tensor.Set, error) { return nil, errors.New("broken") })
		Expect(err).To(MatchError("abacus: while warming up: broken"))
	})

	It("stops between iterations when the context ends", func(ctx SpecContext) {
		reason := errors.New("enough")
		ending, cancel := context.WithCancelCause(ctx)
		_, err := backends.Collect(ending, p, backends.Subject{}, three,
			func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
				cancel(reason)
				return in, nil
			})
		Expect(err).To(MatchError("abacus: iteration 1: enough"))
	})

	It("gives on an error of the inputs", func(ctx SpecContext) {
		broken := errors.New("no such file")
		_, err := backends.Collect(ctx, p, backends.Subject{}, fixtures.From("broken",
			func() iter.Seq2[*tensor.Set, error] {
				return func(yield func(*tensor.Set, error) bool) { yield(nil, broken) }
			}), echo)
		Expect(err).To(MatchError(broken))
		Expect(err).To(MatchError("iteration 0: no such file"), "the engine is not to blame")
	})

	It("refuses to run nothing", func(ctx SpecContext) {
		for _, nothing := range []fixtures.Inputs{{}, fixtures.Of()} {
			_, err := backends.Collect(ctx, p, backends.Subject{}, nothing, echo)
			Expect(err).To(MatchError(backends.ErrNoInputs))
		}
	})
})

var _ = DescribeTable("Provenance prints as a name for messages",
	func(p backends.Provenance, expected string) { Expect(p.String()).To(Equal(expected)) },
	Entry("with all of it", backends.Provenance{Backend: "onnxruntime", Version: "1.31.1",
		Provider: "CPUExecutionProvider"}, "onnxruntime 1.31.1 (CPUExecutionProvider)"),
	Entry("with a name alone", backends.Provenance{Backend: "fake"}, "fake"),
	Entry("with nothing", backends.Provenance{}, "unknown backend"),
)

var _ = It("A nil run has no outputs", func() {
	var run *backends.Run
	Expect(run.Outputs()).To(BeNil())
})
