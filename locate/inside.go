package locate

import (
	"context"
	"slices"
)

// searchInside searches the body of the node at fault if that node is an If, Loop or Scan on both
// sides. If the body cannot run as a model, searchInside adds a note.
func (s *steps) searchInside(ctx context.Context, w *runner) (err error) {
	f, _ := s.finding(w)
	p := f.Isolated
	if p == nil && f.First != nil && f.First.Own == nil && f.First.unexplained() {
		p = f.First // it did not run alone
	}
	if p == nil || !slices.Contains([]string{"If", "Loop", "Scan"}, p.Op) || p.ExpectedOp != "" ||
		f.Fault != nil && len(f.Fault.Nodes) > 1 {
		return nil
	}
	if s.inside, err = bodyOf(ctx, w, s.judged, p); err != nil && ctx.Err() == nil {
		s.note("the body of %s was not searched: %v", p.made(), err)
		return nil
	}
	return err
}

// bodyOf searches the body of the If, Loop or Scan node that computes p's tensor.
func bodyOf(ctx context.Context, w *runner, j *judged, p *Point) (*Finding, error) {
	b, err := newBodies(ctx, w, j, p)
	if err != nil {
		return nil, err
	}
	defer b.actual.close()
	defer b.expected.close()
	where, err := b.run(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range w.sides() {
		clear(s.kept.tensors)
	}
	o := w.options
	o.Compare = inside(j.rule) // the names and rules of outputs refer to the whole model
	a, err := b.actual.side(ctx, "actual")
	if err != nil {
		return nil, err
	}
	e, err := b.expected.side(ctx, "expected")
	if err != nil {
		a.close()
		return nil, err
	}
	runs := runnerOf(ctx, a, e, o)
	defer runs.close()
	found, err := search(ctx, runs)
	if found != nil {
		found.Body = where
		if found.First == nil {
			found.Cause += b.begins
		}
	}
	return found, err
}
