package tolerances_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/enginetest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

// rules are noise and common fixed tolerances: Polygraphy's rule with three tolerances, the float32
// defaults of torch.testing.assert_close, and the defaults of ONNX's backend tests.
var rules = []struct {
	name  string
	check compare.Check
}{
	{name: "noise"},
	{"1e-3", compare.Within(1e-3, 1e-3, compare.Elementwise)},
	{"1e-4", compare.Within(1e-4, 1e-4, compare.Elementwise)},
	{"1e-5", compare.Within(1e-5, 1e-5, compare.Elementwise)},
	{"torch", compare.WithinSum(1e-5, 1.3e-6)},
	{"ONNX", compare.WithinSum(1e-7, 1e-3)},
}

const byNoise = 0

// row is the result for one model.
type row struct {
	model           string
	outputs         int // of correct engines and forms, including identical ones
	results, faults int
	undecided       int    // results that noise cannot judge
	alarms, missed  [6]int // by rule
	greatest        float64
	least           float64 // a fault's least ratio of error to bar
	hidden          int     // places where no fault is visible
	notes           []string
}

// bench is a model under measurement.
type bench struct {
	*row
	model    *loaders.Model
	inputs   fixtures.Inputs
	expected *backends.Run
	noise    *compare.Noise
	seen     map[[32]byte]bool
}

func (r *row) run(ctx context.Context, s subject) {
	GinkgoHelper()
	model, inputs := s.open()
	expected, err := ort.Run(ctx, model, inputs)
	if err != nil {
		r.notes = append(r.notes, "does not run: "+err.Error())
		return
	}
	measured, err := noise.Measure(ctx, expected.Subject())
	if err != nil { // the method cannot judge the model
		r.notes = append(r.notes, "no noise: "+err.Error())
		return
	}
	b := &bench{row: r, model: model, inputs: inputs, expected: expected, noise: measured,
		seen: map[[32]byte]bool{}}
	for i, set := range expected.Outputs() {
		b.new(set, i)
	}
	for _, engine := range engines() {
		run, err := backends.RunIn(ctx, engine, model, inputs)
		if err != nil {
			if context.Cause(ctx) != nil {
				Fail(context.Cause(ctx).Error())
			}
			r.notes = append(r.notes, fmt.Sprintf("%v cannot run it", engine))
			continue
		}
		b.correct(fmt.Sprint(engine), run)
	}
	for _, file := range s.rewritten {
		b.rewritten(ctx, file)
	}
	b.plant(ctx, max(1, s.every))
}

// rewritten compares the model with another form of it in a file.
func (b *bench) rewritten(ctx context.Context, file string) {
	GinkgoHelper()
	form := filepath.Base(file)
	run, err := backends.RunIn(ctx, ort.Engine(), loaders.ONNX(file), b.inputs)
	if err != nil {
		if context.Cause(ctx) != nil {
			Fail(context.Cause(ctx).Error())
		}
		b.notes = append(b.notes, fmt.Sprintf("%s does not run: %v", form, err))
		return
	}
	b.correct(form, run)
}

// engines are correct engines.
func engines() []backends.Engine {
	var all []backends.Engine
	for _, level := range []ort.Level{ort.OptimizeNone, ort.OptimizeBasic, ort.OptimizeExtended,
		ort.OptimizeAll} {
		for _, threads := range []int{1, 2} {
			all = append(all, ort.Engine(ort.OptimizationLevel(level), ort.Threads(threads)))
		}
	}
	if enginetest.Has("openvino", openvino.Available()) {
		all = append(all, openvino.Engine())
	}
	if enginetest.Has("tract", tract.Available()) {
		all = append(all, tract.Engine())
	}
	return all
}

// new reports whether these outputs have not been seen before for this input.
func (b *bench) new(set *tensor.Set, input int) bool {
	hash := sha256.New()
	fmt.Fprintln(hash, input)
	for name, t := range set.All() {
		fmt.Fprintln(hash, name, t.ElementType(), t.Shape(), t.Strings())
		_, _ = hash.Write(t.Bytes())
	}
	var sum [32]byte
	hash.Sum(sum[:0])
	if b.seen[sum] {
		return false
	}
	b.seen[sum] = true
	return true
}

// correct applies every rule to the outputs of a correct engine or form of the model, for each
// input.
func (b *bench) correct(by string, run *backends.Run) {
	GinkgoHelper()
	for i, set := range run.Outputs() {
		b.outputs++
		if !b.new(set, i) {
			continue
		}
		actual, expected := []*tensor.Set{set}, b.expected.Outputs()[i:i+1]
		own := &compare.Noise{Runs: b.noise.Runs, Addends: b.noise.Addends, Unseen: b.noise.Unseen,
			Outputs: b.noise.Outputs[i : i+1]}
		var undecided *compare.Undecided
		_, err := compare.WithinNoise(actual, expected, own, compare.NoiseBars{},
			compare.Options{AllowEmpty: true})
		if errors.As(err, &undecided) {
			b.undecided++
			b.notes = append(b.notes, fmt.Sprintf("%s, input %d: beyond noise and left undecided: %s", by,
				i, undecided.Nodes))
			continue
		}
		b.results++
		for k := range rules {
			passes, excess := b.judge(k, own, actual, expected)
			if k == byNoise {
				b.greatest = max(b.greatest, excess)
				if !passes {
					b.notes = append(b.notes, fmt.Sprintf("%s, input %d: %.3g times the bar", by, i, excess))
				}
			}
			if !passes {
				b.alarms[k]++
			}
		}
	}
}

// judge applies a rule to outputs. Outputs that noise cannot judge are dropped.
func (b *bench) judge(rule int, n *compare.Noise, actual, expected []*tensor.Set) (
	passes bool, excess float64) {
	GinkgoHelper()
	o := compare.Options{AllowEmpty: true}
	var report compare.Report
	var err error
	for {
		if rule == byNoise {
			report, err = compare.WithinNoise(actual, expected, n, compare.NoiseBars{}, o)
		} else {
			o.Checks = []compare.Check{rules[rule].check}
			o.NaNEqual, o.InfinitiesEqual = true, true
			report, err = compare.Runs(actual, expected, o)
		}
		var powerless *compare.Powerless
		if !errors.As(err, &powerless) {
			break
		}
		o.Except = append(o.Except, powerless.Output)
		if len(o.Except) == len(expected[0].Values()) {
			return true, 0
		}
	}
	Expect(err).NotTo(HaveOccurred())
	for i := range report.Outputs {
		for _, r := range report.Outputs[i].Results {
			if r.Value == r.Value {
				excess = max(excess, r.Value)
			}
		}
		if rule == byNoise && report.Outputs[i].Verdict == compare.Fail && excess <= 1 {
			excess = math.Inf(1)
		}
	}
	return report.Verdict == compare.Pass, excess
}

// factors are multiples of the printed power at which faults are planted.
var factors = []float64{1, 1.3, 1.7, 2.2, 3, 4, 5.5, 7.5, 10, 14, 20, 30}

// plant plants faults of the printed power and above, and judges them on an engine with different
// rounding.
func (b *bench) plant(ctx context.Context, every int) {
	GinkgoHelper()
	power, err := noise.Power(ctx, b.expected.Subject(), b.noise, compare.NoiseBars{})
	if err != nil {
		b.notes = append(b.notes, "no power: "+err.Error())
		return
	}
	other := ort.Engine(ort.OptimizationLevel(ort.OptimizeNone), ort.Threads(1))
	b.least = math.Inf(1)
	for _, p := range power {
		if math.IsInf(p.Change, 1) {
			b.hidden++
			continue
		}
		for i := 0; i < len(factors); i += every {
			factor := factors[i]
			change := p.Change * factor
			if change > 1 {
				break
			}
			outputs, err := backends.RunReweighed(ctx, other, b.model, b.inputs,
				func(c loaders.Constant) (*tensor.Tensor, error) {
					if c.Name != p.Constant {
						return nil, nil
					}
					return scaled(c.Values, p.Whole, change)
				})
			Expect(err).NotTo(HaveOccurred())
			distinct := false
			for i, set := range outputs {
				distinct = b.new(set, i) || distinct
			}
			if !distinct {
				continue
			}
			b.faults++
			for k := range rules {
				passes, excess := b.judge(k, b.noise, outputs, b.expected.Outputs())
				if k == byNoise {
					b.least = min(b.least, excess)
				}
				if passes {
					b.missed[k]++
					if k == byNoise {
						b.notes = append(b.notes, fmt.Sprintf("%v times %g is %.3g times the bar", p, factor,
							excess))
					}
				}
			}
		}
	}
}

// scaled multiplies all weights, or the one of greatest magnitude, by 1+change.
func scaled(t *tensor.Tensor, whole bool, change float64) (*tensor.Tensor, error) {
	values := t.Float64s()
	greatest := 0
	for i, v := range values {
		if math.Abs(v) > math.Abs(values[greatest]) {
			greatest = i
		}
	}
	for i := range values {
		if whole || i == greatest {
			values[i] *= 1 + change
		}
	}
	wide, err := tensor.New(t.Shape(), values)
	if err != nil {
		return nil, err
	}
	return wide.Convert(t.ElementType())
}
