package locate_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/reportschema"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

var within = locate.VoteOptions{Compare: compare.Options{Checks: []compare.Check{
	compare.Within(1e-5, 1e-5, compare.Elementwise)}}}

// take takes a vote over two iterations.
func take(ctx context.Context, engines ...backends.Engine) *locate.VoteReport {
	GinkgoHelper()
	report, err := locate.Vote(ctx, declared{}, inputs(2), within, engines...)
	Expect(err).NotTo(HaveOccurred())
	follows(report)
	return report
}

// follows holds the report to docs/report.schema.json.
func follows(report *locate.VoteReport) {
	GinkgoHelper()
	text, err := json.Marshal(report)
	Expect(err).NotTo(HaveOccurred())
	Expect(reportschema.Validate(text)).To(Succeed(), string(text))
	verdict := "fail"
	if report.Unanimous() {
		verdict = "pass"
	}
	Expect(text).To(ContainSubstring(`"kind":"vote","verdict":"` + verdict + `"`))
}

var a, b, c = engine{"a", ""}, engine{"b", ""}, engine{"c", ""}

// wrong is an engine with a fault.
func wrong(name, fault string) engine { return engine{name, fault} }

var _ = Describe("A vote", func() {
	It("is unanimous if every pair agrees", func(ctx SpecContext) {
		report := take(ctx, a, b, c)
		Expect(report.Unanimous()).To(BeTrue())
		Expect(report.Apart).To(BeEmpty())
		Expect(report.Headline()).To(Equal("all 3 engines agree"))
		Expect(report.Text()).To(Equal(
			"3 engines, inputs given in Go, every pair checked with " +
				within.Compare.Checks[0].String() + "\n" +
				"  a: a 1, computed in an unknown precision\n  b: b 1, computed in an unknown precision\n" +
				"  c: c 1, computed in an unknown precision\ny: all agree\nz: all agree\n"))
	})

	DescribeTable("names the engine with a planted fault, wherever it stands in the list",
		func(ctx SpecContext, fault string, outputs ...string) {
			for place := range 3 {
				engines := []backends.Engine{a, b, c}
				engines[place] = wrong("odd", fault)
				report := take(ctx, engines...)
				Expect(report.Unanimous()).To(BeFalse())
				Expect(report.Apart).To(HaveLen(1))
				Expect(report.Apart[0].Name).To(Equal("odd"))
				Expect(report.Apart[0].Outputs).To(Equal(outputs))
				for _, out := range report.Outputs {
					if out.Outcome != locate.Agreed {
						Expect(out.Outcome).To(Equal(locate.OddOneOut))
						Expect(out.Apart).To(Equal([]string{"odd"}))
						Expect(out.Camps[0]).To(HaveLen(2))
					}
				}
			}
		},
		Entry("one wrong value", "wrong value", "y"),
		Entry("two wrong outputs", "both wrong", "y", "z"),
		Entry("rows in another order", "rows", "y"),
		Entry("the output of before", "stale", "y", "z"),
		Entry("float16 inside", "float16", "y"),
		Entry("bfloat16 inside", "bfloat16", "y"),
		Entry("an output that is lost", "lost", "z"),
		Entry("an output of another type", "type", "y"),
	)

	It("names several engines that stand apart", func(ctx SpecContext) {
		report := take(ctx, a, wrong("e", "wrong value"), b, wrong("f", "rows"), c)
		Expect(report.Outputs[0].Outcome).To(Equal(locate.SeveralApart))
		Expect(report.Outputs[0].Apart).To(Equal([]string{"e", "f"}))
		Expect(report.Outputs[0].Camps).To(Equal([][]string{{"a", "b", "c"}, {"e"}, {"f"}}))
		Expect(report.Headline()).To(Equal("y: e and f disagree with the majority: a, b and c agree"))
		Expect(report.Apart).To(HaveLen(2))
	})

	It("says that there is a tie", func(ctx SpecContext) {
		report := take(ctx, a, wrong("b", "wrong value"))
		Expect(report.Outputs[0].Outcome).To(Equal(locate.Tied))
		Expect(report.Apart).To(BeEmpty())
		Expect(report.Headline()).To(Equal(
			"y: a and b differ; add a third engine to see which one it agrees with"))

		report = take(ctx, a, wrong("b", "rows"), c, wrong("d", "rows"))
		Expect(report.Outputs[0].Outcome).To(Equal(locate.Tied))
		Expect(report.Headline()).To(Equal("y: a tie: a and c against b and d"))
	})

	It("says that there is no majority", func(ctx SpecContext) {
		report := take(ctx, a, wrong("b", "wrong value"), wrong("c", "rows"))
		Expect(report.Outputs[0].Outcome).To(Equal(locate.Scattered))
		Expect(report.Headline()).To(Equal("y: no two engines agree"))

		report = take(ctx, a, b, wrong("c", "rows"), wrong("d", "wrong value"))
		Expect(report.Headline()).To(Equal("y: no majority: only a and b agree"))
	})

	It("says that the tolerance is about as large as the differences", func(ctx SpecContext) {
		// x, 1.0001·x and 1.0002·x: neighbours agree within 1.5e-4, the ends do not.
		loose := locate.VoteOptions{Compare: compare.Options{Checks: []compare.Check{
			compare.Within(0, 1.5e-4, compare.Elementwise)}}}
		twice := wrong("twice", "a bit")
		chained := []backends.Engine{a, twice, double{}}
		report, err := locate.Vote(ctx, declared{}, inputs(1), loose, chained...)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Outputs[0].Outcome).To(Equal(locate.Chained))
		follows(report)
		Expect(report.Outputs[0].Camps).To(BeEmpty())
		Expect(report.Headline()).To(ContainSubstring("y: undecided: two engines differ but both agree " +
			"with a third"))
	})

	It("votes on each output separately", func(ctx SpecContext) {
		report := take(ctx, a, b, wrong("c", "wrong value"), wrong("d", "lost"))
		Expect(report.Outputs[0].Apart).To(Equal([]string{"c"}))
		Expect(report.Outputs[1].Apart).To(Equal([]string{"d"}))
		Expect(report.Outputs[1].Pairs).To(ContainElement(HaveField("Reason",
			ContainSubstring("the output is missing"))))
	})

	It("warns if all engines of the majority share their code", func(ctx SpecContext) {
		report := take(ctx, engine{"ort", ""}, engine{"ort", " "}, wrong("tract", "wrong value"))
		Expect(report.Outputs[0].Apart).To(Equal([]string{"tract"}))
		Expect(report.Outputs[0].Caution).To(Equal("all engines of the majority are variants of " +
			"ort and share code, so treat them as one vote: ort against tract"))
		Expect(report.Voters[1].Name).To(Equal("ort #2"))
		Expect(take(ctx, a, b, wrong("c", "wrong value")).Outputs[0].Caution).To(BeEmpty())
	})

	It("gives no vote to an engine that does not run the model, and says why", func(ctx SpecContext) {
		report := take(ctx, a, wrong("ill", "refuses"), b)
		Expect(report.Unanimous()).To(BeTrue())
		Expect(report.Refused()).To(HaveLen(1))
		Expect(report.Text()).To(ContainSubstring("ill did not run and has no vote: ill is out of order"))
		_, err := locate.Vote(ctx, declared{}, inputs(1), within, a, wrong("ill", "refuses"))
		Expect(err).To(MatchError("vote: at least two engines must run the model, but only 1 of 2 did; " +
			"add an engine, or the same engine with other settings; ill: ill is out of order"))
	})

	It("gives every engine the very same inputs, even from a generator that does not repeat",
		func(ctx SpecContext) {
			draws := float32(0)
			generator := fixtures.From("once", func() iter.Seq2[*tensor.Set, error] {
				return func(yield func(*tensor.Set, error) bool) {
					draws++
					x, err := tensor.New(tensor.Shape{1, 2}, []float32{draws, draws})
					Expect(err).NotTo(HaveOccurred())
					set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: x})
					yield(set, err)
				}
			})
			report, err := locate.Vote(ctx, declared{}, generator, within, a, b, c)
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Unanimous()).To(BeTrue())
		})

	It("counts an existing run", func(ctx SpecContext) {
		run, err := backends.RunIn(ctx, wrong("odd", "wrong value"), declared{}, inputs(1))
		Expect(err).NotTo(HaveOccurred())
		of := run.Subject()
		of.Model = declared{}
		with := within
		with.Run = run
		report, err := locate.Vote(ctx, of.Model, of.Inputs, with, a, b)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Apart[0].Name).To(Equal("odd"))
	})

	It("is an error if nothing can be compared", func(ctx SpecContext) {
		_, err := locate.Vote(ctx, declared{}, inputs(1), locate.VoteOptions{}, a, b)
		Expect(err).To(MatchError(ContainSubstring("Options has no check")))
		_, err = locate.Vote(ctx, declared{}, fixtures.Of(), within, a, b)
		Expect(err).To(MatchError(backends.ErrNoInputs))
		_, err = locate.Vote(ctx, declared{}, inputs(1), within, a, nil)
		Expect(err).To(MatchError("vote: an engine is nil"))
		_, err = locate.Vote(ctx, declared{}, inputs(1), within, a, b, a)
		Expect(err).To(MatchError("vote: " + a.String() + " is named twice with the same settings, so " +
			"its two votes would agree; change its settings, or name it once"))
		enough := errors.New("enough")
		ended, cancel := context.WithCancelCause(ctx)
		cancel(enough)
		_, err = locate.Vote(ended, declared{}, inputs(1), within, a, b)
		Expect(err).To(MatchError(enough))
	})

	It("marshals to JSON", func(ctx SpecContext) {
		report := take(ctx, a, b, wrong("c", "wrong value"))
		text, err := json.Marshal(report)
		Expect(err).NotTo(HaveOccurred())
		var back locate.VoteReport
		Expect(json.Unmarshal(text, &back)).To(Succeed())
		Expect(back.Headline()).To(Equal(report.Headline()))
		for _, change := range [][2]string{{`"outcome":"odd one out"`, `"outcome":"odd"`},
			{`"kind":"vote"`, `"kind":"poll"`}, {`"voters"`, `"engines"`},
			{`"agree":true`, `"agree":"yes"`}, {`"name":"a"`, `"name":"a","colour":"red"`}} {
			changed := strings.Replace(string(text), change[0], change[1], 1)
			Expect(changed).NotTo(Equal(string(text)), change[0])
			Expect(reportschema.Validate([]byte(changed))).NotTo(Succeed(), change[1])
		}
		Expect(reportschema.Validate([]byte(
			`{"version":1,"kind":"vote","verdict":"error","reason":"no engine"}`))).To(Succeed())
	})
})

var _ = Describe("Inside the model, a vote", func() {
	BeforeEach(func() {
		ort.Require(GinkgoT())
		tract.Require(GinkgoT())
	})

	It("names the node at which an engine with a wrong operator differs",
		func(ctx SpecContext) {
			model := loaders.ONNXBytes("chain.onnx", chain())
			o := within
			o.Locate = true
			report, err := locate.Vote(ctx, model, fixtures.Random(model, fixtures.ValRange(-2, 2)), o,
				ort.Engine(), faulty{}, tract.Engine())
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Apart).To(HaveLen(1))
			Expect(report.Apart[0].Name).To(Equal("faulty"))
			Expect(report.Apart[0].Problem).To(BeEmpty())
			follows(report)
			Expect(report.Apart[0].Located.Isolated.Node).To(Equal("positive"))
			Expect(report.Text()).To(ContainSubstring("compared with onnxruntime, inside the model: " +
				`"p" is the first tensor out of tolerance, computed by Relu "positive" (node 1)`))
		})

	It("finds where two engines differ if there is no majority", func(ctx SpecContext) {
		model := loaders.ONNXBytes("chain.onnx", chain())
		o := within
		o.Locate = true
		report, err := locate.Vote(ctx, model, fixtures.Random(model, fixtures.ValRange(-2, 2)), o,
			tract.Engine(), faulty{})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Outputs[0].Outcome).To(Equal(locate.Tied))
		Expect(report.Apart).To(HaveLen(1))
		Expect(report.Apart[0].Located.Isolated.Node).To(Equal("positive"))
	})

	It("compares one engine under several options with another", func(ctx SpecContext) {
		model := loaders.ONNXBytes("chain.onnx", chain())
		report, err := locate.Vote(ctx, model, fixtures.Random(model), within,
			ort.Engine(), ort.Engine(ort.OptimizationLevel(ort.OptimizeNone)),
			ort.Engine(ort.Threads(2)), tract.Engine(), tract.Engine(tract.FP16()))
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Headline()).To(Equal("y: tract FP16 disagrees with the majority: onnxruntime, " +
			"onnxruntime OptimizationLevel(none), onnxruntime Threads(2) and tract agree"))
	})
})
