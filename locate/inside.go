package locate

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// Inside is a search in a body of the If, Loop or Scan that is at fault. Both sides' bodies run on
// the expected side's values.
type Inside struct {
	Body string `json:"body"` // "then_branch", "else_branch" or "body"
	// Iteration is the iteration of the Loop or Scan whose results differ most, of Iterations, from 0.
	// Both are 0 for an If.
	Iteration  int      `json:"iteration"`
	Iterations int      `json:"iterations"`
	Finding    *Finding `json:"finding"`
}

// where describes the body and the iteration.
func (in *Inside) where() string {
	if in.Iterations == 0 {
		return "its " + in.Body
	}
	return fmt.Sprintf("its body, in iteration %d of 0 to %d", in.Iteration, in.Iterations-1)
}

// text continues the cause of the finding around the body.
func (in *Inside) text() string {
	if in == nil {
		return ""
	}
	return fmt.Sprintf("; in %s, %s", in.where(), in.Finding.Cause)
}

// searchInside searches the body of the node at fault, if that is an If, Loop or Scan on both
// sides. If the body cannot run as a model, it adds a note.
func searchInside(ctx context.Context, w *runner, s *steps) (*Inside, error) {
	f, _ := s.finding(w)
	p := f.Isolated
	if p == nil && f.First != nil && f.First.Own == nil && f.First.jumps() {
		p = f.First // it did not run alone
	}
	if p == nil || !slices.Contains([]string{"If", "Loop", "Scan"}, p.Op) || p.ExpectedOp != "" ||
		f.Fault != nil && len(f.Fault.Nodes) > 1 {
		return nil, nil
	}
	in, err := bodyOf(ctx, w, s.judged, p)
	if err != nil && ctx.Err() == nil {
		s.explained.notes = append(slices.Clip(s.explained.notes),
			fmt.Sprintf("the body of %s was not searched: %v", p.made(), err))
		return nil, nil
	}
	return in, err
}

// bodyOf searches the body of the node that makes p.
func bodyOf(ctx context.Context, w *runner, j *judged, p *Point) (*Inside, error) {
	b, err := newBodies(ctx, w, j, p)
	if err != nil {
		return nil, err
	}
	defer b.actual.close()
	defer b.expected.close()
	in, err := b.run(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range []*seat{w.actual, w.expected} {
		s.kept.clear()
		s.seen.clear()
	}
	o := w.options
	o.Compare = inside(j.rule) // names and rules of outputs are those of the whole model
	a, err := b.actual.side(ctx, "actual")
	if err != nil {
		return nil, err
	}
	e, err := b.expected.side(ctx, "expected")
	if err != nil {
		a.close()
		return nil, err
	}
	sets, theirs := []*tensor.Set{b.actual.worst}, []*tensor.Set{b.expected.worst}
	runs, err := runnerOf(a, e, sets, theirs, o)
	if err != nil {
		return nil, err
	}
	defer runs.close()
	in.Finding, err = search(ctx, runs)
	return in, err
}
