package noise

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// Proposal contains the tolerances that follow from a model's noise.
type Proposal struct {
	Model     string
	Reference backends.Engine
	Noise     *compare.Noise
	Measuring backends.Engine // in which the noise was measured
	Bars      compare.Bars
	Outputs   []Tolerances
	Power     []ToleratedFault
	Others    []Judged

	powerless string // why no power is known
}

// Tolerances are the tolerances for one output, over all iterations. A correct engine stays within
// each of them, except with the false-alarm probability.
type Tolerances struct {
	Output string
	// Sigma is the root mean square of the noise. It is 0 for integer outputs, which must be equal.
	Sigma float64
	// Atol and Rtol are the tolerances for Elementwise. An element passes if it meets either of them.
	Atol, Rtol float64
	// Max and Median are the absolute tolerances for the statistics of the same names.
	Max, Median float64
	// Flipped counts the elements that are finite in some of the runs that measure the noise, but NaN
	// or infinite in others. If there are any, no elementwise tolerance can pass.
	Flipped int
}

// ToleratedFault is a planted fault with, for each rule, the smallest size at which the rule is
// certain to catch it.
type ToleratedFault struct {
	Planted                  // Change is the smallest size at which [compare.WithinNoise] catches it
	Elementwise, Max, Median float64
}

// Judged is the verdict on one engine other than the reference: whether its run differs from the
// reference run by no more than the noise.
type Judged struct {
	Engine backends.Engine
	Report compare.Report
}

// text returns one line with the engine's verdict, and one line for each output with the error in
// units of σ.
func (j Judged) text() string {
	verdict := "within noise"
	if j.Report.Verdict != compare.Pass {
		verdict = "beyond noise"
	}
	text := fmt.Sprintf("%v: %s\n", j.Engine, verdict)
	for _, o := range j.Report.Outputs {
		line := o.Reason // shape or type differs
		for _, r := range o.Results {
			line = r.Text
		}
		text += fmt.Sprintf("    %s: %s\n", o.Name, line)
	}
	return text
}

// Propose derives tolerances from the noise of the reference engine's run ([Of]), and finds the
// smallest faults that each tolerance catches. It also runs the other engines on the same model and
// inputs, and says whether their results are within the noise.
//
//   - Max: the largest bound of any element ([compare.Noise.Bounds]).
//   - Elementwise: rtol is for elements of at least the median magnitude, and atol is for the
//     smaller elements.
//   - Median: √2 times the bound of the root mean square, since half of the errors are no smaller
//     than their median.
//
// All tolerances are rounded up to two digits. Propose returns an error for the same reasons as
// [Of]. It also returns an error if the reference engine computes a float32 or float64 model in a
// lower precision, if an engine fails, or if a float output has no element that is finite in every
// run that measures noise.
func Propose(ctx context.Context, reference *backends.Run, bars compare.Bars,
	others []backends.Engine, options ...Option) (*Proposal, error) {
	s, err := optionsOf(options)
	if err != nil {
		return nil, err
	}
	of, err := Of(reference, options...)
	if err != nil {
		return nil, err
	}
	subject := reference.Subject()
	m, err := newMeter(ctx, subject, s.engine)
	if err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	defer m.forget()
	if m.wide() {
		if err := Float32(ctx, subject.Engine); err != nil {
			return nil, fmt.Errorf("noise: %w", err)
		}
	}
	runs := []*backends.Run{reference}
	for _, engine := range others {
		run, err := backends.RunIn(ctx, engine, subject.Model, subject.Inputs)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	measured := *of
	measured.Sequential = SequentialIn(of, runs...)
	p := &Proposal{Model: subject.Model.Name(), Reference: subject.Engine, Noise: &measured,
		Measuring: m.engine, Bars: bars}
	bounds, err := measured.Bounds(reference.Outputs(), bars)
	if err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	elements := 0
	for i := range bounds {
		at := slices.IndexFunc(p.Outputs, func(t Tolerances) bool { return t.Output == bounds[i].Name })
		if at < 0 {
			at = len(p.Outputs)
			p.Outputs = append(p.Outputs, Tolerances{Output: bounds[i].Name})
		}
		t, err := stack(reference.Outputs()[bounds[i].Iteration], bounds[i].Name)
		if err != nil {
			return nil, fmt.Errorf("noise: %w", err)
		}
		p.Outputs[at].widen(&bounds[i], t)
		elements += t.Len()
	}
	if elements == 0 {
		return nil, errors.New("noise: every output is empty; use inputs of a different shape")
	}
	if p.Power, err = p.power(ctx, m); err != nil {
		return nil, err
	}
	for i, engine := range others {
		report, err := compare.WithinNoise(runs[i+1].Outputs(), reference.Outputs(), &measured, bars,
			compare.Options{AllowEmpty: true})
		if err != nil {
			return nil, err
		}
		p.Others = append(p.Others, Judged{engine, report})
	}
	return p, nil
}

// widen increases the tolerances so that a correct engine also stays within them in the iteration
// whose bounds are b.
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

// ceil rounds up to two significant digits.
func ceil(v float64) float64 {
	if v == 0 {
		return 0
	}
	exponent := math.Floor(math.Log10(v)) - 1
	for digits := math.Ceil(v / math.Pow(10, exponent)); ; digits++ {
		rounded, err := strconv.ParseFloat(fmt.Sprintf("%.0fe%.0f", digits, exponent), 64)
		if err != nil || rounded >= v {
			return rounded
		}
	}
}

// power measures, for each planted fault and each statistic, the smallest size at which a check of
// the statistic catches the fault.
func (p *Proposal) power(ctx context.Context, m *meter) ([]ToleratedFault, error) {
	search := power{meter: m, noise: p.Noise, bars: p.Bars}
	planted, err := search.search(ctx)
	if errors.Is(err, errUnweighted) {
		p.powerless = err.Error()
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("noise: power: %w", err)
	}
	var faults []ToleratedFault
	for _, one := range planted {
		f := ToleratedFault{Planted: one}
		for _, check := range []struct {
			stat  compare.Stat
			least *float64
		}{{compare.Elementwise, &f.Elementwise}, {compare.Max, &f.Max}, {compare.Median, &f.Median}} {
			search.judge = func(outputs []*tensor.Set) (float64, error) {
				return p.excess(check.stat, outputs, search.base)
			}
			if *check.least, err = search.least(ctx, one, min(one.Change, 1)); err != nil {
				return nil, fmt.Errorf("noise: power: %w", err)
			}
		}
		faults = append(faults, f)
	}
	return faults, nil
}

// excess divides the errors of each output by their tolerances. It returns the statistic of these
// ratios for the output at which the statistic is largest.
func (p *Proposal) excess(stat compare.Stat, outputs, base []*tensor.Set) (float64, error) {
	excess := 0.0
	for i := range outputs {
		for k := range p.Outputs {
			t := &p.Outputs[k]
			if t.Sigma == 0 {
				continue
			}
			actual, err := stack(outputs[i], t.Output)
			expected, wrong := stack(base[i], t.Output)
			if err := errors.Join(err, wrong); err != nil {
				return 0, err
			}
			excess = max(excess, t.excess(stat, actual, expected))
		}
	}
	return excess, nil
}

func stack(set *tensor.Set, name string) (*tensor.Tensor, error) {
	v, ok := set.Value(name)
	if !ok {
		return nil, errors.New("missing output " + name)
	}
	return v.Stack()
}

// excess divides the errors of the output by their tolerances, and returns the statistic of these
// ratios.
func (t *Tolerances) excess(stat compare.Stat, actual, expected *tensor.Tensor) float64 {
	atol, rtol := t.Atol, t.Rtol
	switch stat {
	case compare.Max:
		atol, rtol = t.Max, 0
	case compare.Median:
		atol, rtol = t.Median, 0
	}
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
	if stat == compare.Median {
		return over[len(over)/2]
	}
	return over[len(over)-1]
}

// Within reports whether every engine except the reference stays within the noise.
func (p *Proposal) Within() bool {
	return !slices.ContainsFunc(p.Others,
		func(j Judged) bool { return j.Report.Verdict != compare.Pass })
}

// Spec returns a complete assertion with the proposed tolerances as Go source: elementwise
// tolerances for float outputs, and equality for other outputs. The assertion compares the first of
// the other engines with the reference. If there are no other engines, it compares the reference
// with itself.
func (p *Proposal) Spec() string {
	actual := p.Reference
	if len(p.Others) > 0 {
		actual = p.Others[0].Engine
	}
	matcher := "MatchOutputs()"
	for _, t := range p.Outputs {
		if t.Sigma > 0 && t.Flipped == 0 {
			matcher += fmt.Sprintf(".\n\tForOutput(%q, %g, %g, Elementwise)", t.Output, t.Atol, t.Rtol)
		}
	}
	return fmt.Sprintf("Expect(backends.RunIn(ctx, %#v, model, inputs)).To(%s.\n\t"+
		"Of(backends.RunIn(ctx, %#v, model, inputs)))\n", actual, matcher, p.Reference)
}

// Text returns a report of the proposal for users. It ends with a newline.
func (p *Proposal) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "rounding noise of %s in %v, measured by %d runs in %v and widened by a factor "+
		"of %.2g for sums of up to %d terms; %s\n\n", p.Model, p.Reference, p.Noise.Runs, p.Measuring,
		p.Noise.Sums(), p.Noise.Addends, figures.FalseAlarm(p.Bars.FalseAlarm))
	table := [][]string{{"output", "σ", "elementwise", "max", "median"}}
	for _, t := range p.Outputs {
		row := []string{t.Output, fmt.Sprintf("%.2g", t.Sigma),
			fmt.Sprintf("atol %g rtol %g", t.Atol, t.Rtol), fmt.Sprintf("atol %g", t.Max),
			fmt.Sprintf("atol %g", t.Median)}
		switch {
		case t.Sigma == 0:
			row = []string{t.Output, "0", "equal", "equal", "equal"}
		case t.Flipped > 0:
			row[2], row[3] = fmt.Sprintf("no tolerance would pass: %d elements are finite in some runs, "+
				"but NaN or infinite in others", t.Flipped), "no tolerance would pass"
		}
		table = append(table, row)
	}
	b.WriteString(strings.Join(figures.Table(table), "\n") + "\n")
	b.WriteString("\nthe smallest change that is sure to be caught\n")
	table = [][]string{{"", "within noise", "elementwise", "max", "median"}}
	for i := range p.Power {
		f := &p.Power[i]
		table = append(table, []string{f.where(), percent(f.Change), percent(f.Elementwise),
			percent(f.Max), percent(f.Median)})
	}
	if p.powerless != "" {
		table = [][]string{{"unknown: " + p.powerless}}
	}
	b.WriteString(strings.Join(figures.Table(table), "\n") + "\n")
	for _, j := range p.Others {
		b.WriteString("\n" + j.text())
	}
	b.WriteString("\n" + p.Spec())
	return b.String()
}

func percent(change float64) string {
	if math.IsInf(change, 1) {
		return "none"
	}
	if change >= 0.995 {
		return fmt.Sprintf("%.0f %%", 100*change) // not 1e+02 %
	}
	return fmt.Sprintf("%.2g %%", 100*change)
}
