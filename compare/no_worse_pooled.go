package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// pooled are the errors of one output over all iterations.
type pooled struct {
	name   string
	shape  tensor.Shape
	floats bool
	// Of each iteration: the errors of the engine and of each rounded run, the squared spacing of
	// numbers over 12, and which elements are compared.
	actual  [][]float64
	rounded [][][]float64
	last    float64
	counted [][]bool
	// overflows are elements that the format cannot hold.
	overflows, elements int

	concluded             bool
	rms, bar, greatest    float64
	noise                 OutputNoise
	threeWay              threeWay
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
	p.threeWay = threeWayOf(p.actual, p.rounded[0])
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
		own += float64(norm * norm)
		if norm > most || norm != norm {
			most, p.worst = norm, i
		}
	}
	p.rms = ratio(math.Sqrt(own), math.Sqrt(squares+p.last))
	p.greatest = ratio(greatestOf(slices.Concat(p.actual...)),
		greatest+math.Sqrt(p.last/float64(p.elements)))
	if !(p.rms <= p.bar) {
		p.rejectedBy = append(p.rejectedBy, fmt.Sprintf("the rms error, %s times the format's "+
			"(bar %s)", figures.Short(p.rms), figures.Short(p.bar)))
	}
	if !(p.greatest < mostGreatest) {
		p.rejectedBy = append(p.rejectedBy, fmt.Sprintf("the greatest error, %s times the "+
			"format's (bar %d)", figures.Short(p.greatest), mostGreatest))
	}
	p.published = p.threeWay.rejected()
}

// text is both gates.
func (p *pooled) text(format string) string {
	text := fmt.Sprintf("rms error %s times %s's (bar %s), greatest %s times (bar %d), "+
		"%s's rms %s over %d elements, as many as %s independent ones; as published: %v",
		figures.Short(p.rms), format, figures.Short(p.bar), figures.Short(p.greatest), mostGreatest,
		format, figures.Short(p.noise.RMS), p.elements, figures.Short(p.noise.Independent), p.threeWay)
	if len(p.published) > 0 {
		text += ", rejected by " + strings.Join(p.published, ", ")
	}
	return text
}
