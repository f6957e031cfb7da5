package locate

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Strategy is how [Reduce] searches.
type Strategy string

// The strategies.
const (
	// Bisect halves what is left: O(log n) candidates for n nodes.
	Bisect Strategy = "bisect"
	// Linear takes one node away at a time: n candidates, for failures that come and go.
	Linear Strategy = "linear"
)

// Fails tells whether a candidate still shows the failure that is looked for. An error says that it
// could not be told: of the whole model it ends the search, of a part it counts as no failure.
type Fails func(ctx context.Context, c *Candidate) (bool, error)

// Candidate is a part of the failing model that is tried: a model of its own, and what to feed it.
type Candidate struct {
	Model  *loaders.Model
	Inputs []*tensor.Set // one set per iteration; as recorded where the part was cut
	// Outputs are what the recording side gives for Inputs: those of the smallest part, where they
	// were asked for.
	Outputs []*tensor.Set

	given, outputs []loaders.Value
	of             *loaders.Model                // which was cut
	types          map[string]tensor.ElementType // what all candidates know of outputs' types
	other, otherOf *loaders.Model                // the same part of the recording side's model
}

// Counterpart cuts the same part out of another model that has tensors of the same names.
func (c *Candidate) Counterpart(other *loaders.Model) (*loaders.Model, error) {
	if c.other != nil && c.otherOf == other {
		return c.other, nil
	}
	return other.Cut(c.given, c.outputs)
}

// ReduceOptions says how [Reduce] searches. The zero value bisects.
type ReduceOptions struct {
	Strategy Strategy // "" is Bisect
	// Recorder runs the model to record the values where it is cut: the failing subject itself where
	// its Model is nil. Where there is a side that is right, record that one's values.
	Recorder backends.Subject
	// Verdicts is a file that keeps every verdict, so that an interrupted search goes on where it
	// stopped; "" keeps none. A file of another model, other inputs or another question is an error.
	Verdicts string
	// Question says what is asked of candidates, as far as the kept verdicts depend on it: the judge
	// command, or the engines and the rule.
	Question string
	// Good also keeps a part without the failure, as close in size to the smallest failing one as
	// the search came upon.
	Good bool
	// KeepInputs and KeepOutputs leave one end of the model as it is, so that the part begins with the
	// model's inputs, or ends with its outputs.
	KeepInputs, KeepOutputs bool
	// Outputs also runs the smallest part in the recording side.
	Outputs bool
	// Progress is called with each candidate after it was judged.
	Progress func(Step)
}

// Step is one candidate that was judged.
type Step struct {
	Nodes int  // of the candidate, weights and constants not counted
	Fails bool // the failure is still in it
	Kept  bool // the verdict is that of an earlier search
	Err   error
}

// Reduced is what [Reduce] found: the smallest part that still fails.
type Reduced struct {
	Candidate
	Nodes  []loaders.Node // of the failing model, in graph order
	Good   *Candidate     // the part that passes; nil unless it was asked for and there is one
	Before int            // how many nodes it had
	Tried  int            // candidates that were judged, not counting kept verdicts
}

// Reduce shrinks a failing model to the smallest part that still fails. It first looks for the
// shortest beginning of the graph that fails, then for the latest place where that beginning can
// start on recorded values, and last tries to do without each node that is left.
//
// Nodes that compute weights from weights come along with the nodes that use them and are not
// counted. The result was tried and failed: it is never guessed. That the model does not fail as a
// whole is an error.
func Reduce(ctx context.Context, failing backends.Subject, fails Fails, o ReduceOptions) (
	*Reduced, error) {
	ctx, cancel := inTime(ctx)
	defer cancel()
	inputs, sets, err := draw("failing", failing)
	if err != nil {
		return nil, err
	}
	r := &reduction{sets: sets, fails: fails, options: o, types: map[string]tensor.ElementType{}}
	if r.failing, err = newSide(ctx, "failing", failing, inputs); err != nil {
		return nil, err
	}
	defer r.failing.close()
	r.model, r.recorder = r.failing.model, r.failing
	if o.Recorder.Model != nil {
		if err := same("recording", o.Recorder, sets); err != nil {
			return nil, err
		}
		if r.recorder, err = newSide(ctx, "recording", o.Recorder, inputs); err != nil {
			return nil, err
		}
		defer r.recorder.close()
	}
	search := r.bisect
	switch o.Strategy {
	case "", Bisect:
	case Linear:
		search = r.linear
	default:
		return nil, fmt.Errorf("locate: strategy %q: want bisect or linear", o.Strategy)
	}
	if err := r.prepare(); err != nil {
		return nil, err
	}
	return r.search(ctx, search)
}

// ErrPasses is the error of [Reduce] for a model that does not fail.
var ErrPasses = errors.New("locate: the model as a whole does not fail, so there is nothing to " +
	"reduce")

// search narrows the range [from, to] of live nodes, and then leaves single nodes out.
func (r *reduction) search(ctx context.Context,
	narrow func(context.Context, func(int) []int, int) (int, error)) (*Reduced, error) {
	all := between(0, len(r.live)-1)
	if failed, err := r.try(ctx, all); err != nil {
		return nil, fmt.Errorf("locate: the whole model: %w", err)
	} else if !failed {
		return nil, ErrPasses
	}
	first, last := 0, len(all)-1
	if !r.options.KeepOutputs {
		off, err := narrow(ctx, func(n int) []int { return between(0, last-n) }, last)
		if err != nil {
			return nil, err
		}
		last -= off
	}
	if !r.options.KeepInputs {
		off, err := narrow(ctx, func(n int) []int { return between(n, last) }, last)
		if err != nil {
			return nil, err
		}
		first = off
	}
	kept := between(first, last)
	if !r.options.KeepInputs && !r.options.KeepOutputs { // a node that is left out gives an input
		pruned, err := r.prune(ctx, kept)
		if err != nil {
			return nil, err
		}
		kept = pruned
	}
	return r.result(ctx, kept)
}

// bisect finds how many nodes can be taken away by halving; most is the greatest number.
func (r *reduction) bisect(ctx context.Context, take func(int) []int, most int) (int, error) {
	good, bad := 0, most+1 // good nodes off still fails; bad off does not, or is too many
	for bad-good > 1 {
		middle := (good + bad) / 2
		failed, err := r.tryPart(ctx, take(middle))
		if err != nil {
			return 0, err
		}
		if failed {
			good = middle
		} else {
			bad = middle
		}
	}
	return good, nil
}

// linear finds how many nodes can be taken away one at a time.
func (r *reduction) linear(ctx context.Context, take func(int) []int, most int) (int, error) {
	for n := 1; n <= most; n++ {
		failed, err := r.tryPart(ctx, take(n))
		if err != nil || !failed {
			return n - 1, err
		}
	}
	return most, nil
}

// prunable is up to how many nodes each is tried to be left out.
const prunable = 48

// prune leaves out what the failure does not need: side branches, then single nodes.
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
	if len(kept) > prunable {
		return kept, nil
	}
	for i := 0; i < len(kept) && len(kept) > 1; {
		without := append(append([]int{}, kept[:i]...), kept[i+1:]...)
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

// between lists from … to.
func between(from, to int) []int {
	list := make([]int, 0, max(0, to-from+1))
	for i := from; i <= to; i++ {
		list = append(list, i)
	}
	return list
}
