package runs

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/passing"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Side is what runs under a name, or the run that was saved under it.
type Side struct {
	Name string
	backends.Subject
	Saved *Named // a run from a file; nil where the subject runs
}

// Saved are the sides of runs from files.
func Saved(runs []Named) []Side {
	sides := make([]Side, len(runs))
	for i := range runs {
		sides[i] = Side{Name: runs[i].Name, Saved: &runs[i]}
	}
	return sides
}

// fewest is from how many iterations on it pays to have every side open at once.
const fewest = 8

// Interleaves reports whether sides had better run by turns: for eight iterations or more, or two
// where the first failure ends the comparison. At most one of them may hold a device that others
// wait for (see [backends.Neighborly]). Saved runs take part, but for those whose outputs
// have no names: they get the names of a whole run.
func Interleaves(sides []Side, options compare.Options) bool {
	holding, iterations, enough := 0, 0, fewest
	if options.FailFast {
		enough = 2
	}
	for _, s := range sides {
		switch {
		case s.Saved != nil && (s.Saved.Unnamed || s.Saved.Run.Len() == 0):
			return false
		case s.Saved == nil && !backends.Neighborly(s.Engine):
			holding++
		}
	}
	if len(sides) < 2 || sides[0].Saved != nil || holding > 1 || options.Average {
		return false
	}
	for _, err := range sides[0].Inputs.All() {
		if err != nil { // which is told when they run
			return false
		}
		if iterations++; iterations == enough {
			return true
		}
	}
	return false
}

// Interleave runs two sides or more by turns, one iteration at a time, and holds each to the next
// one as [ComparePairs] does, by [compare.Stream]: it holds one iteration of each, and the outputs
// that fail. With Options.FailFast nothing runs after the first iteration that fails. The runs keep
// the named outputs, or all where none is named. Engines do not warm up, since nothing is timed.
func Interleave(ctx context.Context, sides []Side, only []string, options compare.Options) (
	pairs []compare.Pair, err error) {
	comparer, err := compare.Prepare(options)
	if err != nil {
		return nil, err
	}
	if len(sides) < 2 {
		return nil, errors.New("there is only one side, so nothing to compare it with")
	}
	turns := make([]*turn, len(sides))
	defer func() {
		for _, t := range turns {
			err = errors.Join(err, t.close())
		}
	}()
	ctx = passing.Context(ctx)
	for i, s := range sides {
		if turns[i], err = begin(ctx, s, only); err != nil {
			return nil, err
		}
		for _, other := range sides {
			if p := other.Saved; p != nil && p.Run.Provenance.InputsSHA256 != "" {
				turns[i].digest, turns[i].most = backends.NewDigest(), max(turns[i].most, p.Run.Len())
			}
		}
	}
	streams := make([]*compare.Stream, len(sides)-1)
	for i := range streams {
		if streams[i], err = comparer.Stream(); err != nil {
			return nil, err
		}
	}
	for more, n := true, 0; more; n++ {
		for i := range turns {
			ok, err := turns[i].next(ctx, n)
			if err != nil {
				return nil, err
			}
			more = more && ok
		}
		if !more {
			if err := ended(turns, streams); err != nil {
				return nil, err
			}
		}
		for i := 0; i < len(streams) && more; i++ {
			if more, err = streams[i].Add(turns[i].outputs, turns[i+1].outputs); err != nil {
				return nil, fmt.Errorf("%s against %s: %w", turns[i].title, turns[i+1].title, err)
			}
		}
	}
	for i, s := range streams {
		p := compare.Pair{Actual: turns[i].title, Expected: turns[i+1].title}
		if p.Report, err = s.Report(); err != nil {
			return nil, fmt.Errorf("%s against %s: %w", p.Actual, p.Expected, err)
		}
		p.Report.Notes = append(p.Report.Notes, unlike(turns[i].whole(ctx), turns[i+1].whole(ctx))...)
		pairs = append(pairs, p)
		if options.FailFast && p.Report.Verdict == compare.Fail {
			break
		}
	}
	return pairs, nil
}

// turn is a side while it runs.
type turn struct {
	side    Side
	only    []string
	backend backends.Backend
	draw    func() (*tensor.Set, error, bool)
	stop    func()
	ran     int           // iterations
	made    *backends.Run // the first iteration
	outputs *tensor.Set   // of the last iteration
	title   string
	digest  *backends.Digest // of the inputs; nil if no saved run has one
	drawn   int              // how many sets the digest is of
	over    bool             // all were drawn
	most    int              // iterations of the longest saved run
}

// whole is the side as far as [unlike] reads it.
func (t *turn) whole(ctx context.Context) *backends.Run {
	if t.side.Saved != nil {
		return t.side.Saved.Run
	}
	p := t.made.Provenance
	if t.digest != nil {
		// A comparison that failed early has inputs left, which may have no end.
		for err := error(nil); err == nil && !t.over && t.drawn <= t.most; {
			_, err, _ = t.inputs()
		}
		if t.over {
			p.InputsSHA256 = t.digest.Sum()
		}
		if model, ok := t.side.Model.(*loaders.Model); ok {
			p.ModelSHA256, _ = model.SHA256() // it was read before, or is not known
		}
	}
	return backends.NewRunOf(ctx, p, t.side.Subject, t.side.Inputs, t.made.Iterations()...)
}

// inputs draws the next set.
func (t *turn) inputs() (*tensor.Set, error, bool) {
	set, err, ok := t.draw()
	if t.over = !ok; t.digest != nil && ok && err == nil {
		t.digest.Add(set)
		t.drawn++
	}
	return set, err, ok
}

func begin(ctx context.Context, s Side, only []string) (*turn, error) {
	t := &turn{side: s, only: only}
	if s.Saved != nil {
		t.title = title(*s.Saved)
		return t, nil
	}
	var err error
	if t.backend, err = s.Engine.Open(ctx, s.Model, s.Inputs); err != nil {
		return nil, err
	}
	t.draw, t.stop = iter.Pull2(s.Inputs.All())
	return t, nil
}

// next runs iteration n, and reports whether there was one.
func (t *turn) next(ctx context.Context, n int) (bool, error) {
	if saved := t.side.Saved; saved != nil {
		if n >= saved.Run.Len() {
			return false, nil
		}
		t.outputs = saved.Run.Iterations()[n].Outputs
		return true, context.Cause(ctx)
	}
	set, err, ok := t.inputs()
	if !ok && n == 0 {
		err = backends.ErrNoInputs
	}
	if err != nil {
		return false, fmt.Errorf("%s: iteration %d: %w", t.side.Name, n, err)
	}
	if !ok {
		return false, nil
	}
	run, err := t.backend.Run(passing.From(ctx, n), fixtures.Of(set))
	if err == nil {
		run, err = run.Only(t.only...)
	}
	if err != nil {
		return false, err
	}
	t.ran, t.outputs = n+1, run.Outputs()[0]
	if t.made == nil {
		t.made = run
		t.title = title(Named{Name: t.side.Name, Run: run})
	}
	return true, nil
}

// ended tells the comparisons how many iterations the sides have. What one has beyond the others
// does not run: that it is there fails the comparison.
func ended(turns []*turn, streams []*compare.Stream) error {
	lengths := make([]int, len(turns))
	for i, t := range turns {
		if t.side.Saved != nil {
			lengths[i] = t.side.Saved.Run.Len()
			continue
		}
		for lengths[i] = t.ran; ; lengths[i]++ {
			_, err, ok := t.inputs()
			if err != nil {
				return fmt.Errorf("%s: iteration %d: %w", t.side.Name, lengths[i], err)
			}
			if !ok {
				break
			}
		}
	}
	for i, s := range streams {
		s.Ended(lengths[i], lengths[i+1])
	}
	return nil
}

func (t *turn) close() error {
	if t == nil || t.side.Saved != nil {
		return nil
	}
	t.stop()
	return t.backend.Close()
}
