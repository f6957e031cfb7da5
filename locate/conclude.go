package locate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/describe"
)

// complete returns the finding of a search that ran to its end.
func (s *steps) complete(w *runner) (*Finding, error) {
	f, compared := s.finding(w)
	if n := len(f.Tensors); n > 0 && compared == 0 {
		return nil, fmt.Errorf("locate: none of %d tensors could be compared: %s", n,
			strings.Join(f.Notes, "; "))
	}
	f.Cause = f.cause(w.options.Isolate)
	if f.Inside != nil {
		f.Cause += fmt.Sprintf("; in its %s, %s", f.Inside.Body, f.Inside.Cause)
	}
	functions, err := s.functions(w, f)
	if err != nil {
		return nil, err
	}
	if len(functions) > 0 {
		f.Cause += "; the two models define these functions differently: " + abridged(functions)
	}
	if f.Fused != nil {
		// If the expected side's fusion is to blame, the node on the actual side is not.
		if f.First == nil || f.MarkedVerdict == compare.Pass || f.Fused.Side == "expected" {
			f.Cause = ""
		} else {
			f.Cause += "; "
		}
		f.Cause += f.Fused.text()
	}
	if s.whole.nonFinite {
		f.Verdict, f.MarkedVerdict, f.Cause = compare.Fail, compare.Fail, s.nonFinite
	}
	if left := len(f.Tensors) - compared; left > 0 {
		f.Cause += fmt.Sprintf(" (%d of %d tensors could not be read: see the notes)", left,
			len(f.Tensors))
	}
	return f, nil
}

// functions returns the names of the actual model's functions that the expected model lacks or
// defines differently. It first looks at one node: the node of f.Isolated or, if f.Isolated is nil,
// the node of f.First. If this node calls none of the actual model's functions, functions returns
// nil.
func (s *steps) functions(w *runner, f *Finding) (differ []string, err error) {
	p := cmp.Or(f.Isolated, f.First)
	if p == nil || s.judged.pairs.nodes[p.Index].Domain == "" {
		return nil, nil
	}
	called := s.judged.pairs.nodes[p.Index].Domain + "." + p.Op
	actual, wrong := describe.Of(w.actual.model, false)
	expected, err := describe.Of(w.expected.model, false)
	calls := false
	for _, own := range actual.Functions {
		calls = calls || own.Name == called
		if !slices.Contains(expected.Functions, own) {
			differ = append(differ, quoted(own.Name))
		}
	}
	if !calls {
		return nil, cmp.Or(wrong, err)
	}
	return differ, cmp.Or(wrong, err)
}

// stopped returns the finding of a search that was stopped. The text of the finding says what the
// search was doing and which error stopped the search.
func (s *steps) stopped(w *runner, doing string, failure error) (*Finding, error) {
	f, compared := s.finding(w)
	if s.whole.nonFinite {
		f.Verdict = compare.Fail
	}
	switch {
	case f.First != nil:
		f.Cause = f.cause(false)
	case compared == 0:
		f.Cause = "no tensor had been compared yet"
	default:
		f.Cause = fmt.Sprintf("none of the first %d tensors is out of tolerance", compared)
	}
	f.Incomplete = fmt.Sprintf("stopped while %s", doing)
	if n := len(f.Tensors); n > 0 {
		f.Incomplete += fmt.Sprintf(", with %d of %d tensors compared", compared, n)
		alone := 0
		for i := range f.Tensors {
			if f.Tensors[i].Own != nil {
				alone++
			}
		}
		if w.options.Isolate {
			f.Incomplete += fmt.Sprintf(" and %d nodes tested alone", alone)
		}
	}
	err := fmt.Errorf("locate: %s: %w", f.Incomplete, failure)
	f.Incomplete += ": " + failure.Error()
	return f, err
}

// finding combines the results of all steps, except the cause. It also returns the number of
// tensors that were compared.
func (s *steps) finding(w *runner) (f *Finding, compared int) {
	f = &Finding{Actual: s.whole.actual, Expected: s.whole.expected, Verdict: s.whole.verdict,
		MarkedVerdict: s.whole.verdict, Timings: s.whole.timings, Notes: s.whole.notes,
		Fault: s.explained.fault, Adds: s.explained.adds, Pairing: s.explained.pairing,
		Rounding: s.rounding, Inside: s.inside, Fused: s.fused, aside: s.whole.aside}
	j := s.judged
	if p := s.pairs; p != nil {
		f.Notes = slices.Concat(f.Notes, p.notes)
		if j == nil {
			j = &judged{pairs: p, tensors: p.rows, marked: compare.Pass}
		}
		f.OnlyActual, f.OnlyExpected = j.pairs.onlyActual, j.pairs.onlyExpected
		f.MarkedVerdict = j.marked
		f.Tensors = slices.Clone(j.tensors)
		f.Notes = slices.Concat(f.Notes, j.notes, s.explained.notes)
		if f.Pairing != nil {
			j.ratios(f.Tensors)
		}
		compared = s.sum(f, j)
		if f.Pairing == nil && f.Isolated == nil && f.First != nil && !f.First.unexplained() {
			before := j.pairs.upTo(f.First.Tensor, func(string) bool { return false })
			f.Adds = byOwnError(j, func(p *Point) bool { return slices.Contains(before, p.Index) })
		}
	}
	s.tell(w, f, j)
	return f, compared
}

// sum finds the first tensor and the first node out of tolerance. It returns the number of compared
// tensors.
func (s *steps) sum(f *Finding, j *judged) (compared int) {
	for i := range f.Tensors {
		p := &f.Tensors[i]
		if p.Tensor == s.explained.isolated {
			f.Isolated = p
		}
		if p.Verdict == "" {
			continue // left out; a note says why
		}
		compared++
		p.Growth = j.growth(p)
		if p.unused {
			continue
		}
		m := j.pairs.matched
		// If the outputs agree, so do the nodes: what differs inside is rounding.
		agree := f.Verdict != compare.Fail && (m != nil || p.Verdict == compare.Pass ||
			p.Own != nil && (p.Own.Verdict == compare.Pass || p.Own.Rounding))
		// A quantized weight always differs, so a tensor without sources cannot be First.
		weight := m != nil && m.coarse() && len(j.pairs.sources[p.Tensor]) == 0
		if f.First == nil && p.Verdict == compare.Fail && !agree && !weight {
			f.First = p
		}
		// Rounding explains a node that is out of tolerance alone if the node computes sums of large
		// terms.
		if m == nil && j.wrongAlone(p) && p.Error != 0 && !agree &&
			(f.Isolated == nil || f.Isolated.Own.Rounding && !p.Own.Rounding) {
			f.Isolated = p
			f.Fault = faultOf(j, []*Point{p}, false)
		}
	}
	return compared
}

// tell adds notes about the actual and the expected side to the finding.
func (s *steps) tell(w *runner, f *Finding, j *judged) {
	if j != nil {
		f.Notes = slices.Concat(f.Notes, j.actual.notes(w.actual.name(), j.pairs.row),
			j.expected.notes(w.expected.name(), j.pairs.row))
	}
	var unused []string
	for _, p := range f.Tensors {
		if p.unused && p.Verdict == compare.Fail {
			unused = append(unused, quoted(p.Tensor))
		}
	}
	if len(unused) > 0 {
		f.Notes = append(f.Notes, "out of tolerance, but not used by any output: "+abridged(unused))
	}
	if f.First != nil {
		f.Notes = append(f.Notes, f.aside...)
	}
	if !w.options.Isolate || f.Isolated != nil {
		return
	}
	for _, side := range w.sides() {
		caution := backends.CapabilitiesOf(side.Engine).Caution
		if caution != nil && caution() != "" {
			f.Notes = append(f.Notes, "no node is out of tolerance when run alone; "+caution())
		}
	}
}
