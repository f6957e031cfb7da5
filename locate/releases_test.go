package locate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/reportschema"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/tensor"
)

// series are releases 1.1, 1.2, … of a fake, each in a process of its own, that return the given
// values. A NaN stands for a release that does not open the model.
func series(values ...float64) (list []backends.Release) {
	for i, v := range values {
		e := isolated.Engine(fake.Engine(fake.Echo(), fake.Set("x", 0, v)))
		if math.IsNaN(v) {
			e = fake.Engine()
		}
		list = append(list, backends.Release{Version: fmt.Sprintf("1.%d", i+1), Engine: e})
	}
	return list
}

var _ = Describe("The releases of an engine", func() {
	nan, model := math.NaN(), loaders.ONNXBytes("chain.onnx", chain())
	search := locate.Options{Compare: compare.Options{
		Checks: []compare.Check{compare.Within(0.1, 0, compare.Elementwise)}}}
	find := func(ctx context.Context, values ...float64) *locate.ReleaseReport {
		GinkgoHelper()
		report, err := locate.Releases(ctx, model, inputs(1), locate.ReleaseOptions{Search: search},
			series(values...)...)
		Expect(err).NotTo(HaveOccurred())
		text, err := json.Marshal(report)
		Expect(err).NotTo(HaveOccurred())
		Expect(reportschema.Validate(text)).To(Succeed(), string(text))
		var document struct{ Kind, Verdict, Reason string }
		Expect(json.Unmarshal(text, &document)).To(Succeed())
		Expect(document.Kind).To(Equal("releases"))
		switch {
		case !report.Agree():
			Expect(document.Verdict + ": " + document.Reason).To(Equal("fail: " + report.Headline()))
		case report.Refused() != nil:
			Expect(document.Verdict + ": " + document.Reason).To(
				HavePrefix("error: 1.2 could not be judged: "))
		default:
			Expect(document.Verdict + document.Reason).To(Equal("pass"))
		}
		return report
	}

	DescribeTable("are named in one line", func(ctx SpecContext, line string, values ...float64) {
		Expect(find(ctx, values...).Headline()).To(Equal(line))
	},
		Entry("all good", "every release that runs the model is good", 1.0, 1.05),
		Entry("all good that run", "every release that runs the model is good", 1.0, nan, 1.0),
		Entry("the first bad one", "1.3 is the first bad release, and 1.2 the last good one before it",
			1.0, 1.0, 2.0, 2.0),
		Entry("behind one that does not run", "1.4 is the first bad release, and 1.2 the last good "+
			"one before it; 1 in between could not be judged",
			1.0, 1.0, nan, 2.0),
		Entry("results that come and go", "1.2 is the first bad release, and 1.1 the last good one "+
			"before it; the verdict changes more than once across the releases: good 1.1, bad 1.2, "+
			"good 1.3 to 1.5, bad 1.6",
			1.0, 2.0, 1.0, nan, 1.0, 2.0),
	)

	It("are compared with a given run, and may be mended", func(ctx SpecContext) {
		list := series(2, 2, 1, 1)
		expected, err := backends.RunIn(ctx, list[3].Engine, model, inputs(1))
		Expect(err).NotTo(HaveOccurred())
		report, err := locate.Releases(ctx, model, inputs(1),
			locate.ReleaseOptions{Search: search, Expected: expected}, list...)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Headline()).To(
			Equal("the oldest releases are bad, up to 1.2, and 1.3 is the first good one"))
		report, err = locate.Releases(ctx, model, inputs(1),
			locate.ReleaseOptions{Search: search, Expected: expected}, list[:2]...)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Headline()).To(Equal("every release that runs the model is bad: the change is " +
			"older, or the reference is wrong"))
	})

	It("cannot be judged by a reference that does not match itself", func(ctx SpecContext) {
		list := series(1, 1)
		list[0].Engine = fake.Engine(fake.Echo(), fake.Set("x", 0, nan))
		expected, err := backends.RunIn(ctx, list[0].Engine, model, inputs(1))
		Expect(err).NotTo(HaveOccurred())
		_, err = locate.Releases(ctx, model, inputs(1),
			locate.ReleaseOptions{Search: search, Expected: expected}, list...)
		Expect(err).To(MatchError(ContainSubstring("1.1: its run cannot be judged: the reference does " +
			"not match itself; to accept NaN, set NaNEqual; to accept infinities, set InfinitiesEqual")))
	})

	It("have no errors in outputs of another shape", func(ctx SpecContext) {
		list := series(1, 1)
		other := fake.Engine(fake.Func(func(context.Context, *tensor.Set) (*tensor.Set, error) {
			return tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Of[float32](1)})
		}))
		expected, err := backends.RunIn(ctx, other, model, inputs(1))
		Expect(err).NotTo(HaveOccurred())
		report, err := locate.Releases(ctx, model, inputs(1),
			locate.ReleaseOptions{Search: search, Expected: expected}, list...)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Text()).To(ContainSubstring("  1.1  bad   output \"x\": the shape is "))
	})

	It("are not judged if the model draws random numbers", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		g := network(1)
		g.Nodes = append(g.Nodes, onnxtest.Node{Op: "RandomNormalLike", Name: "draw", In: []string{"x"},
			Out: []string{"r"}})
		g.Outputs[0].Name = "r"
		s := side("random", g)
		g.Nodes[len(g.Nodes)-1].Op = "Neg"
		expected, err := backends.RunIn(ctx, plain, side("expected", g).Model, s.Inputs)
		Expect(err).NotTo(HaveOccurred())
		_, err = locate.Releases(ctx, s.Model, s.Inputs, locate.ReleaseOptions{Search: search,
			Expected: expected}, backends.Release{Version: "1", Engine: plain})
		Expect(err).To(MatchError(HavePrefix("releases: the model draws random numbers: output \"r\" " +
			"differs between two runs in ")))
	})

	It("are listed with their errors and bits", func(ctx SpecContext) {
		report := find(ctx, nan, 1, 1, 2)
		Expect(report.Text()).To(MatchRegexp(`^chain\.onnx in 4 releases; inputs: .*; every release ` +
			`compared with fake; rule: elementwise: abs ≤ 0.1 or rel ≤ 0\n` +
			`  1\.1  error: fake: .*\n` +
			`  1\.2  good  max abs 0, max rel 0\n` +
			`  1\.3  good  bit-identical to 1\.2\n` +
			`  1\.4  bad   max abs 1, max rel 1: output "x": 1 of 12 elements mismatch \(8\.33 %\)\n` +
			`1\.4 is the first bad release, and 1\.3 the last good one before it\n$`))
		Expect(report.Refused().Version).To(Equal("1.1"))
		Expect(find(ctx, 1).Refused()).To(BeNil())
	})

	It("go on if a run cannot be judged, the reference's too", func(ctx SpecContext) {
		judged := func(bad ...float64) (*locate.ReleaseReport, error) {
			return locate.Releases(ctx, model, inputs(1), locate.ReleaseOptions{Search: search,
				Judge: func(actual, expected *backends.Run) (compare.Report, error) {
					for _, run := range []*backends.Run{actual, expected} {
						if x, _ := run.Outputs()[0].Get("x"); slices.Contains(bad, x.Float64At(0)) {
							return compare.Report{}, errors.New("its noise cannot be measured")
						}
					}
					return compare.Runs(actual.Outputs(), expected.Outputs(), search.Compare)
				}}, series(3, 1, 4, 1, 2)...)
		}
		report, err := judged(3, 4)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Headline()).To(Equal("1.5 is the first bad release, and 1.4 the last good one " +
			"before it"))
		Expect(report.Text()).To(MatchRegexp(`\n  1\.1  error: its run cannot be judged: its noise ` +
			`cannot be measured\n  1\.2  good  max abs 0.*\n  1\.3  error: its run .*\n` +
			`  1\.4  good  bit-identical to 1\.2\n  1\.5  bad `))
		_, err = judged(1, 2, 3, 4)
		Expect(err).To(MatchError(ContainSubstring("no release could be judged: 1.1: its run cannot be " +
			"judged: its noise cannot be measured\n1.2: its run ")))
	})

	It("are an error if none runs the model, or the context ends", func(ctx SpecContext) {
		_, err := locate.Releases(ctx, model, inputs(1), locate.ReleaseOptions{Search: search},
			series(nan, nan)...)
		Expect(err).To(MatchError(ContainSubstring("releases: no release could be judged: 1.1: fake: ")))
		enough := errors.New("enough")
		ended, cancel := context.WithCancelCause(ctx)
		_, err = locate.Releases(ended, model, inputs(1), locate.ReleaseOptions{Search: search,
			Progress: func(i int, _ backends.Release) {
				if i == 1 {
					cancel(enough)
				}
			}}, series(1, 2)...)
		Expect(err).To(MatchError(enough))
	})

	It("are located between the bad and the good one", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		report, err := locate.Releases(ctx, model, fixtures.Random(model, fixtures.ValRange(-2, 2)),
			locate.ReleaseOptions{Search: search, Locate: true}, backends.Release{Version: "1.1",
				Engine: ort.Engine()}, backends.Release{Version: "1.2", Engine: faulty{}})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Text()).To(ContainSubstring("1.2 compared with 1.1, inside the model: " +
			`"p" is the first tensor out of tolerance, computed by Relu "positive" (node 1)`))
		text, err := json.Marshal(report)
		Expect(err).NotTo(HaveOccurred())
		Expect(reportschema.Validate(text)).To(Succeed(), string(text))
	})
})
