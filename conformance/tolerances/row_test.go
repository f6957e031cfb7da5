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

// row is the result for one model. It is stored as JSON, so that a later run can go on with the
// other models.
type row struct {
	Model           string
	Outputs         int // of correct engines and forms, including identical ones
	Results, Faults int
	Undecided       int    // results that noise cannot judge
	Alarms, Missed  [6]int // by rule
	Greatest        float64
	Least           float64   // a fault's least ratio of error to bar, if there are faults
	Hidden          int       // places where no fault is visible
	Wider           []float64 `json:",omitempty"` // the bars of noise over an oracle's, by result
	// Large are the faults of ten oracle σ or more, and those that noise accepts, by kind.
	Large map[string]counts `json:",omitempty"`
	Notes []string          `json:",omitempty"`
}

func (r *row) note(format string, a ...any) { r.Notes = append(r.Notes, fmt.Sprintf(format, a...)) }

// bench is a model under measurement.
type bench struct {
	*row
	model    *loaders.Model
	inputs   fixtures.Inputs
	expected *backends.Run
	noise    *compare.Noise
	oracle   oracle
	seen     map[[32]byte]bool
}

func (r *row) run(ctx context.Context, s subject) {
	GinkgoHelper()
	model, inputs := s.open()
	expected, err := ort.Run(ctx, model, inputs, s.reference...)
	if err != nil {
		r.note("does not run: %v", err)
		return
	}
	measured, err := noise.Measure(ctx, expected.Subject())
	if err != nil { // the method cannot judge the model
		r.note("no noise: %v", err)
		return
	}
	b := &bench{row: r, model: model, inputs: inputs, expected: expected, noise: measured,
		oracle: s.oracle(), seen: map[[32]byte]bool{}}
	for i, set := range expected.Outputs() {
		b.new(set, i)
	}
	levels := s.levels
	if levels == nil {
		levels = allLevels
	}
	for _, engine := range engines(levels) {
		if s.wrong != nil && engine.Text() == s.wrong.Text() {
			continue
		}
		if run := b.runIn(ctx, engine, model, fmt.Sprint(engine)); run != nil {
			b.correct(fmt.Sprint(engine), run)
		}
	}
	for _, file := range s.rewritten {
		for _, engine := range onnxRuntime(s.rewrittenLevels, 1) {
			by := filepath.Base(file)
			if s.rewrittenLevels != nil {
				by += fmt.Sprintf(", %v", engine)
			}
			if run := b.runIn(ctx, engine, loaders.ONNX(file), by); run != nil {
				b.correct(by, run)
			}
		}
	}
	b.plant(ctx, max(1, s.every))
	if s.generated {
		b.plantLarge(ctx, s)
	}
}

// runIn runs the model, or another form of it. A failure is noted.
func (b *bench) runIn(ctx context.Context, e backends.Engine, m *loaders.Model,
	by string) *backends.Run {
	GinkgoHelper()
	run, err := backends.RunIn(ctx, e, m, b.inputs)
	if err != nil {
		if context.Cause(ctx) != nil {
			Fail(context.Cause(ctx).Error())
		}
		if m == b.model {
			b.note("%s cannot run it", by)
		} else {
			b.note("%s does not run: %v", by, err)
		}
		return nil
	}
	return run
}

var allLevels = []ort.Level{ort.OptimizeNone, ort.OptimizeBasic, ort.OptimizeExtended,
	ort.OptimizeAll}

// onnxRuntime is ONNX Runtime at each level; without levels, as it is.
func onnxRuntime(levels []ort.Level, threads ...int) []backends.Engine {
	if levels == nil {
		return []backends.Engine{ort.Engine()}
	}
	var all []backends.Engine
	for _, level := range levels {
		for _, n := range threads {
			all = append(all, ort.Engine(ort.OptimizationLevel(level), ort.Threads(n)))
		}
	}
	return all
}

// engines are correct engines.
func engines(levels []ort.Level) []backends.Engine {
	all := onnxRuntime(levels, 1, 2)
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
		b.Outputs++
		if !b.new(set, i) {
			continue
		}
		actual, expected := []*tensor.Set{set}, b.expected.Outputs()[i:i+1]
		if other := reshaped(set, expected[0]); other != "" {
			b.note("%s, input %d: not a correct engine: %s", by, i, other)
			continue
		}
		own := new(*b.noise)
		own.Outputs = b.noise.Outputs[i : i+1]
		var undecided *compare.Undecided
		_, err := compare.WithinNoise(actual, expected, own, compare.Bars{},
			compare.Options{AllowEmpty: true})
		if errors.As(err, &undecided) {
			b.Undecided++
			b.note("%s, input %d: beyond noise and left undecided: %s", by, i, undecided.Nodes)
			continue
		}
		b.Results++
		own.Sequential = noise.SequentialIn(own, run)
		for k := range rules {
			passes, excess := b.judge(k, own, actual, expected)
			if k == byNoise {
				b.Greatest = max(b.Greatest, min(excess, math.MaxFloat64)) // JSON has no infinity
				if !passes {
					b.note("%s, input %d: %.3g times the limit", by, i, excess)
				}
				wider := b.oracle.excess(set, expected[0]) / excess
				if wider > 0 && !math.IsInf(wider, 1) {
					b.Wider = append(b.Wider, wider)
				}
			}
			if !passes {
				b.Alarms[k]++
			}
		}
	}
}

// reshaped says which output has another shape than expected; every rule is right to reject that.
func reshaped(actual, expected *tensor.Set) string {
	for name, e := range expected.All() {
		if a, ok := actual.Get(name); ok && !a.Shape().Equal(e.Shape()) {
			return fmt.Sprintf("the shape of %q is %v, expected %v", name, a.Shape(), e.Shape())
		}
	}
	return ""
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
			report, err = compare.WithinNoise(actual, expected, n, compare.Bars{}, o)
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
	power, err := noise.Power(ctx, b.expected.Subject(), b.noise, compare.Bars{})
	if err != nil {
		b.note("no power: %v", err)
		return
	}
	other := ort.Engine(ort.OptimizationLevel(ort.OptimizeNone), ort.Threads(1))
	b.Least = math.MaxFloat64
	for _, p := range power {
		if math.IsInf(p.Change, 1) {
			b.Hidden++
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
			b.Faults++
			for k := range rules {
				passes, excess := b.judge(k, b.noise, outputs, b.expected.Outputs())
				if k == byNoise {
					b.Least = min(b.Least, excess)
				}
				if passes {
					b.Missed[k]++
					if k == byNoise {
						b.note("%v times %g is %.3g times the limit", p, factor, excess)
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
