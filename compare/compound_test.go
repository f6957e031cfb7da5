package compare_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// zipped is rows of three probabilities as ZipMap gives them.
func zipped(keys []string, rows ...[]float32) *tensor.Set {
	named := []any{"label", tensor.Of[int64](1), "p.length", tensor.Scalar(int64(len(rows)))}
	for i, row := range rows {
		named = append(named, fmt.Sprintf("p[%d].key", i), texts(keys...).AsKeys(),
			fmt.Sprintf("p[%d].value", i), tensor.Of(row...))
	}
	return sets(named...)
}

// plain is the same rows without ZipMap.
func plain(rows ...[]float32) *tensor.Set {
	var flat []float32
	for _, row := range rows {
		flat = append(flat, row...)
	}
	t, err := tensor.New(tensor.Shape{len(rows), len(rows[0])}, flat)
	must(err)
	return sets("label", tensor.Of[int64](1), "p", t)
}

var _ = Describe("a sequence or a map", func() {
	keys := []string{"setosa", "versicolor", "virginica"}
	good := [][]float32{{0.5, 0.25, 0.25}, {0, 1, 0}, {0.125, 0.75, 0.125}}
	bad := [][]float32{{0.5, 0.25, 0.25}, {0, 0.9, 0.1}, {0.125, 0.75, 0.125}}
	o := compare.Options{Checks: checks(compare.Within(1e-3, 1e-3, compare.Elementwise))}

	It("is one output, with one line", func() {
		report, err := compare.Sets(zipped(keys, good...), zipped(keys, good...), o)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass))
		Expect(report.Outputs).To(HaveExactElements(HaveField("Name", "label"), HaveField("Name", "p")))
		holdText("sequence_passes", report.Text())
		report, err = compare.Sets(zipped(keys, bad...), zipped(keys, good...), o)
		Expect(err).NotTo(HaveOccurred())
		holdText("sequence_fails", report.Text())
	})

	It("is a map if one side's keys say so, and otherwise two outputs, each in its own order", func() {
		ids, scores := tensor.Of[int64](3, 1), tensor.Of[float32](0.9, 0.8)
		best := sets("X.key", ids.AsKeys(), "X.value", scores)
		read := sets("X.key", ids, "X.value", scores)
		reversed := sets("X.key", tensor.Of[int64](1, 3), "X.value", tensor.Of[float32](0.8, 0.9))
		for _, row := range []struct {
			actual, expected *tensor.Set
			outputs          int
			verdict          compare.Verdict
		}{
			{best, reversed, 1, compare.Pass}, {reversed, best, 1, compare.Pass},
			{read, read, 2, compare.Pass}, {read, reversed, 2, compare.Fail},
		} {
			report, err := compare.Sets(row.actual, row.expected, o)
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Verdict).To(Equal(row.verdict))
			Expect(report.Outputs).To(HaveLen(row.outputs))
		}
	})

	DescribeTable("is judged as the tensor that the model gives without ZipMap",
		func(check compare.Check) {
			o := compare.Options{Checks: checks(check), PerOutput: map[string][]compare.Check{
				"label": {exact}}}
			for _, actual := range [][][]float32{good, bad} {
				zip, err := compare.Sets(zipped(keys, actual...), zipped(keys, good...), o)
				Expect(err).NotTo(HaveOccurred())
				flat, err := compare.Sets(plain(actual...), plain(good...), o)
				Expect(err).NotTo(HaveOccurred())
				Expect(zip.Verdict).To(Equal(flat.Verdict))
				Expect(zip.Outputs[1].Results[0].String()).To(Equal(flat.Outputs[1].Results[0].String()))
			}
		},
		Entry("elementwise", compare.Within(1e-3, 0, compare.Elementwise)),
		Entry("max", compare.Within(0.05, 0, compare.Max)),
		Entry("mean", compare.Within(0.03, 0, compare.Mean)),
		Entry("median", compare.Within(0.03, 0, compare.Median)),
		Entry("a share of rows", compare.TopKAgreement(1, 0.9)),
		Entry("l2", compare.L2(0.1)),
		Entry("a share of elements", compare.Within(1e-3, 0, compare.Elementwise).AllowMismatch(0.3)),
	)

	DescribeTable("differs where it is built differently, whatever the tolerance",
		func(actual, expected *tensor.Set, reason string) {
			loose := compare.Options{Checks: checks(compare.Within(1e9, 0, compare.Elementwise))}
			report, err := compare.Sets(actual, expected, loose)
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Verdict).To(Equal(compare.Fail))
			Expect(report.Outputs[len(report.Outputs)-1].Reason).To(Equal(reason))
		},
		Entry("length", zipped(keys, good[:2]...), zipped(keys, good...),
			"the sequence has 2 items, expected 3"),
		Entry("a key", zipped([]string{"setosa", "versicolor", "other"}, good...), zipped(keys, good...),
			`item [0]: the key "other" is extra: the expected side does not have it`),
		Entry("fewer keys", sets("m.key", texts("a").AsKeys(), "m.value", tensor.Of[float32](1)),
			sets("m.key", texts("a", "b").AsKeys(), "m.value", tensor.Of[float32](1, 2)),
			`the key "b" is missing: the actual side does not have it`),
		Entry("a key twice", sets("m.key", texts("a", "a").AsKeys(), "m.value", tensor.Of[float32](1, 2)),
			sets("m.key", texts("a", "b").AsKeys(), "m.value", tensor.Of[float32](1, 2)),
			`the map has the key "a" twice, so its values cannot be paired`),
		Entry("the shape of an item",
			sets("s.length", tensor.Scalar[int64](1), "s[0]", tensor.Of[float32](1)),
			sets("s.length", tensor.Scalar[int64](1), "s[0]", tensor.Of[float32](1, 2)),
			"item [0]: the shape is [1], expected [2]"),
		Entry("a tensor in its place", plain(good...), zipped(keys, good...),
			"the actual side is float32[3,3], expected seq(map(string,float32))[3,3]"),
		Entry("the other way round", zipped(keys, good...), plain(good...),
			"the actual side is seq(map(string,float32))[3,3], expected float32[3,3]"),
		Entry("maps against tensors", zipped(keys, good[0]), sets("label", tensor.Of[int64](1),
			"p.length", tensor.Scalar[int64](1), "p[0]", tensor.Of[float32](1, 2, 3)),
			"item [0]: the actual side is map(string,float32), expected float32"),
		Entry("the element type", sets("m.key", texts("a").AsKeys(), "m.value", tensor.Of[float32](1)),
			sets("m.key", texts("a").AsKeys(), "m.value", tensor.Of(1.0)),
			"the element type is float32, expected float64"),
	)

	It("pairs the values of maps by their keys", func() {
		report, err := compare.Sets(zipped([]string{"b", "a"}, []float32{2, 1}),
			zipped([]string{"a", "b"}, []float32{1, 2}), o)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass))
	})

	It("is lost and extra as a whole", func() {
		report, err := compare.Sets(sets("x", tensor.Of[float32](1)), zipped(keys, good...), o)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Outputs).To(HaveLen(3))
		Expect(report.Text()).To(ContainSubstring(
			"FAIL  p      seq(map(string,float32))[3,3]  the output is missing"))
	})

	It("compares items of several shapes, and says where they are", func() {
		items := func(last float32) *tensor.Set {
			return sets("s.length", tensor.Scalar[int64](2), "s[0]", tensor.Of[float32](1),
				"s[1]", tensor.Of[float32](2, last))
		}
		report, err := compare.Sets(items(4), items(3), o)
		Expect(err).NotTo(HaveOccurred())
		s := report.Outputs[0].Statistics()
		Expect(s.Mismatches).To(Equal(1))
		Expect(s.Worst[0].Index).To(Equal([]int{1, 1}))
		Expect(s.Abs.MaxAt).To(Equal([]int{1, 1}))
	})

	It("is empty with an empty one, which alone proves nothing", func() {
		empty := sets("s.length", tensor.Scalar[int64](0))
		_, err := compare.Sets(empty, empty, o)
		Expect(err).To(MatchError(ContainSubstring("every output is empty on both sides")))
		full := sets("s.length", tensor.Scalar[int64](1), "s[0]", tensor.Of[float32](1))
		report, err := compare.Sets(empty, full, o)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Outputs[0].Reason).To(Equal("the sequence has 0 items, expected 1"))
	})

	It("takes a tolerance by its own name, and refuses a part's", func() {
		o.PerOutput = map[string][]compare.Check{"p": {compare.Within(1, 0, compare.Max)}}
		report, err := compare.Sets(zipped(keys, bad...), zipped(keys, good...), o)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass))
		o.PerOutput = map[string][]compare.Check{"p[1].value": {exact}}
		_, err = compare.Sets(zipped(keys, bad...), zipped(keys, good...), o)
		Expect(err).To(MatchError(
			`compare: a check names "p[1].value", which matches no output; the outputs are ["label" "p"]`))
	})

	It("survives JSON, with its type and keys", func() {
		o.PerOutput = nil
		report, err := compare.Sets(zipped(keys, bad...), zipped(keys, good...), o)
		Expect(err).NotTo(HaveOccurred())
		text, err := json.Marshal(report)
		Expect(err).NotTo(HaveOccurred())
		var read compare.Report
		Expect(json.Unmarshal(text, &read)).To(Succeed())
		Expect(read.Text()).To(Equal(report.Text()))
	})

	It("is looked over for NaN as one output", func() {
		report, err := compare.Finite([]*tensor.Set{zipped(keys, []float32{0, float32(nan), 1})}, false)
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Reason).To(Equal("1 of 2 outputs are not finite"))
	})

	It("cuts a list of names at ten", func() {
		var named []any
		for i := range 13 {
			named = append(named, fmt.Sprint("y", i), tensor.Of[float32](1))
		}
		o.PerOutput = map[string][]compare.Check{"z": {exact}}
		_, err := compare.Sets(sets(named...), sets(named...), o)
		Expect(err).To(MatchError(HaveSuffix(`the outputs are ["y0" "y1" "y2" "y3" "y4" "y5" "y6" "y7" ` +
			`"y8" "y9" … and 3 more]`)))
	})
})
