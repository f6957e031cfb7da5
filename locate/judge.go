package locate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// judged is the result of comparing the tensors that both sides share. It does not change once the
// step that creates it has returned it.
type judged struct {
	pairs    *pairs
	rule     compare.Options           // for outputs; see inside
	tensors  []Point                   // as pairs.rows, with numbers
	marked   compare.Verdict           // on the outputs of the marked models
	outputs  func(output string) judge // measured; nil if rule has checks
	whole    bars                      // measured within the whole model
	alone    bars                      // measured for nodes alone
	notes    []string
	actual   reading // how the sides' tensors were read
	expected reading
}

func (j *judged) note(format string, args ...any) {
	j.notes = append(j.notes, fmt.Sprintf(format, args...))
}

func (j *judged) at(name string) *Point { return &j.tensors[j.pairs.row[name]] }

// over returns a copy of j for the pairs p. The pairs determine which nodes run when a tensor is
// computed alone. These nodes may differ between p and j.pairs. If a tensor's nodes differ, over
// clears the tensor's fields Own and NotAlone, because both come from running the nodes of j.pairs.
func (j *judged) over(p *pairs) *judged {
	next := *j
	next.pairs, next.tensors = p, slices.Clone(p.rows)
	next.whole, next.alone = maps.Clone(j.whole), maps.Clone(j.alone)
	next.notes = slices.Clip(j.notes)
	for i := range next.tensors {
		t := &next.tensors[i]
		row, known := j.pairs.row[t.Tensor]
		if !known {
			continue
		}
		*t = j.tensors[row]
		if p != j.pairs && !slices.Equal(j.pairs.between(t.Tensor), p.between(t.Tensor)) {
			t.Own, t.NotAlone = nil, ""
		}
	}
	return &next
}

// compareInside compares the tensors that both sides share. It reads constants from the models. It
// reads all other tensors in batches, by making them outputs of both models.
//
// The tensors of a batch that depend only on weights take at most a sixteenth of the memory limit.
// Engines compute such tensors while they open the model, and memory use cannot be limited during
// that time.
func (s *steps) compareInside(ctx context.Context, w *runner) error {
	p, of := s.pairs, &s.whole
	j := &judged{pairs: p, rule: of.rule, outputs: of.measured, tensors: slices.Clone(p.rows),
		marked: compare.Pass, whole: bars{}, alone: bars{}}
	s.judged = j
	actual, wrong := w.actual.literals(p.views.actual)
	expected, err := w.expected.literals(p.views.expected)
	if err := cmp.Or(wrong, err); err != nil {
		return err
	}
	leave := func(name, why string) {
		j.at(name).Verdict = ""
		j.note("%q was left out: %s", name, why)
	}
	var groups [][]string
	var names []string
	size, constant := actual.bytes, int64(0)
	for name, i := range outputsOf(p.nodes) {
		if len(p.sources[name]) == 0 {
			for _, input := range p.nodes[i].Inputs {
				size[name] += size[input]
			}
		}
		if _, shared := p.row[name]; !shared {
			continue
		}
		if a, e := actual.read(name), expected.read(name); a != nil && e != nil {
			size[name] = int64(a.Size())
			if err := compareOne(j, name, []*tensor.Tensor{a}, []*tensor.Tensor{e}); err != nil {
				return err
			}
			continue
		}
		names = append(names, name)
		if constant += size[name]; constant > w.options.memory()/16 {
			groups = append(groups, names)
			names, constant = nil, 0
		}
	}
	if groups = append(groups, names); len(groups[0]) == 0 {
		j.marked = of.verdict // there is nothing to mark
	}
	var unmeasured []string
	if err := w.inBatches(ctx, "comparing inner tensors", groups, leave,
		func(ctx context.Context, names []string) (int64, error) {
			bytes, err := j.compareBatch(ctx, w, names, false)
			for _, name := range names {
				if p := j.at(name); err == nil && w.options.Measure != nil && p.Verdict != "" && p.Abs != 0 {
					unmeasured = append(unmeasured, name)
					p.Verdict = "" // not known yet
				}
			}
			return bytes, err
		}); err != nil || len(unmeasured) == 0 {
		return err
	}
	groups = measurable(j, w, unmeasured)
	return w.inBatches(ctx, "measuring tolerances of inner tensors", groups, leave,
		func(ctx context.Context, names []string) (int64, error) {
			return j.compareBatch(ctx, w, names, true)
		})
}

// compareBatch compares one batch of tensors, which become outputs of both models. If measured is
// set, it first measures the tolerances of these tensors. It returns the total size in bytes of all
// tensors that the two sides returned.
//
// If an engine cannot return inner tensors itself, the operands of the batch's nodes also become
// outputs. Otherwise the engine might fuse the first nodes of a batch with earlier nodes, and a
// tensor would differ although its inputs agreed in the previous batch. A batch of one tensor has
// no such additions, because the tensor may be as large as the memory limit.
func (j *judged) compareBatch(ctx context.Context, w *runner, names []string, measured bool) (
	int64, error) {
	var operands []string
	if len(names) > 1 {
		operands = slices.DeleteFunc(given(j, names), func(name string) bool {
			return !j.at(name).Type.Valid() // no engine returned it
		})
	}
	actual, expected, err := w.bothMarked(ctx, j.pairs.views, names, operands...)
	if err != nil {
		return 0, err
	}
	j.actual, j.expected = j.actual.merge(actual), j.expected.merge(expected)
	ends := loaders.Names(w.actual.ends)
	verdict, _, err := compareOutputs(j.rule, j.outputs, only(actual.sets, ends),
		only(expected.sets, ends))
	if err != nil {
		return 0, fmt.Errorf("locate: comparing the outputs of the models with extra outputs: %w", err)
	}
	if verdict == compare.Fail {
		j.marked = compare.Fail
	}
	if measured {
		if err := j.measureMarked(ctx, w, names); err != nil {
			return 0, err
		}
	}
	for _, name := range names {
		if err := compareOne(j, name, all(actual.sets, name), all(expected.sets, name)); err != nil {
			return 0, err
		}
		if !slices.Contains(ends, name) { // only bars of outputs are read again
			delete(j.whole, name)
		}
	}
	return bytesOf(actual.sets) + bytesOf(expected.sets), nil
}

// compareOne compares a tensor that both sides share, in all iterations.
func compareOne(j *judged, name string, a, e []*tensor.Tensor) error {
	p := j.at(name)
	if a == nil || e == nil {
		j.note("%q was left out: it is not a tensor, or no engine returned it", name)
		return nil
	}
	e = j.pairs.held(name, e)
	if note := allowTypes(&j.rule, name, a[0], e[0]); note != "" {
		j.note("%s", note)
	}
	m, err := j.measure(j.whole[name], a, e)
	if errors.As(err, new(*unjudged)) {
		p.Type, p.Shape = j.pairs.views.actual.typeOf(name, a[0].ElementType()), a[0].Shape()
		p.Verdict = ""
		j.note("%q was left out: %v", name, err)
		return nil
	}
	if err != nil {
		return err
	}
	p.Type = j.pairs.views.actual.typeOf(name, a[m.iteration].ElementType())
	p.Shape = a[m.iteration].Shape()
	p.Verdict, p.Reason, p.Iteration = m.Verdict, m.Reason, m.iteration
	p.Abs, p.Rel, p.Error = m.Abs, m.Rel, m.Error
	if len(j.pairs.sources[name]) == 0 { // computed only from weights, so the error is its own
		p.Own = own(j, m, e)
	}
	return nil
}

// allowTypes makes the rule accept different element types, because the search is about values. It
// returns a note the first time that the types differ.
func allowTypes(rule *compare.Options, name string, a, e *tensor.Tensor) string {
	if a.ElementType() == e.ElementType() || rule.AnyElementType {
		return ""
	}
	rule.AnyElementType = true
	return fmt.Sprintf("element types differ (%q is %v, expected %v): only values are compared", name,
		a.ElementType(), e.ElementType())
}

// compareOutputs compares the models' outputs by the rule. A non-nil toleranceOf returns a measured
// tolerance for each output, which replaces the rule's checks. wrong lists the outputs that differ.
func compareOutputs(rule compare.Options, toleranceOf func(output string) judge,
	actual, expected []*tensor.Set) (verdict compare.Verdict, wrong []string, err error) {
	if toleranceOf != nil {
		rule.Checks = []compare.Check{exact} // finds what is missing
	}
	report, err := compare.Runs(actual, expected, rule)
	if err != nil || report.Verdict == compare.Pass {
		return report.Verdict, nil, err
	}
	for i := range report.Outputs {
		if o := &report.Outputs[i]; o.Verdict == compare.Fail &&
			(toleranceOf == nil || len(o.Results) == 0) {
			wrong = append(wrong, o.Name)
		}
	}
	if toleranceOf == nil || len(wrong) > 0 {
		return compare.Fail, wrong, nil
	}
	j := judged{rule: rule}
	verdict = compare.Pass
	for _, v := range actual[0].Values() {
		if slices.Contains(report.LeftOut, v.Name) {
			continue
		}
		a, wrongA := stacked(actual, v.Name)
		e, err := stacked(expected, v.Name)
		if err := cmp.Or(wrongA, err); err != nil {
			return "", nil, err
		}
		m, err := j.measure(toleranceOf(v.Name), a, e)
		switch {
		case err == nil && m.Verdict == compare.Fail:
			verdict, wrong = compare.Fail, append(wrong, v.Name)
		case err != nil && wrong == nil:
			return "", nil, err
		}
	}
	return verdict, wrong, nil
}

// stacked returns the named output as one tensor for each iteration, even if the output is a
// sequence or a map.
func stacked(sets []*tensor.Set, name string) ([]*tensor.Tensor, error) {
	list := make([]*tensor.Tensor, len(sets))
	for i, set := range sets {
		v, _ := set.Value(name) // both sides have it
		var err error
		if list[i], err = v.Stack(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// exact is the first check when tolerances are measured. A tensor that passes it is equal on both
// sides and needs no measured tolerance.
var exact = compare.Within(0, 0, compare.Elementwise)

// unjudged is the error for a tensor that cannot be given a verdict.
type unjudged struct{ error }

// measure compares one tensor in all iterations and returns the worst result. A non-nil decide
// determines whether a difference fails.
func (j *judged) measure(decide judge, actual, expected []*tensor.Tensor) (m measured, err error) {
	compared := true
	for i := range actual {
		one, err := measureOne(inside(j.rule), actual[i], expected[i])
		if errors.As(err, new(*compare.Powerless)) {
			return m, &unjudged{err}
		}
		if err != nil {
			return m, err
		}
		compared = compared && one.compared
		one.iteration = i
		if i == 0 || one.worse(m) {
			m = one
		}
	}
	switch {
	case m.Verdict != compare.Fail || !compared:
	case decide != nil:
		verdict, reason, err := decide(actual, expected)
		if err == nil {
			m.Verdict, m.Reason = verdict, reason
		} else if !errors.As(err, new(*compare.Undecided)) || j.pairs == nil ||
			j.pairs.matched == nil || !j.pairs.matched.coarse() {
			return m, &unjudged{err} // in a coarse model, every node adds some error
		}
	case j.outputs != nil && float64(m.Error) <= fewRoundings*0x1p-24: // an input, or it is unpaired
		m.Verdict, m.Reason = compare.Pass, ""
	}
	return m, nil
}

// measured is the result of comparing one tensor.
type measured struct {
	Own
	iteration int
	compared  bool // whether the shapes, types and so on allowed it
}

func (m measured) worse(than measured) bool {
	if m.Verdict != than.Verdict {
		return m.Verdict == compare.Fail
	}
	return figures.Worse(float64(m.Error), float64(than.Error))
}

func measureOne(options compare.Options, actual, expected *tensor.Tensor) (measured, error) {
	out, err := compare.Tensors(actual, expected, options)
	if err != nil {
		return measured{}, fmt.Errorf("locate: %w", err)
	}
	m := measured{Own: Own{Verdict: out.Verdict, Reason: out.Reason, Abs: nan, Rel: nan, Error: nan}}
	if len(out.Results) == 0 || actual.ElementType() == tensor.String {
		return m, nil // the values were not compared, or they are not numbers
	}
	if m.compared = true; actual.Len() == 0 {
		m.Abs, m.Rel = 0, 0
		return m, nil
	}
	greatest, err := one(compare.Within(0, 0, compare.Max), actual, expected, options)
	if err != nil {
		return m, fmt.Errorf("locate: %w", err)
	}
	m.Abs, m.Rel = Number(greatest.Abs), Number(greatest.Rel)
	if m.Abs == 0 {
		m.Error = 0 // also for zeros on both sides, whose relative error is undefined
		return m, nil
	}
	if norm, err := one(compare.NormRelative(math.MaxFloat64), actual, expected, options); err == nil {
		m.Error = Number(norm.Value)
	}
	return m, nil
}

// one applies a single check. It is fast because it reads the two tensors once. Complete statistics
// would read them dozens of times.
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
