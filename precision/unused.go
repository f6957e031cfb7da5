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
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Unused is the result of running a repaired model on inputs that the search did not use.
type Unused struct {
	// Tried is the number of sets of inputs that were run, or 0 if there were no unused inputs. Passed
	// is the number of these sets on which the model passed the rule.
	Passed int `json:"passed"`
	Tried  int `json:"tried"`
	// Added is the number of sets of inputs that the search added to its inputs because an earlier set
	// of nodes failed on them.
	Added int `json:"added,omitempty"`
	// Why says why no unused inputs were run.
	Why string `json:"why,omitempty"`
}

const (
	// With fewer than fewInputs sets of inputs, a set of nodes must keep a reserve: it must pass even
	// if all differences grow by the factor reserve, which is 1/0.8.
	fewInputs = 5
	reserve   = 1.25
	// unusedInputs is the number of sets of inputs on which a set of nodes is checked, and
	// unusedAtOnce is the number in one run. If some of them fail, up to mostAdded are added to the
	// search's inputs and the search is repeated, at most mostGrown times.
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
		text += fmt.Sprintf("; the search added %d sets on which earlier answers failed",
			u.Added)
	}
	return text + "\n"
}

// needs returns the reserve of the search: a set passes only if it would pass with all differences
// multiplied by this factor.
func (w *searching) needs() float64 {
	if w.few {
		return reserve
	}
	return 1
}

// found searches for a set of nodes and checks it on inputs that the search did not use. If the set
// fails on some of these inputs, found adds them to the search's inputs and searches again.
func (w *searching) found(ctx context.Context) (kept []bool, u Unused, err error) {
	for {
		if kept, err = w.search(ctx); err != nil {
			return nil, u, err
		}
		inputs, ok := w.subject.Inputs.Fresh(w.grown*unusedInputs, unusedInputs)
		switch {
		case w.Expected != nil:
			u.Why = "the outputs to compare with are given"
			return kept, u, nil
		case !ok:
			u.Why = "the given inputs are fixed data"
			return kept, u, nil
		}
		before := u.Added
		bad, expected, err := w.fails(ctx, kept, inputs)
		if err != nil {
			return nil, u, err
		}
		u = Unused{Passed: unusedInputs - len(bad), Tried: unusedInputs, Added: before}
		w.say("%d of %d sets of unused inputs pass", u.Passed, u.Tried)
		if len(bad) == 0 || w.Engine != nil || w.grown >= mostGrown {
			return kept, u, nil
		}
		n := min(mostAdded, len(bad))
		u.Added += n
		w.inputs = append(slices.Clone(w.inputs), bad[:n]...)
		w.expected = append(slices.Clone(w.expected), expected[:n]...)
		w.tried, w.way = [ways]map[string]*trial{}, byCasts
		w.grown++
		w.most = w.runs + trials + guards(len(kept))
	}
}

// fails returns the inputs on which a set of nodes fails, and the float32 outputs for these inputs.
func (w *searching) fails(ctx context.Context, kept []bool, inputs fixtures.Inputs) (bad,
	expected []*tensor.Set, err error) {
	var opened []backends.Backend
	defer func() {
		for _, b := range opened {
			err = errors.Join(err, b.Close())
		}
	}()
	var some []*tensor.Set
	judge := func() error {
		if len(opened) == 0 {
			if opened, err = w.sides(ctx, kept, fixtures.Of(some...)); err != nil {
				return err
			}
		}
		var outputs [][]*tensor.Set
		for _, b := range opened {
			run, err := b.Run(ctx, fixtures.Of(some...))
			if err != nil {
				return err
			}
			outputs = append(outputs, run.Outputs())
		}
		for i, set := range some {
			for _, o := range outputs[1:] {
				report, err := compare.Runs(o[i:i+1], outputs[0][i:i+1], w.Rule)
				if err != nil {
					return err
				}
				if report.Verdict != compare.Pass {
					bad, expected = append(bad, set), append(expected, outputs[0][i])
					break
				}
			}
		}
		some = nil
		return nil
	}
	for set, err := range inputs.All() {
		if err != nil {
			return nil, nil, err
		}
		if some = append(some, set); len(some) == unusedAtOnce {
			if err := judge(); err != nil {
				return nil, nil, fmt.Errorf("inputs that the search did not use: %w", err)
			}
		}
	}
	return bad, expected, nil
}

// sides opens the float32 model, and then each model with only the set of nodes in float32. The
// caller must close all opened models, even after an error.
func (w *searching) sides(ctx context.Context, kept []bool, inputs fixtures.Inputs) (
	opened []backends.Backend, err error) {
	open := func(engine backends.Engine, model *loaders.Model, err error) error {
		if err != nil {
			return err
		}
		b, err := engine.Open(ctx, model, inputs)
		if err == nil {
			opened = append(opened, b)
			w.runs++
		}
		return err
	}
	n, k := w.network, w.network.keep(kept)
	if err := open(w.opened.engine, w.model, nil); err != nil {
		return opened, err
	}
	if w.Engine != nil {
		names, err := n.named(k)
		if err != nil {
			return opened, err
		}
		begin := time.Now()
		engine, err := w.shared.Raise(names, tensor.Float32)
		err = open(engine, w.model, err)
		w.builds, w.judging = w.builds+1, w.judging+time.Since(begin)
		return opened, err
	}
	model, err := n.rounded(k)
	if err = open(w.plain, model, err); err != nil || !w.delivers() {
		return opened, err
	}
	model, err = n.delivered(k)
	return opened, open(w.opened.engine, model, err)
}
