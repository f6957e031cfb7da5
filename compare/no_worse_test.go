package compare_test

import (
	"math"
	"math/rand/v2"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("NoWorseThan", func() {
	const iterations, rows, columns = 4, 50, 6

	// outputs are boxes in pixels in the first two columns and scores in the others, each with an
	// error of a thousandth of its column's size times `times`, and then changed.
	outputs := func(seed uint64, times float64, change func(iteration int, values []float64)) (
		all []*tensor.Set) {
		random := rand.New(rand.NewPCG(seed, 0))
		for i := range iterations {
			values := make([]float64, rows*columns)
			for k := range values {
				size := 1.0
				if k%columns < 2 {
					size = 600
				}
				values[k] = size * (1 + float64(k%7)/10 + float64(times*1e-3*random.NormFloat64()))
			}
			if change != nil {
				change(i, values)
			}
			all = append(all, sets("rows", shaped(tensor.Shape{1, rows, columns}, tensor.Of(values...))))
		}
		return all
	}

	try := func(actual []*tensor.Set, change func(int, []float64),
		spoil func(run int, values []float64)) (compare.Report, error) {
		exact := outputs(0, 0, change)
		lower := &compare.LowerPrecision{Format: "fp16", Float32: exact, Addends: 480}
		for k := range 9 {
			lower.Runs = append(lower.Runs, outputs(uint64(k+1), 1, func(i int, values []float64) {
				if change != nil {
					change(i, values)
				}
				if spoil != nil {
					spoil(k, values)
				}
			}))
		}
		return compare.NoWorseThan(actual, exact, lower, compare.Bars{}, compare.Options{})
	}
	judge := func(actual []*tensor.Set, change func(int, []float64),
		spoil func(run int, values []float64)) compare.Report {
		GinkgoHelper()
		report, err := try(actual, change, spoil)
		Expect(err).NotTo(HaveOccurred())
		return report
	}

	It("judges the other iterations if an output has another shape in the first", func() {
		actual := outputs(99, 1, nil)
		actual[0] = sets("rows", tensor.Of(1.0))
		report := judge(actual, nil, nil)
		Expect(report.Reason).To(Equal("1 of 4 outputs differ"))
	})

	It("leaves out outputs whose shape rounding changes", func() {
		both := func(v float64, more ...float64) []*tensor.Set {
			set, err := tensor.NewSet(tensor.Entry{Name: "kept", Tensor: tensor.Of(v)},
				tensor.Entry{Name: "found", Tensor: tensor.Of(append(more, 1)...)})
			Expect(err).NotTo(HaveOccurred())
			return []*tensor.Set{set}
		}
		lower := &compare.LowerPrecision{Format: "fp16", Float32: both(1, 2)}
		for k := range 9 {
			lower.Runs = append(lower.Runs, both(1+1e-3*float64(k-4)))
		}
		_, err := compare.NoWorseThan(both(1, 2), both(1, 2), lower, compare.Bars{}, compare.Options{})
		Expect(err).To(MatchError(ContainSubstring(`output "found": rounding the model to fp16 changes ` +
			"the output from float64[2] to float64[1], so no limit for its " +
			"errors can be measured: leave the output out (--except)")))
		report, err := compare.NoWorseThan(both(1, 2), both(1, 2), lower, compare.Bars{},
			compare.Options{Except: []string{"found"}})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass))
	})

	It("takes errors of the format's size, and none of twice that", func() {
		for seed := range uint64(20) {
			Expect(judge(outputs(100+seed, 1, nil), nil, nil).Verdict).To(Equal(compare.Pass))
			report := judge(outputs(100+seed, 2, nil), nil, nil)
			Expect(report.Verdict).To(Equal(compare.Fail))
			Expect(report.Text()).To(MatchRegexp(`rejected by the rms error.*: rms error: ` +
				`(1\.9|2|2\.0)\d* times the rms error of rounding to fp16 \(limit 1\.[5-8]\d*\)`))
			Expect(strings.Count(report.Text(), "times the rms error of rounding")).To(Equal(1))
			Expect(report.Text()).To(MatchRegexp(`(?m)^ +fails  no worse than fp16, with .*comparisons$`))
			Expect(report.Text()).NotTo(ContainSubstring("would pass"), "there is no limit to raise")
		}
	})

	It("sees a column, and an element, that is small next to others", func() {
		column := judge(outputs(100, 1, func(_ int, values []float64) {
			for k := columns - 1; k < len(values); k += columns {
				values[k] += 0.01
			}
		}), nil, nil)
		Expect(column.Verdict).To(Equal(compare.Fail))
		Expect(column.Text()).To(ContainSubstring("the rms error at [:,:,5], 1"))
		element := judge(outputs(100, 1, func(i int, values []float64) {
			if i == 2 {
				values[7*columns+4] += 0.1
			}
		}), nil, nil)
		Expect(element.Verdict).To(Equal(compare.Fail))
		Expect(element.Text()).To(MatchRegexp(`the largest error at \[0,7,4\] of iteration 2` +
			`.*largest error: .* \(limit 5\)`))
	})

	It("counts what is not finite on one side alone", func() {
		masked := func(_ int, values []float64) { values[3] = math.Inf(-1) }
		Expect(judge(outputs(100, 1, masked), masked, nil).Verdict).To(Equal(compare.Pass))
		for name, actual := range map[string][]*tensor.Set{
			"finite, where all runs are infinite": outputs(100, 1, nil),
			"of the other sign": outputs(100, 1, func(_ int, values []float64) {
				values[3] = math.Inf(1)
			}),
			"infinite, where no run is": outputs(100, 1, func(i int, values []float64) {
				masked(i, values)
				values[9] = math.Inf(1)
			}),
			"no number": outputs(100, 1, func(i int, values []float64) {
				masked(i, values)
				values[9] = math.NaN()
			}),
		} {
			report := judge(actual, masked, nil)
			Expect(report.Verdict).To(Equal(compare.Fail), name)
			Expect(report.Text()).To(ContainSubstring("1 elements differ in a way that rounding to "+
				"fp16 cannot explain"), name)
		}
		overflowing := func(run int, values []float64) {
			if run == 2 {
				values[3] = math.Inf(1)
			}
		}
		Expect(judge(outputs(100, 1, func(_ int, values []float64) { values[3] = 7 }), nil,
			overflowing).Text()).To(ContainSubstring("4 elements that overflow in fp16 are left out"))
	})
	It("gives no verdict on an iteration without a finite element", func() {
		last := func(i int, values []float64) {
			for k := range values {
				if i == iterations-1 {
					values[k] = math.NaN()
				}
			}
		}
		_, err := try(outputs(100, 1, last), last, nil)
		Expect(err).To(MatchError(ContainSubstring("no element is finite in every run")))
		Expect(judge(outputs(100, 1, nil), last, nil).Verdict).To(Equal(compare.Fail))
	})
})
