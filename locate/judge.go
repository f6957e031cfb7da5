package locate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// judging compares pairs of tensors, within the whole models and after running nodes alone.
type judging struct {
	found *Finding
	runs  *runner
	pairs *pairs
	tried map[string]bool // tensors whose nodes ran alone, or could not run
}

// cumulative marks the shared tensors on both sides and compares them, batch by batch.
func (w *judging) cumulative(ctx context.Context) error {
	names := make([]string, len(w.found.Tensors))
	for i := range w.found.Tensors {
		names[i] = w.found.Tensors[i].Tensor
	}
	return w.runs.inBatches(ctx, "comparing tensors inside", names, w.markedBatch)
}

// markedBatch compares one batch of tensors of the marked models. It returns their size in bytes.
func (w *judging) markedBatch(ctx context.Context, names []string) (int64, error) {
	actual, expected, err := w.runs.bothMarked(ctx, names)
	if err != nil {
		return 0, err
	}
	if err := w.judgeMarked(actual, expected); err != nil {
		return 0, err
	}
	for _, name := range names {
		p := &w.found.Tensors[w.pairs.row[name]]
		a, e := all(actual, name), all(expected, name)
		if a == nil || e == nil {
			w.runs.note("%q was left out: it is not a tensor", name)
			continue
		}
		if e, err = w.pairs.held(name, e); err != nil {
			return 0, err
		}
		w.runs.typesOf(name, a[0], e[0])
		m, err := w.measure(a, e)
		if errors.As(err, new(*compare.Powerless)) {
			p.Type, p.Shape = w.runs.actual.typeOf(name, a[0].ElementType()), a[0].Shape()
			w.runs.note("%q was left out: %v", name, err)
			continue
		}
		if err != nil {
			return 0, err
		}
		p.Type = w.runs.actual.typeOf(name, a[m.iteration].ElementType())
		p.Shape = a[m.iteration].Shape()
		p.Verdict, p.Reason, p.Iteration = m.verdict, m.reason, m.iteration
		p.Abs, p.Rel, p.Error = m.abs, m.rel, m.err
		if len(w.pairs.sources[name]) == 0 { // computed only from weights, so the error is its own
			p.Own = &Own{Verdict: m.verdict, Reason: m.reason, Abs: m.abs, Rel: m.rel, Error: m.err}
		}
	}
	return max(bytesOf(actual), bytesOf(expected)), nil
}

// judgeMarked compares the models' own outputs as returned by the marked models.
func (w *judging) judgeMarked(actual, expected []*tensor.Set) error {
	own, err := w.runs.actual.model.Outputs()
	if err != nil {
		return err
	}
	names := make([]string, len(own))
	for i := range own {
		names[i] = own[i].Name
	}
	outputs, err := compare.Runs(only(actual, names), only(expected, names), w.runs.options.Compare)
	if err != nil {
		return fmt.Errorf("locate: outputs of the marked models: %w", err)
	}
	if outputs.Verdict == compare.Fail {
		w.found.MarkedVerdict = compare.Fail
	}
	return nil
}

// measure compares one tensor in all iterations and returns the worst result.
func (w *judging) measure(actual, expected []*tensor.Tensor) (m measured, err error) {
	for i := range actual {
		one, err := w.measureOne(actual[i], expected[i])
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

func (w *judging) measureOne(actual, expected *tensor.Tensor) (measured, error) {
	options := w.runs.options.inside()
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
func (w *judging) alike(p *Point) bool {
	if p.Verdict == compare.Pass {
		return true
	}
	m := w.pairs.matched
	return float64(p.Error) <= pairing.Near(m.actual, m.expected, w.pairs.called(p.Tensor))
}

// wrongAlone reports whether the nodes of p, running alone, are out of tolerance by more than
// rounding.
func (w *judging) wrongAlone(p *Point) bool {
	if p.Own == nil || p.Own.Verdict != compare.Fail {
		return false
	}
	return w.pairs.matched == nil || !w.rounding(p)
}

// A different summation order or folded weights change a float32 result by a few units in the last
// place: by up to fewRoundings in the norm, and by up to manyRoundings in single elements, relative
// to the largest element.
const (
	fewRoundings  = 16
	manyRoundings = 128
)

// rounding reports whether rounding explains the error that the nodes of p add.
func (w *judging) rounding(p *Point) bool {
	u := w.pairs.matched.rounding
	s := w.pairs.matched.expected.Sketches[w.pairs.called(p.Tensor)]
	return s != nil && float64(p.Own.Error) <= fewRoundings*u &&
		float64(p.Own.Abs) <= manyRoundings*u*s.Largest()
}

// contradicted reports whether the pair of p must be wrong. That is so if the two tensors differ,
// but their readers compute the expected values from the actual tensor and not from the expected
// tensor.
func (w *judging) contradicted(p *Point) bool {
	if p.Verdict != compare.Fail {
		return false
	}
	return slices.ContainsFunc(w.pairs.readers(p.Tensor), func(r *Point) bool {
		s := w.pairs.matched.expected.Sketches[w.pairs.called(r.Tensor)]
		return r.Verdict == compare.Pass && s.Telling() && w.wrongAlone(r)
	})
}

// readRight reports whether some node that reads the tensor is within tolerance when it runs alone.
func (w *judging) readRight(name string) bool {
	for i := range w.found.Tensors {
		p := &w.found.Tensors[i]
		reads := func(i int) bool {
			n := &w.pairs.nodes[i]
			return slices.Contains(n.Inputs, name) || slices.Contains(n.Captured, name)
		}
		if p.Own != nil && !w.wrongAlone(p) &&
			slices.ContainsFunc(w.pairs.between(p.Tensor), reads) {
			return true
		}
	}
	return false
}

// drop removes pairs, and reruns the nodes around them as longer stretches.
func (w *judging) drop(names []string) {
	before := map[string][]int{}
	for i := range w.found.Tensors {
		name := w.found.Tensors[i].Tensor
		before[name] = w.pairs.between(name)
	}
	w.pairs.matched.dropped = append(w.pairs.matched.dropped, names...)
	w.found.OnlyActual = append(w.found.OnlyActual, names...)
	w.found.Tensors = slices.DeleteFunc(w.found.Tensors, func(p Point) bool {
		return slices.Contains(names, p.Tensor)
	})
	w.pairs.index()
	w.pairs.findSources()
	for i := range w.found.Tensors {
		p := &w.found.Tensors[i]
		if !slices.Equal(before[p.Tensor], w.pairs.between(p.Tensor)) {
			p.Own, w.tried[p.Tensor] = nil, false
		}
	}
}
