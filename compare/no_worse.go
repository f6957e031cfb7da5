package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/tensor"
)

// LowerPrecision is what a format of fewer bits does by itself to the outputs of one model on given
// inputs. Package precision makes it, and [NoWorseThan] judges by it.
type LowerPrecision struct {
	// Format names it: "fp16".
	Format string
	// Float32 are the outputs of each iteration without rounding, in the same engine.
	Float32 []*tensor.Set
	// Runs are the outputs of each iteration with everything rounded in the format: first to the
	// nearest, then with the weights and inputs rounded on grids that are shifted by chance, which
	// makes errors of the same size that are independent.
	Runs [][]*tensor.Set
}

// PrecisionBars are what the errors of a lower precision may not exceed.
type PrecisionBars struct {
	// FalseAlarm is the probability with which an engine that is no worse may fail one comparison,
	// over all its outputs. 0 is 1e-4.
	FalseAlarm float64
	// Published lets AWS's gate decide as it is published ([ThreeWay]).
	Published bool
}

// NoWorseThan holds the errors of an engine of lower precision against those that its format causes
// by itself on the same model. expected is in float32 or better.
//
// Both gates are computed for each output of floats, pooled over the iterations. The one that
// decides has two criteria:
//
//   - the root mean square of the errors is at most 1.2226·√F times that of all rounded runs.
//     1.2226 is the ratio of σ at which the published overlap of 0.99 ends for normal errors; F is
//     the quantile of the F distribution with ν and ν·n degrees of freedom, for n runs and ν as in
//     [WithinNoise]: what chance adds where outputs are few.
//   - the greatest error is less than 5 times the greatest of all rounded runs.
//
// The other is AWS's ([ThreeWay]). At equal quality its σ ratio is above 1 every other time, and
// its overlap of 0.99 takes thousands of elements, so that it rejects good engines with few
// outputs. PrecisionBars.Published lets it decide.
//
// Elements that are not finite in a rounded run are left out; an output of which nothing is left is
// an error, and so is a format that changes nothing. Integers, bools and strings must be equal
// where the rounded runs agree.
//
// A result's Value is the greater of both criteria over its bar, and its Limit 1; under Published
// there is no such number. Options are those of [Runs]; its checks, TopK and AnyShape are not for
// it.
func NoWorseThan(actual, expected []*tensor.Set, lower *LowerPrecision, bars PrecisionBars,
	o Options) (Report, error) {
	if bars.FalseAlarm == 0 {
		bars.FalseAlarm = DefaultFalseAlarm
	}
	if err := lower.usable(bars, len(expected), o); err != nil {
		return Report{}, fmt.Errorf("compare: %w", err)
	}
	if err := validateOutputs(actual, expected); err != nil {
		return Report{}, err
	}
	pools, err := lower.pool(actual, expected, o)
	if err != nil {
		return Report{}, fmt.Errorf("compare: %w", err)
	}
	chosen, count := chosenBy(&o), 0
	for name := range pools {
		if chosen.takes(name) {
			count++
		}
	}
	report := Report{Verdict: Pass}
	for i := range min(len(actual), len(expected)) {
		o.Checks, o.PerOutput = []Check{{rule: &noWorse{}}}, map[string][]Check{}
		for _, v := range actual[i].Values() {
			if pool := pools[v.Name]; pool != nil && chosen.takes(v.Name) {
				pool.conclude(bars, bars.FalseAlarm/float64(count), len(lower.Runs))
				o.PerOutput[v.Name] = []Check{{rule: &noWorse{format: lower.Format, pool: pool, iteration: i,
					falseAlarm: bars.FalseAlarm, published: bars.Published}}}
			}
		}
		c, err := Prepare(o)
		if err != nil {
			return Report{}, err
		}
		one, err := c.Sets(actual[i], expected[i])
		if err != nil {
			return Report{}, err
		}
		report.LeftOut = one.LeftOut
		for _, output := range one.Outputs {
			output.Iteration = i
			report.Outputs = append(report.Outputs, output)
		}
	}
	report.conclude(len(actual), len(expected))
	return report, nil
}

// leastRounded is how many runs a LowerPrecision needs.
const leastRounded = 4

func (l *LowerPrecision) usable(bars PrecisionBars, iterations int, o Options) error {
	switch {
	case l == nil || len(l.Runs) < leastRounded:
		return fmt.Errorf("a lower precision needs %d runs or more", leastRounded)
	case !(bars.FalseAlarm > 0 && bars.FalseAlarm < 0.5):
		return fmt.Errorf("FalseAlarm is %v: want a probability between 0 and 0.5", bars.FalseAlarm)
	case o.Average:
		return errors.New("the errors of a lower precision are pooled over iterations already, so they " +
			"have no average")
	case o.AnyShape || len(o.TopK) > 0:
		return errors.New("the errors of a lower precision are those of elements where they are: " +
			"leave out AnyShape and TopK")
	}
	for _, run := range append([][]*tensor.Set{l.Float32}, l.Runs...) {
		if len(run) != iterations {
			return fmt.Errorf("%s was measured on %d iterations, and the expected run has %d", l.Format,
				len(run), iterations)
		}
	}
	return nil
}

// pooled are the errors of one output over all iterations.
type pooled struct {
	name   string
	shape  tensor.Shape
	floats bool
	// Of each iteration: the errors of the engine and of each rounded run, the squared spacing of
	// numbers over 12, and which elements are held to anything.
	actual  [][]float64
	rounded [][][]float64
	last    float64
	counted [][]bool
	// overflows are elements that the format cannot hold.
	overflows, elements int

	concluded             bool
	rms, bar, greatest    float64
	noise                 OutputNoise
	threeWay              ThreeWay
	worst                 int // the iteration
	rejectedBy, published []string
}

// pool gathers the errors of every output that both sides and the rounded runs have, by its actual
// name. A pair that does not fit is left to the comparison, which says so.
func (l *LowerPrecision) pool(actual, expected []*tensor.Set, o Options) (map[string]*pooled,
	error) {
	pools := map[string]*pooled{}
	changes := false
	for i := range min(len(actual), len(expected)) {
		var sides []map[string]*tensor.Tensor
		sets := append([]*tensor.Set{actual[i], expected[i], l.Float32[i]}, l.iteration(i)...)
		for _, set := range sets {
			values, err := stacked(set)
			if err != nil {
				return nil, err
			}
			sides = append(sides, values)
		}
		for _, v := range actual[i].Values() {
			name := v.Name
			if mapped, ok := o.Names[name]; ok {
				name = mapped
			}
			a, b := sides[0][v.Name], sides[1][name]
			if b == nil || !a.Shape().Equal(b.Shape()) {
				continue
			}
			if pools[v.Name] == nil {
				pools[v.Name] = &pooled{name: v.Name, shape: b.Shape(),
					floats: b.ElementType().IsFloat() && a.ElementType().IsFloat()}
			}
			for _, side := range sides[2:] {
				r := side[name]
				if r == nil || !r.Shape().Equal(b.Shape()) || r.ElementType() != b.ElementType() {
					return nil, fmt.Errorf("output %q: the model rounded in %s gives another shape or type", name,
						l.Format)
				}
			}
			changed := pools[v.Name].add(a, b, sides[2][name], sides[3:], name)
			changes = changes || changed
		}
	}
	if !changes {
		return nil, fmt.Errorf("%s changes nothing in the outputs of this model, so no error is its: "+
			"hold the run to what rounding explains (MatchWithinNoise, --noise)", l.Format)
	}
	return pools, nil
}

// iteration are the outputs of one iteration in every run.
func (l *LowerPrecision) iteration(i int) []*tensor.Set {
	sets := make([]*tensor.Set, len(l.Runs))
	for k, run := range l.Runs {
		sets[k] = run[i]
	}
	return sets
}

// add adds an iteration, and reports whether the format changes anything in it.
func (p *pooled) add(actual, expected, exact *tensor.Tensor, rounded []map[string]*tensor.Tensor,
	name string) (changes bool) {
	n := expected.Len()
	counted := make([]bool, n)
	errs, all := make([]float64, n), make([][]float64, len(rounded))
	for k := range all {
		all[k] = make([]float64, n)
	}
	for i := range n {
		counted[i] = true
		for k := range rounded {
			r := rounded[k][name]
			if !p.floats {
				if valueOf(r, i) != valueOf(exact, i) {
					counted[i], changes = false, true
				}
				continue
			}
			d := r.Float64At(i) - exact.Float64At(i)
			if d-d != 0 {
				counted[i] = false
			} else {
				all[k][i] = d
			}
			changes = changes || d != 0
		}
		if !p.floats {
			continue
		}
		y := expected.Float64At(i)
		if !counted[i] {
			if y-y == 0 {
				p.overflows++
			}
			for k := range all {
				all[k][i] = 0
			}
			continue
		}
		p.elements++
		last := spacing(expected.ElementType(), y)
		p.last += last * last / 12
		errs[i] = actual.Float64At(i) - y
	}
	p.actual, p.counted = append(p.actual, errs), append(p.counted, counted)
	if p.rounded == nil {
		p.rounded = make([][][]float64, len(rounded))
	}
	for k := range all {
		p.rounded[k] = append(p.rounded[k], all[k])
	}
	return changes
}

// closest is the ratio of σ at which the overlap of two normal distributions is 0.99, the published
// bar: √(2r/(1+r²)) = 0.99.
const closest = 1.22257

// conclude computes both gates.
func (p *pooled) conclude(bars PrecisionBars, share float64, runs int) {
	if p.concluded || !p.floats || p.elements == 0 {
		return
	}
	p.concluded = true
	p.threeWay = ThreeWayOf(p.actual, p.rounded[0])
	flat := make([][]float64, runs)
	squares, greatest := 0.0, 0.0
	for k := range flat {
		for _, errs := range p.rounded[k] {
			flat[k] = append(flat[k], errs...)
			squares += math.Pow(normOf(errs), 2) / float64(runs)
			greatest = max(greatest, greatestOf(errs))
		}
	}
	p.noise = OutputNoise{Name: p.name, Independent: 1}
	if squares > 0 {
		p.noise.Independent = independent(flat, squares, float64(runs))
		p.noise.RMS = math.Sqrt(squares / float64(p.elements))
	}
	freedom := math.Sqrt(max(1, p.noise.Independent))
	p.bar = closest * math.Sqrt(fQuantile(share, freedom, freedom*float64(runs)))
	own, most := 0.0, -1.0
	for i, errs := range p.actual {
		norm := normOf(errs)
		own += norm * norm
		if norm > most || norm != norm {
			most, p.worst = norm, i
		}
	}
	p.rms = ratio(math.Sqrt(own), math.Sqrt(squares+p.last))
	p.greatest = ratio(greatestOf(slices.Concat(p.actual...)),
		greatest+math.Sqrt(p.last/float64(p.elements)))
	if !(p.rms <= p.bar) {
		p.rejectedBy = append(p.rejectedBy, fmt.Sprintf("the rms error, %s times that of the format "+
			"(bar %s)", short(p.rms), short(p.bar)))
	}
	if !(p.greatest < mostGreatest) {
		p.rejectedBy = append(p.rejectedBy, fmt.Sprintf("the greatest error, %s times that of the "+
			"format (bar %d)", short(p.greatest), mostGreatest))
	}
	p.published = p.threeWay.Rejected()
}

// text is both gates.
func (p *pooled) text(format string) string {
	text := fmt.Sprintf("rms error %s times that of %s (bar %s), greatest %s times (bar %d), "+
		"%s's rms %s over %d elements, as many as %s independent ones; as published: %v", short(p.rms),
		format, short(p.bar), short(p.greatest), mostGreatest, format, short(p.noise.RMS), p.elements,
		short(p.noise.Independent), p.threeWay)
	if len(p.published) > 0 {
		text += ", rejected by " + strings.Join(p.published, ", ")
	}
	return text
}

// noWorse is the rule of [NoWorseThan] for one output of one iteration.
type noWorse struct {
	format     string
	pool       *pooled // nil where the rule was read from JSON, or nothing is known of the output
	iteration  int
	falseAlarm float64
	published  bool
}

func (w *noWorse) name() string { return "no_worse_than" }

func (w *noWorse) text() string {
	if w.published {
		return "no worse than " + w.format + ", by AWS's gate as published"
	}
	return fmt.Sprintf("no worse than %s, with a false alarm once in %s", w.format,
		number(math.Round(1/w.falseAlarm)))
}

func (w *noWorse) parameters() parameters {
	return parameters{atol: nan, rtol: nan, limit: w.falseAlarm, format: w.format,
		published: w.published}
}

func (w *noWorse) validate() error { return nil }

func (w *noWorse) measure(p pair, r *Result, _ int) error {
	r.Value, r.Limit = nan, nan
	if w.pool == nil {
		return errors.New("nothing is known of what a lower precision does to it")
	}
	counted := w.pool.counted[w.iteration]
	if !slices.Contains(counted, true) {
		r.hollow = hollow("keep what overflows in float32, or hold it otherwise",
			"%s leaves no element that it could be held to", w.format)
		return nil
	}
	differ := 0
	for i, held := range counted {
		switch {
		case !held:
		case !w.pool.floats:
			if valueOf(p.actual, i) != valueOf(p.expected, i) {
				differ++
			}
		case math.IsNaN(w.pool.actual[w.iteration][i]) || math.IsInf(w.pool.actual[w.iteration][i], 0):
			differ++
		}
	}
	var parts []string
	if differ > 0 {
		r.Mismatches, r.Verdict = differ, Fail
		parts = append(parts, fmt.Sprintf("%d elements differ that %s does not change", differ, w.format))
	}
	parts = append(parts, w.conclude(r)...)
	if w.pool.overflows > 0 {
		parts = append(parts, fmt.Sprintf("%d elements left out, which overflow in %s", w.pool.overflows,
			w.format))
	}
	if len(parts) == 0 {
		parts = append(parts, "equal")
	}
	r.Text = strings.Join(parts, "; ")
	return nil
}

// conclude adds the verdict over all iterations, which the worst of them bears.
func (w *noWorse) conclude(r *Result) []string {
	p := w.pool
	if !p.concluded {
		return nil
	}
	if w.iteration != p.worst {
		return []string{fmt.Sprintf("judged with iteration %d, the worst", p.worst)}
	}
	by := p.rejectedBy
	if w.published {
		by = p.published
	} else {
		r.Value, r.Limit = max(p.rms/p.bar, p.greatest/mostGreatest), 1
	}
	if len(by) == 0 {
		return []string{p.text(w.format)}
	}
	r.Verdict = Fail
	return []string{"rejected by " + strings.Join(by, " and ") + ": " + p.text(w.format)}
}

func (w *noWorse) holds(r *Result) bool { return r.Verdict == Pass }

func (w *noWorse) reason(r *Result) string {
	return "worse than " + w.format + ": " + r.Text
}

func (w *noWorse) figures(r *Result) string { return r.Text }

func (w *noWorse) elements() elementRule { return nil }

func (w *noWorse) mean([]Result) (Result, bool) { return Result{}, false }

// suggest offers nothing: what the format causes is measured, not chosen.
func (w *noWorse) suggest(pair, Result, *Required) {}
