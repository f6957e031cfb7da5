package compare_test

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// rewrite writes the texts in testdata/report again: go test ./compare -compare.rewrite
var rewrite = flag.Bool("compare.rewrite", false, "write the golden report texts again")

// holdText holds a text to its golden file.
func holdText(name, text string) {
	GinkgoHelper()
	path := filepath.Join("testdata", "report", name+".txt")
	if *rewrite {
		Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
		Expect(os.WriteFile(path, []byte(text), 0o644)).To(Succeed())
	}
	want, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	Expect(text).To(Equal(string(want)))
}

// counting is 0, 1, 2 … in a shape, with some elements replaced.
func counting(shape tensor.Shape, replaced map[int]float32) *tensor.Tensor {
	n, err := shape.Elements()
	must(err)
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(i)
		if v, ok := replaced[i]; ok {
			values[i] = v
		}
	}
	t, err := tensor.New(shape, values)
	must(err)
	return t
}

// reports are what is pinned, by name.
var reports = []struct {
	name, reason     string
	actual, expected []*tensor.Set
	options          compare.Options
}{
	{"pass", "one line for each output",
		[]*tensor.Set{sets("logits", counting(tensor.Shape{2, 5}, nil), "label", tensor.Of[int64](3))},
		[]*tensor.Set{sets("logits", counting(tensor.Shape{2, 5}, nil), "label", tensor.Of[int64](3))},
		compare.Options{Checks: checks(compare.Within(1e-5, 1e-5, compare.Elementwise)),
			PerOutput: map[string][]compare.Check{"logits": {
				compare.Within(1e-5, 1e-5, compare.Median), compare.CosineSimilarity(0.99)}}}},
	{"elementwise", "several mismatches, one NaN, a passing and a lost output",
		[]*tensor.Set{sets("logits", counting(tensor.Shape{4, 6, 5}, map[int]float32{17: 17.5,
			44: 44.001, 90: float32(nan), 91: float32(inf), 100: -100, 119: 119.01, 3: 3.0001}),
			"label", tensor.Of[int64](3))},
		[]*tensor.Set{sets("logits", counting(tensor.Shape{4, 6, 5}, nil), "label", tensor.Of[int64](3),
			"mask", tensor.Of(true))},
		compare.Options{Checks: checks(compare.Within(1e-5, 1e-5, compare.Elementwise))}},
	{"rare", "one element in a million is not 0.0 %",
		[]*tensor.Set{sets("x", counting(tensor.Shape{1000, 1000}, map[int]float32{123456: 0}))},
		[]*tensor.Set{sets("x", counting(tensor.Shape{1000, 1000}, nil))},
		compare.Options{Checks: checks(compare.Within(0.5, 1e-6, compare.Elementwise))}},
	{"statistics", "every statistic and metric fails",
		[]*tensor.Set{sets("x", counting(tensor.Shape{10}, map[int]float32{2: 3, 9: 8.5, 5: 6}))},
		[]*tensor.Set{sets("x", counting(tensor.Shape{10}, nil))},
		compare.Options{Checks: checks(compare.Within(1e-5, 1e-5, compare.Max),
			compare.Within(1e-5, 1e-5, compare.Mean), compare.Within(0, 0, compare.Median),
			compare.Within(1e-5, 1e-5, compare.Quantile(0.95)), compare.WithinSum(1e-5, 1e-5),
			compare.Within(0.6, 0, compare.Elementwise).AllowMismatch(0.1), compare.ULP(4),
			compare.L2(1), compare.CosineSimilarity(0.9999), compare.PSNR(80), compare.SNR(80),
			compare.NormRelative(1e-3), compare.TopKAgreement(1, 1), compare.KL(1e-5))}},
	{"integers", "zero references and int8",
		[]*tensor.Set{sets("q", tensor.Of[int8](0, 0, 3, -128, 127))},
		[]*tensor.Set{sets("q", tensor.Of[int8](0, 1, 3, 127, 127))},
		compare.Options{Checks: checks(compare.Within(1, 0.01, compare.Elementwise))}},
	{"strings", "strings are shown as they are",
		[]*tensor.Set{sets("s", texts("cat", "dog"))}, []*tensor.Set{sets("s", texts("cat", "cow"))},
		compare.Options{Checks: checks(exact)}},
	{"shapes", "types, shapes and names",
		[]*tensor.Set{sets("a", tensor.Of(1.0), "b", tensor.Of(1.0, 2), "c_1", tensor.Of(1.0))},
		[]*tensor.Set{sets("a", tensor.Of[float32](1), "b", tensor.Of(1.0), "c", tensor.Of(1.5))},
		compare.Options{Checks: checks(exact), Names: map[string]string{"c_1": "c"}}},
	{"scalar", "a 0-d tensor",
		[]*tensor.Set{sets("loss", tensor.Scalar[float32](1.5))},
		[]*tensor.Set{sets("loss", tensor.Scalar[float32](1.25))},
		compare.Options{Checks: checks(compare.Within(1e-5, 1e-5, compare.Elementwise))}},
	{"iterations", "iterations are counted from 0",
		[]*tensor.Set{sets("x", tensor.Of(1.0)), sets("x", tensor.Of(2.0))},
		[]*tensor.Set{sets("x", tensor.Of(1.0)), sets("x", tensor.Of(2.5)), sets("x", tensor.Of(3.0))},
		compare.Options{Checks: checks(exact)}},
	{"average", "an averaged output has no elements to show",
		[]*tensor.Set{sets("x", tensor.Of(1.0)), sets("x", tensor.Of(2.0))},
		[]*tensor.Set{sets("x", tensor.Of(1.0)), sets("x", tensor.Of(2.5))},
		compare.Options{Average: true, Checks: checks(compare.Within(0.2, 0, compare.Max))}},
	{"empty", "an empty tensor has no errors",
		[]*tensor.Set{sets("x", tensor.Of[float32]())}, []*tensor.Set{sets("x", tensor.Of[float32]())},
		compare.Options{AllowEmpty: true, Checks: checks(compare.Within(1, 1, compare.Mean))}},
	{"many", "the details of the first eight failing outputs", many(1), many(2),
		compare.Options{Checks: checks(exact)}},
}

// many is one set of ten outputs.
func many(v float64) []*tensor.Set {
	var named []any
	for _, name := range strings.Split("a b c d e f g h i j", " ") {
		named = append(named, name, tensor.Of(v))
	}
	return []*tensor.Set{sets(named...)}
}

var _ = Describe("a report", func() {
	for _, c := range reports {
		It("reads as pinned: "+c.name+", "+c.reason, func() {
			report, err := compare.Runs(c.actual, c.expected, c.options)
			Expect(err).NotTo(HaveOccurred())
			holdText(c.name, report.Text())
		})

		It("survives JSON: "+c.name, func() {
			report, err := compare.Runs(c.actual, c.expected, c.options)
			Expect(err).NotTo(HaveOccurred())
			text, err := json.Marshal(report)
			Expect(err).NotTo(HaveOccurred())
			var read compare.Report
			Expect(json.Unmarshal(text, &read)).To(Succeed())
			Expect(read.Verdict).To(Equal(report.Verdict))
			Expect(read.Text()).To(Equal(report.Text()))
			again, err := json.Marshal(read)
			Expect(err).NotTo(HaveOccurred())
			var first, second any
			Expect(json.Unmarshal(text, &first)).To(Succeed())
			Expect(json.Unmarshal(again, &second)).To(Succeed())
			Expect(second).To(Equal(first))
		})
	}

	It("has the keys that scripts rely on", func() {
		c := reports[1]
		report, err := compare.Runs(c.actual, c.expected, c.options)
		Expect(err).NotTo(HaveOccurred())
		text, err := json.Marshal(report)
		Expect(err).NotTo(HaveOccurred())
		var read struct {
			Verdict, Reason string
			Outputs         []map[string]any
		}
		Expect(json.Unmarshal(text, &read)).To(Succeed())
		Expect(read.Verdict).To(Equal("fail"))
		out := read.Outputs[0]
		for _, key := range []string{"name", "iteration", "verdict", "reason", "stat", "atol", "rtol",
			"elements", "mismatches", "abs", "rel"} {
			Expect(out).To(HaveKey(key))
		}
		Expect(out["elements"]).To(Equal(120.0))
		Expect(out["mismatches"]).To(Equal(7.0))
		Expect(read.Outputs[1]["abs"]).To(HaveKeyWithValue("quantile", 0.0))
		abs := out["abs"].(map[string]any)
		Expect(abs["max"]).To(Equal("NaN"))
		Expect(abs["max_at"]).To(Equal([]any{3.0, 0.0, 0.0}))
		for _, key := range []string{"mean", "median", "quantile"} {
			Expect(abs).To(HaveKey(key))
		}
	})

	It("has those keys, as null, for an output that could not be compared", func() {
		out, err := compare.Tensors(tensor.Of[float32](1), tensor.Of[float32](1, 2), compare.Options{
			Checks: []compare.Check{compare.Within(0, 0, compare.Max)}})
		Expect(err).NotTo(HaveOccurred())
		text, err := json.Marshal(out)
		Expect(err).NotTo(HaveOccurred())
		var read map[string]any
		Expect(json.Unmarshal(text, &read)).To(Succeed())
		for _, key := range []string{"stat", "atol", "rtol", "abs", "rel"} {
			Expect(read).To(HaveKeyWithValue(key, BeNil()))
		}
	})

	It("is not fooled by hostile JSON", func() {
		for _, text := range []string{`{`, `{"outputs": 3}`,
			`{"outputs":[{"checks":[{"check":{"rule":"?"}}]}]}`,
			`{"outputs":[{"abs":{"max":"many"}}]}`} {
			Expect(json.Unmarshal([]byte(text), new(compare.Report))).NotTo(Succeed(), text)
		}
	})
})

var _ = Describe("the tolerance that would pass", func() {
	It("passes, and the next smaller one does not", func() {
		x, y := noisy(3000)
		x[17], y[20] = 5, 1e-30
		actual, expected := tensor.Of(x...), tensor.Of(y...)
		within := func(stat compare.Stat) func(atol, rtol float64) compare.Check {
			return func(atol, rtol float64) compare.Check { return compare.Within(atol, rtol, stat) }
		}
		most := func(atol, rtol float64) compare.Check {
			return compare.Within(atol, rtol, compare.Elementwise).AllowMismatch(0.01)
		}
		for _, row := range []struct {
			with       func(atol, rtol float64) compare.Check
			atol, rtol float64
			check      compare.Check // with(atol, rtol), if it is the zero Check
		}{
			{with: within(compare.Elementwise), atol: 1e-9, rtol: 1e-9},
			{with: within(compare.Elementwise), rtol: 1e-8},
			{with: within(compare.Max)}, {with: within(compare.Mean)}, {with: within(compare.Median)},
			{with: within(compare.Quantile(0.99))},
			{with: compare.WithinSum, atol: 1e-9, rtol: 1e-9}, {with: compare.WithinSum, rtol: 1e-7},
			{with: most, rtol: 1e-9},
			{with: within(compare.Elementwise), atol: 1e-5, rtol: 1.3e-6, check: compare.Defaults()},
		} {
			with, atol, rtol, check := row.with, row.atol, row.rtol, row.check
			if check == (compare.Check{}) {
				check = with(atol, rtol)
			}
			required := one(actual, expected, check).Statistics().Required
			Expect(required).To(HaveLen(1), "%v should fail", check)
			below := func(v float64) float64 { return math.Nextafter(v, 0) }
			n := required[0]
			Expect(one(actual, expected, with(n.Atol, rtol)).Verdict).To(Equal(compare.Pass), "%v", n)
			Expect(one(actual, expected, with(below(n.Atol), rtol)).Verdict).To(Equal(compare.Fail))
			Expect(one(actual, expected, with(atol, n.Rtol)).Verdict).To(Equal(compare.Pass), "%v", n)
			Expect(one(actual, expected, with(atol, below(n.Rtol))).Verdict).To(Equal(compare.Fail))
		}
	})

	It("is not a number where a NaN is in the way", func() {
		for _, actual := range [][]float64{{nan, 1}, {nan, 3}, {3, nan}, {3, nan, 4}} {
			n := one(tensor.Of(actual...), tensor.Of([]float64{1, 1, 1}[:len(actual)]...), exact).
				Statistics().Required[0]
			Expect(math.IsNaN(n.Atol) && math.IsNaN(n.Rtol)).To(BeTrue(), "%v: %+v", actual, n)
		}
	})
})
