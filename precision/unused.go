package precision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// Unused is the result of running a repaired model on inputs that the search did not use.
type Unused struct {
	// Tried is the number of new sets of inputs that were run, or 0 if there were none. Passed is the
	// number of these sets on which the model passed the rule.
	Passed int `json:"passed"`
	Tried  int `json:"tried"`
	// Added is the number of sets of inputs that the search added to its own because an earlier set of
	// nodes failed on them.
	Added int `json:"added,omitempty"`
	// Why says why no new inputs were run. It is "" if some were.
	Why string `json:"why,omitempty"`
}

const (
	// With fewer than fewInputs sets of inputs, a set of nodes passes only if it would still pass with
	// all differences multiplied by the constant reserve, which is 1/0.8.
	fewInputs = 5
	reserve   = 1.25
	// The result of a search is checked on unusedInputs new sets of inputs, unusedAtOnce in each run.
	// If it fails on some of them, up to mostAdded are added to the search's inputs, and the search is
	// repeated, up to mostGrown times.
	unusedInputs = 64
	unusedAtOnce = 8
	mostAdded    = 4
	mostGrown    = 16
)

func (u Unused) text() string {
	if u.Tried == 0 {
		return "not checked on other inputs: " + u.Why + "\n"
	}
	text := fmt.Sprintf("on inputs that the search did not use, %d of %d sets pass", u.Passed, u.Tried)
	if u.Added > 0 {
		text += fmt.Sprintf("; the search added %d sets of inputs, because its earlier results failed "+
			"on them", u.Added)
	}
	return text + "\n"
}

// needs returns the required margin: a set of nodes passes only if the outputs would still pass
// with all differences multiplied by this factor.
func (w *searching) needs() float64 {
	if w.few {
		return reserve
	}
	return 1
}

// found searches for a set of nodes to keep in float32, and then checks the repaired model on new
// inputs. If the repaired model breaks the rule on new inputs, found may add some of these inputs
// to the search's inputs and search again.
func (w *searching) found(ctx context.Context) (kept []bool, u Unused, err error) {
	for {
		if kept, err = w.search(ctx); err != nil {
			return nil, u, err
		}
		inputs, ok := w.subject.Inputs.Fresh(w.grown*unusedInputs, unusedInputs)
		switch {
		case w.Expected != nil:
			u.Why = "the expected outputs are known only for the given inputs"
			return kept, u, nil
		case !ok:
			u.Why = "the inputs are fixed data, so no others can be drawn"
			return kept, u, nil
		}
		bad, expected, err := w.fails(ctx, kept, inputs)
		if refused := (refusal{}); errors.As(err, &refused) && ctx.Err() == nil {
			return kept, Unused{Added: u.Added, Why: "the original model does not run on all of " +
				"them; limit the range of the inputs: " + refused.Error()}, nil
		} else if err != nil {
			return nil, u, err
		}
		u.Passed, u.Tried = unusedInputs-len(bad), unusedInputs
		w.say("%d of %d new sets of inputs pass", u.Passed, u.Tried)
		if len(bad) == 0 || w.Engine != nil || w.grown >= mostGrown {
			return kept, u, nil
		}
		n := min(mostAdded, len(bad))
		u.Added += n
		w.inputs = append(slices.Clone(w.inputs), bad[:n]...)
		w.expected = append(slices.Clone(w.expected), expected[:n]...)
		w.tried = nil
		w.grown++
		w.most = w.runs + trials + w.reserved(len(kept))
	}
}

// refusal is the error if the original model does not run on inputs that the search did not use.
type refusal struct{ error }

// fails returns the inputs on which the rule fails if only the kept nodes compute in float32. For
// each of these inputs, expected contains the outputs of the original model, whose nodes all
// compute in float32.
func (w *searching) fails(ctx context.Context, kept []bool, inputs fixtures.Inputs) (bad,
	expected []*tensor.Set, err error) {
	sides := []backends.Subject{{Engine: w.opened.engine, Model: w.model}}
	for in := range form(w.formsToCheck()) {
		side, err := w.keeping(kept, in)
		if err != nil {
			return nil, nil, err
		}
		sides = append(sides, side)
	}
	sets, err := backends.Subject{Inputs: inputs}.Draw()
	if err != nil {
		return nil, nil, err
	}
	var opened []backends.Backend
	defer func() {
		for _, b := range opened {
			err = errors.Join(err, b.Close())
		}
	}()
	begin := time.Now()
	for some := range slices.Chunk(sets, unusedAtOnce) {
		given := fixtures.Of(some...)
		outputs := make([][]*tensor.Set, len(sides))
		for k, side := range sides {
			if k == len(opened) {
				b, err := side.Engine.Open(ctx, side.Model, given)
				if err != nil {
					return nil, nil, fmt.Errorf("checking inputs that the search did not use: %w", err)
				}
				opened = append(opened, b)
				w.runs++
			}
			run, err := opened[k].Run(ctx, given)
			if k == 0 && err != nil {
				return nil, nil, refusal{err}
			} else if err != nil {
				return nil, nil, fmt.Errorf("checking inputs that the search did not use: %w", err)
			}
			outputs[k] = run.Outputs()
		}
		for i, set := range some {
			for _, o := range outputs[1:] {
				report, err := compare.Runs(o[i:i+1], outputs[0][i:i+1], w.Rule)
				if err != nil {
					return nil, nil, err
				}
				if report.Verdict != compare.Pass {
					bad, expected = append(bad, set), append(expected, outputs[0][i])
					break
				}
			}
		}
	}
	if w.Engine != nil {
		w.builds, w.judging = w.builds+1, w.judging+time.Since(begin)
	}
	return bad, expected, nil
}

// keeping returns a subject in which only the kept nodes compute in float32. If w.Engine is set,
// the subject is the original model in the engine w.Engine, which raises the nodes' precision.
// Otherwise the subject is the given form of the model, in the engine of w's subject.
func (w *searching) keeping(kept []bool, in form) (s backends.Subject, err error) {
	if w.Engine != nil {
		names, err := w.network.named(kept)
		if err != nil {
			return s, err
		}
		s.Model = w.model
		s.Engine, err = w.shared.Raise(names, tensor.Float32)
		return s, err
	}
	if s.Engine = w.plain; in == asDeployed {
		s.Engine = w.opened.engine
	}
	s.Model, err = w.network.in(in, kept)
	return s, err
}
