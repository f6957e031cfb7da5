package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// pooled contains the errors of one output over all iterations, and the verdict on them.
type pooled struct {
	shape  tensor.Shape // nil if the iterations have different shapes
	floats bool
	// By iteration and element: the errors of the engine under test, the errors of each rounded run,
	// the smallest σ, and how the element is compared. The first index of rounded is the run.
	actual  [][]float64
	rounded [][][]float64
	least   [][]float64
	held    [][]holding
	// overflows counts the elements whose value overflows in the format in some runs.
	overflows, elements int

	concluded   bool
	whole, part rmsError // for all elements, and for the worst index along an axis
	greatest    float64  // the largest error, divided by the largest of the rounded runs
	sigma       float64
	worst       int      // the iteration with the largest error
	rejectedBy  []string // the criteria that fail
}

// holding says how the rule judges an element.
type holding byte

const (
	free       holding = iota // not compared
	byError                   // by its error, because it is finite in every run
	byEquality                // for equality, because it is not a float or is finite in no run
)

// pool gathers the errors of every output that both sides have. The keys are the names on the
// actual side. It skips outputs that differ in name or shape between the two sides; the comparison
// reports such outputs itself. It returns an error if a rounded run lacks such an output or has it
// in a different shape or type, or if rounding to the format changes no output.
func (l *LowerPrecision) pool(actual, expected []*tensor.Set, o Options) (map[string]*pooled,
	error) {
	pools := map[string]*pooled{}
	changes := false
	for i := range min(len(actual), len(expected)) {
		var sides []map[string]*tensor.Tensor
		sets := []*tensor.Set{actual[i], expected[i], l.Float32[i]}
		for _, run := range l.Runs {
			sets = append(sets, run[i])
		}
		for _, set := range sets {
			values, err := stacked(set)
			if err != nil {
				return nil, err
			}
			sides = append(sides, values)
		}
		for _, v := range actual[i].Values() {
			name := o.expectedName(v.Name)
			a, b := sides[0][v.Name], sides[1][name]
			if b == nil || !a.Shape().Equal(b.Shape()) {
				continue
			}
			if pools[v.Name] == nil {
				pools[v.Name] = &pooled{shape: b.Shape(),
					floats: b.ElementType().IsFloat() && a.ElementType().IsFloat()}
			}
			for _, side := range sides[2:] {
				r := side[name]
				if r == nil || !r.Shape().Equal(b.Shape()) || r.ElementType() != b.ElementType() {
					return nil, fmt.Errorf("output %q: rounding the model to %s changes the output's shape "+
						"or type", name, l.Format)
				}
			}
			changed := pools[v.Name].add(a, b, sides[2][name], sides[3:], name, l.Stored)
			changes = changes || changed
		}
	}
	if !changes {
		return nil, fmt.Errorf("%s changes no output of this model, so it explains no error: "+
			"compare within rounding noise instead (MatchWithinNoise, --noise)", l.Format)
	}
	return pools, nil
}

// ownPlaces is the smallest σ, in units in the last place of float32: float32 engines differ by
// about that much from each other.
const ownPlaces = 4

// add adds an iteration's errors. It reports whether rounding to the number format changes any
// element of the iteration.
func (p *pooled) add(actual, expected, exact *tensor.Tensor, rounded []map[string]*tensor.Tensor,
	name string, stored tensor.ElementType) (changes bool) {
	n := expected.Len()
	if !p.shape.Equal(expected.Shape()) {
		p.shape = nil
	}
	if stored == tensor.Invalid {
		stored = expected.ElementType()
	}
	held, least := make([]holding, n), make([]float64, n)
	errs, all := make([]float64, n), make([][]float64, len(rounded))
	for k := range all {
		all[k] = make([]float64, n)
	}
	for i := range n {
		if !p.floats {
			held[i] = byEquality
			for k := range rounded {
				if valueOf(rounded[k][name], i) != valueOf(exact, i) {
					held[i], changes = free, true
				}
			}
			continue
		}
		x, y := exact.Float64At(i), expected.Float64At(i)
		finite, same := y-y == 0, alike(x, y)
		for k := range rounded {
			r := rounded[k][name].Float64At(i)
			all[k][i] = r - x
			finite, same = finite && all[k][i]-all[k][i] == 0, same && alike(r, x)
			changes = changes || !alike(r, x)
		}
		switch {
		case finite:
			p.elements++
			held[i], errs[i] = byError, actual.Float64At(i)-y
			last := max(spacing(expected.ElementType(), y), spacing(stored, y)) / math.Sqrt(12)
			least[i] = max(last, ownPlaces*spacing(tensor.Float32, y))
			continue
		case same:
			held[i] = byEquality
		case y-y == 0:
			p.overflows++
		}
		for k := range all {
			all[k][i] = 0
		}
	}
	p.actual, p.held, p.least = append(p.actual, errs), append(p.held, held), append(p.least, least)
	if p.rounded == nil {
		p.rounded = make([][][]float64, len(rounded))
	}
	for k := range all {
		p.rounded[k] = append(p.rounded[k], all[k])
	}
	return changes
}

// alike reports whether two numbers are equal or both NaN.
func alike(a, b float64) bool { return a == b || a != a && b != b }

// conclude applies both criteria of [NoWorseThan]. The parameter share is the part of the
// false-alarm probability that the output may use.
func (p *pooled) conclude(l *LowerPrecision, share float64) {
	if p.concluded || !p.floats || p.elements == 0 {
		return
	}
	p.concluded = true
	e := p.inSigmas(len(l.Runs))
	at, own, most := 0, 0.0, -1.0
	for i, d := range e.actual {
		if math.Abs(d) > math.Abs(e.actual[at]) {
			at = i
		}
	}
	for i, start := 0, 0; i < len(p.actual); i++ {
		end := start + len(p.actual[i])
		if own = normOf(e.actual[start:end]); own > most {
			most, p.worst = own, i
		}
		start = end
	}
	e.widen = sequentialSums(l.Sequential)
	p.greatest = math.Abs(e.actual[at]) / e.greatest
	share /= float64(1 + len(p.shape))
	p.whole = e.rms(part{count: 1, inner: len(e.actual)}, share)
	inner, _ := p.shape.Elements()
	for axis, count := range p.shape {
		inner /= max(1, count)
		if count < 2 || len(e.actual)/count < leastPool {
			continue
		}
		p.part = e.worst(p.part, part{axis: axis, count: count, inner: inner}, share/float64(count))
	}
	if !(p.whole.overLimit() <= 1) {
		p.rejectedBy = append(p.rejectedBy, "the rms error, "+p.whole.String())
	}
	if p.part.overLimit() > 1 {
		where := slices.Repeat([]string{":"}, len(p.shape))
		where[p.part.of.axis] = strconv.Itoa(p.part.of.index)
		p.rejectedBy = append(p.rejectedBy, fmt.Sprintf("the rms error at [%s], %v",
			strings.Join(where, ","), p.part))
	}
	if !(p.greatest < mostGreatest) {
		text := fmt.Sprintf("the largest error, %s times the largest of rounding to the format (limit "+
			"%d)", figures.Short(p.greatest), mostGreatest)
		if elements := len(p.actual[0]); p.shape != nil {
			text += fmt.Sprintf(" at %v of iteration %d", tensor.Shape(p.shape.Index(at%elements)),
				at/elements)
		}
		p.rejectedBy = append(p.rejectedBy, text)
	}
}

// leastShared is the smallest weight, in runs, of a group's mean variance in the σ of one of its
// elements. Without this weight, σ would be too small for an element whose value happens to round
// to the same number in every run.
const leastShared = 1

// inSigmas returns the errors of all iterations, each divided by its element's σ.
func (p *pooled) inSigmas(runs int) *scaledErrors {
	e := &scaledErrors{actual: slices.Concat(p.actual...), rounded: make([][]float64, runs),
		greatest: 1, widen: 1}
	for k := range e.rounded {
		e.rounded[k] = slices.Concat(p.rounded[k]...)
	}
	unit, least := scaled(e.rounded), slices.Concat(p.least...)
	e.allowed = make([]float64, len(least))
	mean := 0.0
	for i := range e.allowed {
		for k := range e.rounded {
			e.allowed[i] += float64(e.rounded[k][i]*e.rounded[k][i]) / float64(runs)
		}
		e.allowed[i] = max(e.allowed[i], math.Pow(least[i]/unit, 2))
		mean += e.allowed[i] / float64(p.elements)
	}
	p.sigma = unit * math.Sqrt(mean)
	var shape tensor.Shape
	if p.shape != nil {
		shape = append(tensor.Shape{len(p.actual)}, p.shape...)
	}
	pools, poolOf, differ := (&OutputNoise{Shape: shape}).pools(e.allowed, float64(runs))
	shared := max(leastShared, priorOf(differ, float64(runs))-2)
	for i, v := range e.allowed {
		sigma := math.Sqrt((float64(shared*pools[poolOf(i)]) + float64(float64(runs)*v)) /
			(shared + float64(runs)))
		if d := e.actual[i]; d-d != 0 {
			e.actual[i] = 0 // measure counts NaN and infinities separately
		}
		e.actual[i] = ratio(e.actual[i]/unit, sigma)
		e.allowed[i] = ratio(v, float64(sigma*sigma))
		for k := range e.rounded {
			e.rounded[k][i] = ratio(e.rounded[k][i], sigma)
			e.greatest = max(e.greatest, math.Abs(e.rounded[k][i]))
		}
	}
	return e
}

// text returns a line with the numbers of both criteria of [NoWorseThan].
func (p *pooled) text(format string) string {
	return fmt.Sprintf("rms error %s times the error of rounding to %s (limit %s), largest error %s "+
		"times the largest (limit %d), σ of rounding %s over %d elements (%s effectively independent)",
		figures.Short(p.whole.ratio), format, figures.Short(p.whole.limit), figures.Short(p.greatest),
		mostGreatest, figures.Short(p.sigma), p.elements, figures.Short(p.whole.independent))
}
