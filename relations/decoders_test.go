package relations_test

import (
	"context"
	"encoding/json"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/relations"
	"github.com/modelparity/modelparity/tensor"
)

// meddled is an engine that changes a decoder's inputs and outputs. Each opened model has its own
// meddler.
type meddled struct {
	backends.Engine
	name string
	with func() func(inputs, outputs map[string]*tensor.Tensor)
}

func (e meddled) Text() string { return "meddled " + e.name + e.Engine.Text() }

func (e meddled) Open(ctx context.Context, m fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error) {
	b, err := e.Engine.Open(ctx, m, inputs)
	return &meddles{b, e.with()}, err
}

type meddles struct {
	backends.Backend
	with func(inputs, outputs map[string]*tensor.Tensor)
}

func (b *meddles) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	fed := map[string]*tensor.Tensor{}
	for set, err := range inputs.All() {
		if err != nil {
			return nil, err
		}
		for name, t := range set.All() {
			fed[name] = t
		}
		b.with(fed, nil)
		inputs = fixtures.Of(refilled(set, fed))
		break
	}
	run, err := b.Backend.Run(ctx, inputs)
	if err != nil {
		return nil, err
	}
	return run.Changed(func(set *tensor.Set) (*tensor.Set, error) {
		given := map[string]*tensor.Tensor{}
		for name, t := range set.All() {
			given[name] = t
		}
		b.with(fed, given)
		return refilled(set, given), nil
	})
}

// refilled replaces the tensors of a set.
func refilled(set *tensor.Set, all map[string]*tensor.Tensor) *tensor.Set {
	var entries []tensor.Entry
	for _, name := range set.Names() {
		entries = append(entries, tensor.Entry{Name: name, Tensor: all[name]})
	}
	changed, err := tensor.NewSet(entries...)
	Expect(err).NotTo(HaveOccurred())
	return changed
}

// remembering keeps its first write to slot 5 of layer 1's value, head 1, so it does not forget
// rolled-back tokens.
func remembering() func(inputs, outputs map[string]*tensor.Tensor) {
	const slot, head = 5, 1
	var kept []float32
	return func(inputs, outputs map[string]*tensor.Tensor) {
		name := "present.1.value"
		t := outputs[name]
		if t == nil || t.Shape()[2] <= slot {
			return
		}
		shape := t.Shape()
		values, err := tensor.Values[float32](t)
		Expect(err).NotTo(HaveOccurred())
		from := (head*shape[2] + slot) * shape[3]
		if kept == nil {
			kept = slices.Clone(values[from : from+shape[3]])
		}
		changed := slices.Clone(values)
		copy(changed[from:], kept)
		outputs[name], err = tensor.New(shape, changed)
		Expect(err).NotTo(HaveOccurred())
	}
}

// heedless treats padding as tokens.
func heedless() func(inputs, outputs map[string]*tensor.Tensor) {
	return func(inputs, _ map[string]*tensor.Tensor) {
		mask := inputs["attention_mask"]
		var err error
		inputs["attention_mask"], err = tensor.New(mask.Shape(), slices.Repeat([]int64{1}, mask.Len()))
		Expect(err).NotTo(HaveOccurred())
	}
}

// leakingRow copies the first sequence's last slot of layer 0's key, head 0, into the second
// sequence.
func leakingRow() func(inputs, outputs map[string]*tensor.Tensor) {
	return func(_, outputs map[string]*tensor.Tensor) {
		t := outputs["present.0.key"]
		if t == nil || t.Shape()[0] < 2 {
			return
		}
		shape := t.Shape()
		values, err := tensor.Values[float32](t)
		Expect(err).NotTo(HaveOccurred())
		changed := slices.Clone(values)
		row, last := shape[1]*shape[2]*shape[3], (shape[2]-1)*shape[3]
		copy(changed[row+last:row+last+shape[3]], values[last:])
		outputs["present.0.key"], err = tensor.New(shape, changed)
		Expect(err).NotTo(HaveOccurred())
	}
}

var _ = Describe("Relations of decoders", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	model := func(name string) *loaders.Model {
		return loaders.ONNX("../decode/testdata/" + name + ".onnx")
	}
	one := decode.Tokens([]int64{5, 17, 3, 42, 8, 1, 30, 2})
	two := decode.Tokens([]int64{5, 17, 3, 42, 8, 1, 30, 2}, []int64{9, 4, 11})
	run := func(ctx context.Context, e backends.Engine, name string, tokens fixtures.Inputs,
	) *backends.Run {
		GinkgoHelper()
		r, err := decode.Run(ctx, e, model(name), tokens)
		Expect(err).NotTo(HaveOccurred())
		return r
	}
	near := func(m *RelationMatcher) *RelationMatcher { return m.Within(1e-4, 1e-4, Elementwise) }

	for _, name := range []string{"gpt2", "llama"} {
		It("hold for a healthy "+name, func(ctx SpecContext) {
			Expect(run(ctx, ort.Engine(), name, two)).To(near(BeRollbackInvariant()))
			Expect(run(ctx, ort.Engine(), name, two)).To(near(BeSequenceInvariant()))
			Expect(run(ctx, ort.Engine(), name, one)).To(near(BeSequenceInvariant()))
		})
	}

	It("hold for an encoder-decoder, whose decoder has no mask and no positions", func(
		ctx SpecContext) {
		// Encoder states are fed at every step. The sequences have equal lengths, since no mask could
		// mark padding.
		var tokens fixtures.Inputs
		for set, err := range fixtures.Load("../decode/testdata/t5.npz").All() {
			Expect(err).NotTo(HaveOccurred())
			tokens = fixtures.Of(set.Only("input_ids", "encoder_attention_mask",
				"encoder_hidden_states"))
		}
		t5 := run(ctx, ort.Engine(), "t5", tokens)
		Expect(t5).To(near(BeStepInvariant()))
		Expect(t5).To(near(BeRollbackInvariant()))
		_, err := near(BeShiftInvariant(3)).Match(t5)
		Expect(err).To(MatchError(ContainSubstring("the model has no input position_ids")))
		Expect(t5).To(near(BeSequenceInvariant()))
	})

	It("hold within noise", func(ctx SpecContext) {
		Expect(run(ctx, ort.Engine(), "llama", two)).To(BeSequenceInvariant())
		Expect(run(ctx, ort.Engine(), "llama", one)).To(BeShiftInvariant(9))
		Expect(run(ctx, ort.Engine(), "llama", one)).To(BeRollbackInvariant())
	})

	It("locate a failed rollback by token, layer and head", func(ctx SpecContext) {
		broken := run(ctx, meddled{ort.Engine(), "remembering ", remembering}, "llama", one)
		m := near(BeRollbackInvariant())
		Expect(m.Match(broken)).To(BeFalse())
		Expect(m.FailureMessage(broken)).To(And(
			ContainSubstring("to compute the same results as if it had never read tokens that it "+
				"rolled back"),
			ContainSubstring("with 3 draft tokens fed after token "),
			ContainSubstring(" and rolled back: output "),
			ContainSubstring("first differ at token 5, in layer 1 value, head 1 (output")))
	})

	It("name leaking padding and leaking sequences", func(ctx SpecContext) {
		broken := run(ctx, meddled{ort.Engine(), "heedless ", heedless}, "llama", two)
		m := near(BeSequenceInvariant())
		Expect(m.Match(broken)).To(BeFalse())
		Expect(m.FailureMessage(broken)).To(And(
			ContainSubstring("sequence 0 in a batch of 2, with 1 more padding tokens"),
			ContainSubstring("first differ at token 0, in layer 1 key, head ")))
		broken = run(ctx, meddled{ort.Engine(), "leaking ", leakingRow}, "llama", one)
		Expect(m.Match(broken)).To(BeTrue(), "the fault needs a second sequence")
		broken = run(ctx, meddled{ort.Engine(), "leaking ", leakingRow}, "llama", two)
		Expect(m.Match(broken)).To(BeFalse())
		Expect(m.FailureMessage(broken)).To(And(ContainSubstring("sequence 1 in a batch of 2: "),
			ContainSubstring("first differ at token 0, in layer 0 key, head 0 ")))
	})

	It("distinguish relative positions from learnt ones", func(ctx SpecContext) {
		Expect(run(ctx, ort.Engine(), "llama", one)).To(near(BeShiftInvariant(20)))
		learnt := run(ctx, ort.Engine(), "gpt2", one)
		m := near(BeShiftInvariant(20))
		Expect(m.Match(learnt)).To(BeFalse())
		Expect(m.FailureMessage(learnt)).To(ContainSubstring("first differ at token 0, in layer 0 value"))
	})

	It("appear first in a report if broken within noise", func(ctx SpecContext) {
		all := []relations.Relation{relations.Steps(), relations.Rollback(), relations.Sequences(),
			relations.Shift(20)}
		for name, broken := range map[string]string{"llama": "", "gpt2": "shift"} {
			report, err := relations.Check(ctx, backends.Subject{Engine: decode.Engine(ort.Engine()),
				Model: model(name), Inputs: one}, relations.Options{}, all...)
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Refused()).To(BeNil())
			if broken == "" {
				Expect(report.Primary()).To(BeNil())
				Expect(report.Headline()).To(Equal(
					"steps, rollback, sequences, shift hold within noise"))
				continue
			}
			Expect(report.Primary()).NotTo(BeNil())
			Expect(report.Primary().Relation).To(Equal(broken))
			Expect(json.Marshal(report)).To(ContainSubstring(`"verdict":"fail"`))
			Expect(report.Headline()).To(HavePrefix("shift is broken: "))
		}
	})

	It("are not judged if they do not apply", func(ctx SpecContext) {
		short := run(ctx, ort.Engine(), "llama", decode.Tokens([]int64{5}))
		_, err := BeRollbackInvariant().Match(short)
		Expect(err).To(MatchError(ContainSubstring("rolling back needs at least two tokens")))
		_, err = BeShiftInvariant(0).Match(short)
		Expect(err).To(MatchError(ContainSubstring("expected 1 or more")))
		plain := meddled{ort.Engine(), "", heedless}
		no, err := backends.RunIn(ctx, ort.Engine(), loaders.ONNX(
			"../example_test/digits/testdata/digits.onnx"), fixtures.Random(loaders.ONNX(
			"../example_test/digits/testdata/digits.onnx")))
		Expect(err).NotTo(HaveOccurred())
		for _, m := range []*RelationMatcher{BeRollbackInvariant(), BeShiftInvariant(1),
			BeSequenceInvariant()} {
			_, err = m.Match(no)
			Expect(err).To(MatchError(ContainSubstring("make the run with decode.Run")), "%v", plain)
		}
	})
})
