package noise

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// Proposal says which tolerances the noise of a model corresponds to.
type Proposal struct {
	Model     string
	Reference backends.Engine
	Noise     *compare.Noise
	Bars      compare.NoiseBars
	Outputs   []Tolerances
	Power     []ToleratedFault
	Others    []Judged
}

// Tolerances are those of one output, over all iterations: with each of them a correct engine
// passes, but for the probability of false alarm.
type Tolerances struct {
	Output string
	// Sigma is the root mean square of the noise; 0 for an output of integers, which must be equal.
	Sigma float64
	// Atol and Rtol are for Elementwise: either holds for each element.
	Atol, Rtol float64
	// Max and Median are absolute tolerances for those statistics.
	Max, Median float64
	// Flipped are elements that rounding flips, so that no elementwise tolerance passes.
	Flipped int
}

// ToleratedFault is a planted fault with the size from which each rule is sure to catch it.
type ToleratedFault struct {
	Planted                  // by noise itself
	Elementwise, Max, Median float64
}

// Judged is another engine, held to the noise of the reference.
type Judged struct {
	Engine backends.Engine
	Report compare.Report
}

// text is a line for each output: how many σ it is off.
func (j Judged) text() string {
	verdict := "within noise"
	if j.Report.Verdict != compare.Pass {
		verdict = "beyond noise"
	}
	text := fmt.Sprintf("%v: %s\n", j.Engine, verdict)
	for _, o := range j.Report.Outputs {
		line := o.Reason // of another shape or type
		for _, r := range o.Results {
			line = r.Text
		}
		text += fmt.Sprintf("    %s: %s\n", o.Name, line)
	}
	return text
}

// Propose measures the noise of a run of the reference engine ([Of]) and says which tolerances
// correspond to it, how much each of them sees, and whether other engines, run on the same model
// and inputs, lie within it.
//
//   - Max: the greatest of the bounds of all elements ([compare.Noise.Bounds]).
//   - Elementwise: rtol bounds the elements of the median magnitude and more, atol the rest.
//   - Median: √2 times the bound of the root mean square, since half of the errors are no smaller
//     than their median.
//
// All are rounded up to two digits. Errors: those of [Of] and of the engines; an output that
// rounding flips whole.
func Propose(ctx context.Context, reference *backends.Run, bars compare.NoiseBars,
	others []backends.Engine, options ...Option) (*Proposal, error) {
	measured, err := Of(reference, options...)
	if err != nil {
		return nil, err
	}
	subject := reference.Subject()
	p := &Proposal{Model: subject.Model.Name(), Reference: subject.Engine, Noise: measured, Bars: bars}
	bounds, err := measured.Bounds(reference.Outputs(), bars)
	if err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	for i := range bounds {
		at := slices.IndexFunc(p.Outputs, func(t Tolerances) bool { return t.Output == bounds[i].Name })
		if at < 0 {
			at = len(p.Outputs)
			p.Outputs = append(p.Outputs, Tolerances{Output: bounds[i].Name})
		}
		v, _ := reference.Outputs()[bounds[i].Iteration].Value(bounds[i].Name)
		t, err := v.Stack()
		if err != nil {
			return nil, fmt.Errorf("noise: %w", err)
		}
		p.Outputs[at].widen(&bounds[i], t)
	}
	if p.Power, err = p.power(ctx, subject); err != nil {
		return nil, err
	}
	for _, engine := range others {
		run, err := backends.RunIn(ctx, engine, subject.Model, subject.Inputs)
		if err != nil {
			return nil, err
		}
		report, err := compare.WithinNoise(run.Outputs(), reference.Outputs(), measured, bars,
			compare.Options{AllowEmpty: true})
		if err != nil {
			return nil, err
		}
		p.Others = append(p.Others, Judged{engine, report})
	}
	return p, nil
}

// widen makes the tolerances hold for one more iteration.
func (t *Tolerances) widen(b *compare.NoiseBound, expected *tensor.Tensor) {
	if len(b.Elements) == 0 {
		return
	}
	magnitudes := make([]float64, 0, len(b.Elements))
	for i, bound := range b.Elements {
		if math.IsInf(bound, 1) {
			t.Flipped++
			continue
		}
		if v := math.Abs(expected.Float64At(i)); bound > 0 && v-v == 0 {
			magnitudes = append(magnitudes, v)
			t.Max = max(t.Max, ceil(bound))
		}
	}
	t.Sigma = max(t.Sigma, b.Sigma)
	t.Median = max(t.Median, ceil(math.Sqrt2*b.RMS))
	if len(magnitudes) == 0 {
		return
	}
	slices.Sort(magnitudes)
	middle := magnitudes[len(magnitudes)/2]
	for i, bound := range b.Elements {
		v := math.Abs(expected.Float64At(i))
		switch {
		case !(bound > 0) || math.IsInf(bound, 1) || v-v != 0:
		case v >= middle && v > 0:
			t.Rtol = max(t.Rtol, ceil(bound/v))
		default:
			t.Atol = max(t.Atol, ceil(bound))
		}
	}
}

// ceil is the least number of two digits that is no smaller.
func ceil(v float64) float64 {
	if v == 0 {
		return 0
	}
	exponent := int(math.Floor(math.Log10(v))) - 1
	for {
		digits := math.Ceil(v / math.Pow(10, float64(exponent)))
		var rounded float64
		if _, err := fmt.Sscanf(fmt.Sprintf("%.0fe%d", digits, exponent), "%g", &rounded); err != nil ||
			rounded >= v {
			return rounded
		}
		v = math.Nextafter(v, math.Inf(1))
	}
}

// rule is one of the rules that a proposal has tolerances for.
type rule struct {
	stat       compare.Stat
	tolerances func(Tolerances) (atol, rtol float64)
	power      func(*ToleratedFault) *float64
}

var rules = []rule{
	{compare.Elementwise, func(t Tolerances) (float64, float64) { return t.Atol, t.Rtol },
		func(f *ToleratedFault) *float64 { return &f.Elementwise }},
	{compare.Max, func(t Tolerances) (float64, float64) { return t.Max, 0 },
		func(f *ToleratedFault) *float64 { return &f.Max }},
	{compare.Median, func(t Tolerances) (float64, float64) { return t.Median, 0 },
		func(f *ToleratedFault) *float64 { return &f.Median }},
}

// power plants faults and finds how large each must be for each rule.
func (p *Proposal) power(ctx context.Context, subject backends.Subject) ([]ToleratedFault, error) {
	m, err := newMeter(ctx, subject)
	if err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	defer m.forget()
	search := power{meter: m, noise: p.Noise, bars: p.Bars}
	planted, err := search.search(ctx)
	if err != nil {
		return nil, fmt.Errorf("noise: power: %w", err)
	}
	var faults []ToleratedFault
	for _, one := range planted {
		f := ToleratedFault{Planted: one}
		for _, r := range rules {
			search.judge = func(outputs []*tensor.Set) (float64, error) {
				return p.excess(r, outputs, search.base)
			}
			start := one.Change
			if math.IsInf(start, 1) {
				start = 1
			}
			if *r.power(&f), err = search.least(ctx, one, start); err != nil {
				return nil, fmt.Errorf("noise: power: %w", err)
			}
		}
		faults = append(faults, f)
	}
	return faults, nil
}

// excess is the errors of a rule over its tolerances, the greatest of all outputs.
func (p *Proposal) excess(r rule, outputs, base []*tensor.Set) (float64, error) {
	excess := 0.0
	for i := range outputs {
		for _, t := range p.Outputs {
			if t.Sigma == 0 {
				continue
			}
			actual, err := stack(outputs[i], t.Output)
			if err != nil {
				return 0, err
			}
			expected, err := stack(base[i], t.Output)
			if err != nil {
				return 0, err
			}
			excess = max(excess, r.excess(t, actual, expected))
		}
	}
	return excess, nil
}

func stack(set *tensor.Set, name string) (*tensor.Tensor, error) {
	v, ok := set.Value(name)
	if !ok {
		return nil, errors.New("no output " + name)
	}
	return v.Stack()
}

// excess is the rule's statistic of an output's errors over its tolerance.
func (r rule) excess(t Tolerances, actual, expected *tensor.Tensor) float64 {
	atol, rtol := r.tolerances(t)
	over := make([]float64, 0, actual.Len())
	for i := range min(actual.Len(), expected.Len()) {
		y := expected.Float64At(i)
		d := math.Abs(actual.Float64At(i) - y)
		if d == 0 || d != d {
			over = append(over, 0)
			continue
		}
		over = append(over, min(d/atol, d/(rtol*math.Abs(y))))
	}
	if len(over) == 0 {
		return 0
	}
	slices.Sort(over)
	if r.stat == compare.Median {
		return over[len(over)/2]
	}
	return over[len(over)-1]
}

// Within reports whether every other engine lies within noise.
func (p *Proposal) Within() bool {
	return !slices.ContainsFunc(p.Others,
		func(j Judged) bool { return j.Report.Verdict != compare.Pass })
}

// Go is the matcher that the proposal comes to, as Go: elementwise tolerances for outputs of
// floats, and equality for all others. It names no run to compare with.
func (p *Proposal) Go() string {
	text := "MatchOutputs()"
	for _, t := range p.Outputs {
		if t.Sigma > 0 && t.Flipped == 0 {
			text += fmt.Sprintf(".\n\tForOutput(%q, %g, %g, Elementwise)", t.Output, t.Atol, t.Rtol)
		}
	}
	return text
}

// Spec is the assertion that the proposal comes to, for one more engine: the first of the others,
// or the reference itself.
func (p *Proposal) Spec() string {
	actual := p.Reference
	if len(p.Others) > 0 {
		actual = p.Others[0].Engine
	}
	return fmt.Sprintf("Expect(backends.RunIn(ctx, %#v, model, inputs)).To(%s.\n\t"+
		"Of(backends.RunIn(ctx, %#v, model, inputs)))\n", actual,
		p.Go(), p.Reference)
}

// Text is the proposal for people. It ends with a newline.
func (p *Proposal) Text() string {
	var b strings.Builder
	alarm := p.Bars.FalseAlarm
	if alarm == 0 {
		alarm = compare.DefaultFalseAlarm
	}
	fmt.Fprintf(&b, "%s in %v: noise of %d runs, sums of up to %d addends widen it by %.2g, a false "+
		"alarm once in %.0f\n\n", p.Model, p.Reference, p.Noise.Runs, p.Noise.Addends, p.Noise.Sums(),
		1/alarm)
	table := [][]string{{"output", "σ", "elementwise", "max", "median"}}
	for _, t := range p.Outputs {
		row := []string{t.Output, fmt.Sprintf("%.2g", t.Sigma),
			fmt.Sprintf("atol %g rtol %g", t.Atol, t.Rtol), fmt.Sprintf("atol %g", t.Max),
			fmt.Sprintf("atol %g", t.Median)}
		switch {
		case t.Sigma == 0:
			row = []string{t.Output, "0", "equal", "equal", "equal"}
		case t.Flipped > 0:
			row[2], row[3] = fmt.Sprintf("none: rounding flips %d elements", t.Flipped), "none"
		}
		table = append(table, row)
	}
	b.WriteString(strings.Join(figures.Table(table), "\n") + "\n")
	b.WriteString("\nsure to catch a change of\n")
	table = [][]string{{"", "within noise", "elementwise", "max", "median"}}
	for i := range p.Power {
		f := &p.Power[i]
		table = append(table, []string{f.where(), percent(f.Change), percent(f.Elementwise),
			percent(f.Max), percent(f.Median)})
	}
	if len(p.Power) == 0 {
		table = [][]string{{"unknown: the model multiplies with no weights"}}
	}
	b.WriteString(strings.Join(figures.Table(table), "\n") + "\n")
	for _, j := range p.Others {
		b.WriteString("\n" + j.text())
	}
	b.WriteString("\n" + p.Spec())
	return b.String()
}

// percent is a relative change for people.
func percent(change float64) string {
	if math.IsInf(change, 1) {
		return "none"
	}
	if change >= 0.995 {
		return fmt.Sprintf("%.0f %%", 100*change) // not 1e+02 %
	}
	return fmt.Sprintf("%.2g %%", 100*change)
}
