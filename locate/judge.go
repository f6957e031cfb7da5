package locate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// judged is what comparing tensors showed. It does not change once a step has returned it.
type judged struct {
	pairs    *pairs
	rule     compare.Options // for outputs; see inside
	tensors  []Point         // as pairs.rows, with numbers
	marked   compare.Verdict // on the outputs of the marked models
	tried    map[string]bool // tensors whose nodes ran alone, or could not run
	notes    []string
	actual   reading // how the sides' tensors were read
	expected reading
}

func (j *judged) note(format string, args ...any) {
	j.notes = append(j.notes, fmt.Sprintf(format, args...))
}

// at returns what is known about a tensor.
func (j *judged) at(name string) *Point { return &j.tensors[j.pairs.row[name]] }

// over returns the judgement with other pairs. Where these change a stretch of nodes, the stretch
// has not run alone yet.
func (j *judged) over(p *pairs) *judged {
	next := *j
	next.pairs, next.tensors, next.tried = p, slices.Clone(p.rows), maps.Clone(j.tried)
	next.notes = slices.Clip(j.notes)
	for i := range next.tensors {
		t := &next.tensors[i]
		row, known := j.pairs.row[t.Tensor]
		if known {
			*t = j.tensors[row]
		}
		if !known || p != j.pairs && !slices.Equal(j.pairs.between(t.Tensor), p.between(t.Tensor)) {
			t.Own = nil
			delete(next.tried, t.Tensor)
		}
	}
	return &next
}

// compareInside marks the shared tensors on both sides and compares them, batch by batch.
func compareInside(ctx context.Context, w *runner, p *pairs, rule compare.Options) (
	*judged, error) {
	j := &judged{pairs: p, rule: rule, tensors: slices.Clone(p.rows), marked: compare.Pass,
		tried: map[string]bool{}}
	names := make([]string, len(p.rows))
	for i := range p.rows {
		names[i] = p.rows[i].Tensor
	}
	return j, w.inBatches(ctx, "comparing tensors inside", names, &j.notes,
		func(ctx context.Context, names []string) (int64, error) {
			return j.compareBatch(ctx, w, names)
		})
}

// compareBatch compares one batch of tensors of the marked models. It returns their size in bytes.
func (j *judged) compareBatch(ctx context.Context, w *runner, names []string) (int64, error) {
	actual, expected, err := w.bothMarked(ctx, j.pairs.views, names)
	if err != nil {
		return 0, err
	}
	j.actual, j.expected = j.actual.and(actual), j.expected.and(expected)
	if err := j.compareMarked(w, actual.sets, expected.sets); err != nil {
		return 0, err
	}
	for _, name := range names {
		p := j.at(name)
		a, e := all(actual.sets, name), all(expected.sets, name)
		if a == nil || e == nil {
			j.note("%q was left out: it is not a tensor", name)
			continue
		}
		if e, err = j.pairs.held(name, e); err != nil {
			return 0, err
		}
		if note := allowTypes(&j.rule, name, a[0], e[0]); note != "" {
			j.note("%s", note)
		}
		m, err := j.measure(a, e)
		if errors.As(err, new(*compare.Powerless)) {
			p.Type, p.Shape = j.pairs.views.actual.typeOf(name, a[0].ElementType()), a[0].Shape()
			j.note("%q was left out: %v", name, err)
			continue
		}
		if err != nil {
			return 0, err
		}
		p.Type = j.pairs.views.actual.typeOf(name, a[m.iteration].ElementType())
		p.Shape = a[m.iteration].Shape()
		p.Verdict, p.Reason, p.Iteration = m.verdict, m.reason, m.iteration
		p.Abs, p.Rel, p.Error = m.abs, m.rel, m.err
		if len(j.pairs.sources[name]) == 0 { // computed only from weights, so the error is its own
			p.Own = &Own{Verdict: m.verdict, Reason: m.reason, Abs: m.abs, Rel: m.rel, Error: m.err}
		}
	}
	return max(bytesOf(actual.sets), bytesOf(expected.sets)), nil
}

// compareMarked compares the models' own outputs as returned by the marked models.
func (j *judged) compareMarked(w *runner, actual, expected []*tensor.Set) error {
	own, err := w.actual.model.Outputs()
	if err != nil {
		return err
	}
	names := valueNames(own)
	outputs, err := compare.Runs(only(actual, names), only(expected, names), j.rule)
	if err != nil {
		return fmt.Errorf("locate: outputs of the marked models: %w", err)
	}
	if outputs.Verdict == compare.Fail {
		j.marked = compare.Fail
	}
	return nil
}

// allowTypes makes a rule allow different element types, because the search is about values. It
// returns a note about the first difference.
func allowTypes(rule *compare.Options, name string, a, e *tensor.Tensor) string {
	if a.ElementType() == e.ElementType() || rule.AnyElementType {
		return ""
	}
	rule.AnyElementType = true
	return fmt.Sprintf("element types differ (%q is %v, expected %v): only values are compared",
		name, a.ElementType(), e.ElementType())
}

// measure compares one tensor in all iterations and returns the worst result.
func (j *judged) measure(actual, expected []*tensor.Tensor) (m measured, err error) {
	for i := range actual {
		one, err := measureOne(inside(j.rule), actual[i], expected[i])
		if err != nil {
			return m, err
		}
		one.iteration = i
		if i == 0 || one.worse(m) {
			m = one
		}
	}
	return m, nil
}

// measured is the result of comparing one tensor.
type measured struct {
	verdict       compare.Verdict
	reason        string
	abs, rel, err Number
	iteration     int
}

func (m measured) worse(than measured) bool {
	if m.verdict != than.verdict {
		return m.verdict == compare.Fail
	}
	return m.err > than.err || math.IsNaN(float64(m.err)) && !math.IsNaN(float64(than.err))
}

func measureOne(options compare.Options, actual, expected *tensor.Tensor) (measured, error) {
	out, err := compare.Tensors(actual, expected, options)
	if err != nil {
		return measured{}, fmt.Errorf("locate: %w", err)
	}
	m := measured{verdict: out.Verdict, reason: out.Reason, abs: nan, rel: nan, err: nan}
	if len(out.Results) == 0 || actual.ElementType() == tensor.String {
		return m, nil // the values were not compared, or they are not numbers
	}
	if actual.Len() == 0 {
		m.abs, m.rel = 0, 0
		return m, nil
	}
	greatest, err := one(compare.Within(0, 0, compare.Max), actual, expected, options)
	if err != nil {
		return m, fmt.Errorf("locate: %w", err)
	}
	m.abs, m.rel = Number(greatest.Abs), Number(greatest.Rel)
	if m.abs == 0 {
		m.err = 0 // also for zeros on both sides, whose relative error is undefined
		return m, nil
	}
	if norm, err := one(compare.NormRelative(math.MaxFloat64), actual, expected, options); err == nil {
		m.err = Number(norm.Value)
	}
	return m, nil
}

// one applies a single check. It takes one pass over the two tensors, whereas complete statistics
// take dozens.
func one(check compare.Check, actual, expected *tensor.Tensor, options compare.Options) (
	compare.Result, error) {
	options.Checks = []compare.Check{check}
	out, err := compare.Tensors(actual, expected, options)
	if err != nil || len(out.Results) == 0 {
		return compare.Result{Abs: math.NaN(), Rel: math.NaN(), Value: math.NaN()}, err
	}
	return out.Results[0], nil
}

var nan = Number(math.NaN())

// alike reports whether the values confirm the pair of p.
func (j *judged) alike(p *Point) bool {
	if p.Verdict == compare.Pass {
		return true
	}
	m := j.pairs.matched
	return float64(p.Error) <= pairing.Near(m.actual, m.expected, j.pairs.called(p.Tensor))
}

// wrongAlone reports whether the nodes of p, running alone, are out of tolerance by more than
// rounding.
func (j *judged) wrongAlone(p *Point) bool {
	if p.Own == nil || p.Own.Verdict != compare.Fail {
		return false
	}
	return j.pairs.matched == nil || !j.rounding(p)
}

// A different summation order or folded weights change a float32 result by a few units in the last
// place: by up to fewRoundings in the norm, and by up to manyRoundings in single elements, relative
// to the largest element.
const (
	fewRoundings  = 16
	manyRoundings = 128
)

// rounding reports whether rounding explains the error that the nodes of p add.
func (j *judged) rounding(p *Point) bool {
	u := j.pairs.matched.rounding
	s := j.pairs.matched.expected.Sketches[j.pairs.called(p.Tensor)]
	return s != nil && float64(p.Own.Error) <= fewRoundings*u &&
		float64(p.Own.Abs) <= manyRoundings*u*s.Largest()
}

// contradicted reports whether the pair of p must be wrong. That is so if the two tensors differ,
// but their readers compute the expected values from the actual tensor and not from the expected
// tensor.
func (j *judged) contradicted(p *Point) bool {
	if p.Verdict != compare.Fail {
		return false
	}
	return slices.ContainsFunc(j.readers(p.Tensor), func(r *Point) bool {
		s := j.pairs.matched.expected.Sketches[j.pairs.called(r.Tensor)]
		return r.Verdict == compare.Pass && s.Telling() && j.wrongAlone(r)
	})
}

// readRight reports whether some node that reads the tensor is within tolerance when it runs alone.
func (j *judged) readRight(name string) bool {
	for i := range j.tensors {
		p := &j.tensors[i]
		reads := func(i int) bool {
			n := &j.pairs.nodes[i]
			return slices.Contains(n.Inputs, name) || slices.Contains(n.Captured, name)
		}
		if p.Own != nil && !j.wrongAlone(p) &&
			slices.ContainsFunc(j.pairs.between(p.Tensor), reads) {
			return true
		}
	}
	return false
}

// readers returns the tensors that have a tensor among their sources.
func (j *judged) readers(name string) []*Point {
	var rows []*Point
	for i := range j.tensors {
		if p := &j.tensors[i]; slices.Contains(j.pairs.sources[p.Tensor], name) {
			rows = append(rows, p)
		}
	}
	return rows
}

// growth returns a tensor's error divided by the largest error of its sources. Inputs have no
// error.
func (j *judged) growth(p *Point) Number {
	greatest := math.Inf(-1)
	for _, name := range j.pairs.sources[p.Tensor] {
		e := 0.0
		if row, shared := j.pairs.row[name]; shared {
			e = float64(j.tensors[row].Error)
		}
		greatest = max(greatest, e)
	}
	if math.IsInf(greatest, -1) || greatest == 0 && p.Error == 0 {
		return nan
	}
	return p.Error / Number(greatest)
}
