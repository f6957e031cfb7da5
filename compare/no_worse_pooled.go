package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// pooled contains the errors of one output over all iterations, and the verdict on them.
type pooled struct {
	shape  tensor.Shape // nil if the iterations have different shapes, or not all have elements
	floats bool
	// By element, one iteration after the other: the errors of the engine under test, the errors of
	// each rounded run, the smallest σ, and how the element is compared. starts contains the position
	// of each iteration's first element; iterations in which the output differs in shape have none.
	starts  []int
	actual  []float64
	rounded [][]float64
	least   []float64
	held    []holding
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

// pool gathers the errors of every compared output that has the same name and shape on both sides.
// The comparison itself reports all other outputs. The keys are the names on the actual side. pool
// returns an error if a run in l lacks a gathered output, or has it in a different shape or type.
// It also returns an error if rounding to the format changes no output.
func (l *LowerPrecision) pool(actual, expected []*tensor.Set, o Options) (map[string]*pooled,
	error) {
	pools, chosen, changes := map[string]*pooled{}, chosenBy(&o), false
	for i := range min(len(actual), len(expected)) {
		sides := []*tensor.Set{actual[i], expected[i], l.Float32[i]}
		for _, run := range l.Runs {
			sides = append(sides, run[i])
		}
		for k := range sides {
			var err error
			if sides[k], err = sets.Stacked(sides[k]); err != nil {
				return nil, fmt.Errorf("compare: %w", err)
			}
		}
		for _, v := range actual[i].Values() {
			name := o.expectedName(v.Name)
			a, _ := sides[0].Get(v.Name)
			b, has := sides[1].Get(name)
			if !has || !a.Shape().Equal(b.Shape()) || !chosen.takes(v.Name) {
				continue
			}
			if pools[v.Name] == nil {
				pools[v.Name] = &pooled{shape: b.Shape(), rounded: make([][]float64, len(l.Runs)),
					floats: b.ElementType().IsFloat() && a.ElementType().IsFloat()}
			}
			var rounded []*tensor.Tensor // the float32 run's output comes first
			for _, side := range sides[2:] {
				r, has := side.Get(name)
				if !has || !r.Shape().Equal(b.Shape()) || r.ElementType() != b.ElementType() {
					return nil, fmt.Errorf("output %q: rounding the model to %s changes the output from %v%v "+
						"to %v%v, so no limit for its errors can be measured: leave the output out (--except), or "+
						"compare within a tolerance (--atol, --rtol)", name, l.Format, b.ElementType(), b.Shape(),
						r.ElementType(), r.Shape())
				}
				rounded = append(rounded, r)
			}
			changes = pools[v.Name].add(i, a, b, rounded[0], rounded[1:], l.Stored) || changes
		}
	}
	if !changes {
		return nil, fmt.Errorf("rounding to %s changes no output, so errors cannot be compared with it: "+
			"use inputs that it changes, or compare within a tolerance (--atol, --rtol)", l.Format)
	}
	return pools, nil
}

// ownPlaces is a lower bound on every element's σ, in units in the last place of float32. Two
// float32 engines differ by about that much.
const ownPlaces = 4

// add adds an iteration's errors. It reports whether rounding to the number format changes any
// element of the iteration.
func (p *pooled) add(iteration int, actual, expected, exact *tensor.Tensor,
	rounded []*tensor.Tensor, stored tensor.ElementType) (changes bool) {
	if len(p.starts) < iteration || !p.shape.Equal(expected.Shape()) {
		p.shape = nil
	}
	for len(p.starts) <= iteration {
		p.starts = append(p.starts, len(p.held))
	}
	if stored == tensor.Invalid {
		stored = expected.ElementType()
	}
	errs := make([]float64, len(rounded))
	for i := range expected.Len() {
		held, d, least := free, 0.0, 0.0
		if p.floats {
			x, y := exact.Float64At(i), expected.Float64At(i)
			finite, same := y-y == 0, alike(x, y)
			for k := range rounded {
				r := rounded[k].Float64At(i)
				errs[k] = r - x
				finite, same = finite && errs[k]-errs[k] == 0, same && alike(r, x)
				changes = changes || !alike(r, x)
			}
			switch {
			case finite:
				p.elements++
				held, d = byError, actual.Float64At(i)-y
				last := max(spacing(expected.ElementType(), y), spacing(stored, y)) / math.Sqrt(12)
				least = max(last, ownPlaces*spacing(tensor.Float32, y))
			case same:
				held = byEquality
			case y-y == 0:
				p.overflows++
			}
		} else {
			held = byEquality
			for k := range rounded {
				if valueOf(rounded[k], i) != valueOf(exact, i) {
					held, changes = free, true
				}
			}
		}
		if held != byError {
			clear(errs)
		}
		p.held, p.actual, p.least = append(p.held, held), append(p.actual, d), append(p.least, least)
		for k, e := range errs {
			p.rounded[k] = append(p.rounded[k], e)
		}
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
	at, most := 0, -1.0
	for i, d := range e.actual {
		if math.Abs(d) > math.Abs(e.actual[at]) {
			at = i
		}
	}
	for i := range p.starts {
		from, to := p.bounds(i)
		if norm := normOf(e.actual[from:to]); norm > most {
			most, p.worst = norm, i
		}
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
		p.rejectedBy = append(p.rejectedBy, "the rms error")
	}
	if p.part.overLimit() > 1 {
		where := slices.Repeat([]string{":"}, len(p.shape))
		where[p.part.of.axis] = strconv.Itoa(p.part.of.index)
		p.rejectedBy = append(p.rejectedBy, fmt.Sprintf("the rms error at [%s], %v",
			strings.Join(where, ","), p.part))
	}
	if !(p.greatest < mostGreatest) {
		text := "the largest error"
		if elements := len(p.held) / len(p.starts); p.shape != nil {
			text += fmt.Sprintf(" at %v of iteration %d", tensor.Shape(p.shape.Index(at%elements)),
				at/elements)
		}
		p.rejectedBy = append(p.rejectedBy, text)
	}
}

// leastShared is a minimum weight. The σ² of an element is the weighted mean of two variances. One
// is the element's own variance, and its weight is the number of runs. The other is the mean
// variance of the element's group, and its weight is at least leastShared. Without this minimum, σ
// would be too small if an element happens to round to the same number in every run.
const leastShared = 1

// bounds returns the range of an iteration's elements.
func (p *pooled) bounds(iteration int) (from, to int) {
	if iteration+1 == len(p.starts) {
		return p.starts[iteration], len(p.held)
	}
	return p.starts[iteration], p.starts[iteration+1]
}

// inSigmas returns the errors of all iterations, each divided by its element's σ. It overwrites
// p.rounded.
func (p *pooled) inSigmas(runs int) *scaledErrors {
	e := &scaledErrors{actual: slices.Clone(p.actual), rounded: p.rounded, greatest: 1, widen: 1}
	unit := scaled(e.rounded)
	e.allowed = make([]float64, len(p.least))
	mean := 0.0
	for i := range e.allowed {
		for k := range e.rounded {
			e.allowed[i] += float64(e.rounded[k][i]*e.rounded[k][i]) / float64(runs)
		}
		e.allowed[i] = max(e.allowed[i], math.Pow(p.least[i]/unit, 2))
		mean += e.allowed[i] / float64(p.elements)
	}
	p.sigma = unit * math.Sqrt(mean)
	var shape tensor.Shape
	if p.shape != nil {
		shape = append(tensor.Shape{len(p.starts)}, p.shape...)
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
	return fmt.Sprintf("rms error: %s times the rms error of rounding to %s (limit %s); "+
		"largest error: %s times the largest error of rounding (limit %d); "+
		"the rounding errors have σ = %s; the %d elements count as %s independent elements",
		figures.Short(p.whole.ratio), format, figures.Short(p.whole.limit), figures.Short(p.greatest),
		mostGreatest, figures.Short(p.sigma), p.elements, figures.Short(p.whole.independent))
}
