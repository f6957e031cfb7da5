package locate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/guesses"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Fails is a function that reports whether a candidate still shows the failure. It returns an error
// if it cannot judge the candidate. If that happens for the whole model, the search ends. If it
// happens for a part, the search continues as if the part did not fail.
type Fails func(ctx context.Context, c *Candidate) (bool, error)

// Candidate is a part of the failing model, together with its inputs.
type Candidate struct {
	Model  *loaders.Model
	Inputs []*tensor.Set // one set per iteration, recorded where the model was cut
	// Outputs are the outputs that the recording side computes from Inputs. They are set only for the
	// smallest part, and only if [ReduceOptions.Outputs] is set.
	Outputs []*tensor.Set

	given, outputs []loaders.Value
	recorded       []loaders.Value               // like given, with the recording side's types
	of             *loaders.Model                // the model that was cut
	types          map[string]tensor.ElementType // the types of outputs, shared by all candidates
	other, otherOf *loaders.Model                // the recording side's part, and its model
}

// Counterpart cuts the same part out of a different model, whose tensors must have the same names.
func (c *Candidate) Counterpart(other *loaders.Model) (*loaders.Model, error) {
	switch {
	case other == c.of:
		return c.Model, nil
	case c.other != nil && c.otherOf == other:
		return c.other, nil
	}
	return other.Cut(c.recorded, c.outputs)
}

// ReduceOptions control how [Reduce] searches. With the zero value, each candidate halves the
// number of nodes to search, so a model of n nodes takes O(log n) candidates.
type ReduceOptions struct {
	// Linear removes one node at a time, which takes up to n candidates. Use it for intermittent
	// failures.
	Linear bool
	// Recorder is the subject that computes the values that a part is fed with. If one side is known
	// to be correct, use that side. If the Recorder has no Model, the failing subject is used.
	Recorder backends.Subject
	// Verdicts is the path of a file that stores every verdict, so that an interrupted search can
	// resume. If it is empty, verdicts are not stored. It is an error if the file belongs to another
	// model, other inputs or another Question.
	Verdicts string
	// Question identifies how candidates are judged: the judge command, or the engines and the rule.
	Question string
	// Good also returns a part that does not fail: among the tried parts that pass, the one closest in
	// size to the smallest failing part.
	Good bool
	// KeepInputs makes the part begin with the model's inputs, and KeepOutputs makes it end with
	// the model's outputs.
	KeepInputs, KeepOutputs bool
	// Outputs also runs the smallest part on the recording side, to set the part's
	// [Candidate.Outputs].
	Outputs bool
	// Progress, if not nil, is called after each candidate.
	Progress func(Step)
}

// Step describes one candidate that has been judged.
type Step struct {
	Nodes int  // number of nodes in the candidate, without weights and constants
	Fails bool // whether it still shows the failure
	Kept  bool // whether the verdict comes from the Verdicts file
	Err   error
}

// String describes the step in one line: the size of the candidate and the verdict on it.
func (s Step) String() string {
	verdict := "passes"
	switch {
	case s.Err != nil:
		verdict = "cannot be judged: " + inner{s.Err}.Error()
	case s.Fails:
		verdict = "fails"
	}
	if s.Kept {
		verdict += " (kept)"
	}
	return fmt.Sprintf("%4d nodes: %s", s.Nodes, verdict)
}

// Reduced is the result of [Reduce].
type Reduced struct {
	Part   Candidate      // the smallest part that still fails
	Nodes  []loaders.Node // its nodes in the failing model, in graph order
	Good   *Candidate     // a part that passes; nil unless requested and found
	Before int            // number of nodes of the failing model
	Tried  int            // number of judged candidates, without stored verdicts
}

// Text describes the reduced model. It has one line for the whole model and one line for each
// remaining node.
func (r *Reduced) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "reduced to %d of %d nodes in %d runs:\n", len(r.Nodes), r.Before, r.Tried)
	for _, n := range r.Nodes {
		fmt.Fprintf(&b, "  node %d: %s %q: %s → %s\n", n.Index, names.Line(n.Op), n.Name,
			names.Line(strings.Join(n.Inputs, ", ")), names.Line(strings.Join(n.Outputs, ", ")))
	}
	return b.String()
}

// Reduce shrinks a failing model to the smallest part that still fails. It first looks for the
// shortest failing part that begins at the model's inputs. Then it moves the beginning of that part
// as late as possible, feeding recorded values to the part. Finally it tries to remove single
// nodes.
//
// Nodes that compute weights from weights stay with the nodes that read the weights, and are not
// counted. Reduce returns only a part that has itself run and failed. It returns [ErrPasses] if the
// whole model does not fail.
func Reduce(ctx context.Context, failing backends.Subject, fails Fails, o ReduceOptions) (
	*Reduced, error) {
	ctx, cancel := inTime(ctx)
	defer cancel()
	ctx = guesses.Context(ctx, failing.Inputs.Notes())
	whole, err := newSide(ctx, "failing", failing, nil)
	if err != nil {
		return nil, err
	}
	defer whole.close()
	r := &reduction{failing: whole, recorder: whole, fails: fails, options: o,
		types: map[string]tensor.ElementType{}}
	if o.Recorder.Model != nil {
		if r.recorder, err = whole.other(ctx, "recording", o.Recorder); err != nil {
			return nil, err
		}
		defer r.recorder.close()
	}
	search := r.bisect
	if o.Linear {
		search = r.linear
	}
	if err := r.prepare(); err != nil {
		return nil, err
	}
	return r.search(ctx, search)
}

// ErrPasses is the error that [Reduce] returns if the model does not fail.
var ErrPasses = errors.New("locate: the whole model does not fail, so there is nothing to reduce")

// search drops nodes from both ends of the graph as long as the rest still fails. It then tries to
// remove single nodes.
func (r *reduction) search(ctx context.Context,
	narrow func(context.Context, func(int) []int, int) (int, error)) (_ *Reduced, err error) {
	all := make([]int, len(r.live))
	for i := range all {
		all[i] = i
	}
	if failed, err := r.try(ctx, all); err != nil {
		return nil, fmt.Errorf("locate: the whole model: %w", inner{err})
	} else if !failed {
		return nil, ErrPasses
	}
	first, last := 0, len(all)-1
	if !r.options.KeepOutputs {
		off, err := narrow(ctx, func(n int) []int { return all[:last-n+1] }, last)
		if err != nil {
			return nil, err
		}
		last -= off
	}
	if !r.options.KeepInputs {
		if first, err = narrow(ctx, func(n int) []int { return all[n : last+1] }, last); err != nil {
			return nil, err
		}
	}
	kept := all[first : last+1]
	if !r.options.KeepOutputs {
		if kept, err = r.prune(ctx, kept); err != nil {
			return nil, err
		}
		_, before := r.part(kept)
		r.ends = true
		if _, after := r.part(kept); len(after) < len(before) {
			if r.ends, err = r.tryPart(ctx, kept); err != nil {
				return nil, err
			}
		}
	}
	return r.result(ctx, kept)
}

// bisect finds, by bisection, how many nodes can be removed so that the rest still fails. It
// removes at most limit nodes.
func (r *reduction) bisect(ctx context.Context, cut func(int) []int, limit int) (n int, err error) {
	n = sort.Search(limit, func(less int) bool {
		failed := false
		if err == nil {
			failed, err = r.tryPart(ctx, cut(less+1))
		}
		return !failed
	})
	return n, err
}

// linear finds, one node at a time, how many nodes can be removed so that the rest still fails. It
// removes at most limit nodes.
func (r *reduction) linear(ctx context.Context, take func(int) []int, limit int) (int, error) {
	for n := 1; n <= limit; n++ {
		failed, err := r.tryPart(ctx, take(n))
		if err != nil || !failed {
			return n - 1, err
		}
	}
	return limit, nil
}

// prunable is the largest number of nodes for which prune tries to remove single nodes.
const prunable = 48

// prune removes nodes that are not needed for the part to fail. It first tries to remove all nodes
// of side branches together. Then it tries to remove single nodes, whose outputs become inputs.
func (r *reduction) prune(ctx context.Context, kept []int) ([]int, error) {
	if branch := r.upstream(kept); len(branch) < len(kept) {
		failed, err := r.tryPart(ctx, branch)
		if err != nil {
			return nil, err
		}
		if failed {
			kept = branch
		}
	}
	if len(kept) > prunable || r.options.KeepInputs {
		return kept, nil
	}
	for i := 0; i < len(kept) && len(kept) > 1; {
		without := slices.Delete(slices.Clone(kept), i, i+1)
		failed, err := r.tryPart(ctx, without)
		if err != nil {
			return nil, err
		}
		if failed {
			kept = without
		} else {
			i++
		}
	}
	return kept, nil
}
