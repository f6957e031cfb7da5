package golden

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/located"
	"github.com/modelparity/modelparity/internal/runfile"
)

// Update writes run as the golden file at path if the user asked for it, and says what it did:
// [Prepare] and [Pending.Commit] in one.
func Update(path string, run *backends.Run, o Options) (Change, error) {
	mode, err := Updating()
	if err != nil {
		return Change{Path: path, Kind: Untouched}, err
	}
	p, err := Prepare(mode, path, run, o)
	if err != nil {
		return Change{Path: path, Kind: Untouched}, err
	}
	return p.Commit()
}

// Pending is what an update is going to do to one golden file. Nothing is done before
// [Pending.Commit].
type Pending struct {
	change Change
	run    *backends.Run // that the file should hold
	old    *Reference    // that it holds; nil where it is missing or damaged
	head   runfile.Head  // of run; empty where the mode leaves the file alone
	was    string        // checksum of the file's bytes, in mode [Diff]; "" where it is missing
	o      Options
	report *compare.Report // of run against old by the spec's own tolerance; nil without one
}

// Change is what [Pending.Commit] is going to do.
func (p *Pending) Change() Change { return p.change }

// Writes reports whether the file is going to be written, in mode [Diff] whether it would be.
func (p *Pending) Writes() bool { return p.change.Kind.writes() }

// Expected is the run that the file holds once the update is done, in mode [Diff] as if it were
// done: nil where the mode leaves a damaged file alone.
func (p *Pending) Expected() *Reference {
	if p.Writes() {
		return &Reference{Run: p.run, head: &p.head}
	}
	return p.old
}

// Prepare decides what an update does to the golden file at path. The mode is [Updating]'s; in the
// modes [Off] and [Usage] nothing is touched, and the change is [Untouched]. In mode [Diff] the
// change is what [Rewrite] would do, and [Pending.Commit] keeps it for a [Review].
//
// A file that passes by o.Judge is kept, so that an update on another processor, or with another
// version of an engine, rewrites nothing whose numbers the spec does not mind. Mode [All] rewrites
// it nevertheless.
//
// Only a run that is complete may come here: a spec that failed, was cancelled or was skipped has
// none. Besides what [Write] refuses, an update refuses to replace a file that was not written as a
// golden file.
func Prepare(mode Mode, path string, run *backends.Run, o Options) (*Pending, error) {
	p := &Pending{change: Change{Path: path, Kind: Untouched}, run: run, o: o}
	if mode == Off || mode == Usage {
		return p, nil
	}
	p.change.By, p.change.Tolerance = p.by(), o.Tolerance
	p.change.Proposed = mode == Diff
	if err := sound(run, o); err != nil {
		return p, fmt.Errorf("golden: %w", located.In(path, err))
	}
	runfile.Use(path)
	if err := confusable(path); err != nil {
		return p, fmt.Errorf("golden: %w", err)
	}
	if mode == Diff { // before it is read: a change in between is found when it is accepted
		sum, err := sumOfFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return p, fmt.Errorf("golden: %w", located.In(path, err))
		}
		p.was = sum
	}
	ctx, err := backends.ContextOf(run)
	if err != nil {
		ctx = context.Background() // a run of a BeforeAll, whose context has ended
	}
	old, err := readReference(ctx, path)
	if staged := o.Spec.staged(path); staged != nil { // the file as it will be
		old, err = staged.Expected(), nil
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.change.Kind = Created
	case mode == Missing: // a damaged file too: comparing will say so
		p.old = old
		return p, nil
	case IsForeign(err):
		return p, fmt.Errorf("golden: %w", located.In(path, err))
	case err != nil: // a damaged file is what an update is for
		p.change.Kind, p.change.Damage = Rewritten, err.Error()
	default:
		p.old, p.change.Kind = old, Rewritten
		if (mode != All || written(path)) && p.judge(old) {
			p.change.Kind = Kept
		}
	}
	if p.head, err = runfile.HeadOf(runfile.KindGolden, runnerOf(path, run)); err != nil {
		return p, fmt.Errorf("golden: %w", located.In(path, err))
	}
	if p.old != nil {
		now, _ := p.old.Of(run.Outputs())
		p.change.Moved = moves(now, p.head.Runs[0], p.old.Run.Outputs(), p.old.head.Runs[0])
		p.change.compareWith(p.report)
		p.change.Was = &p.old.Run.Provenance
	}
	p.change.Is = &run.Provenance
	return p, nil
}

// judge reports whether a file passes by the spec's own tolerance.
func (p *Pending) judge(old *Reference) bool {
	if p.o.Judge == nil {
		return false
	}
	report, err := old.judge(p.run, p.o.Judge)
	if err != nil {
		report = compare.Report{Verdict: compare.Fail, Reason: err.Error()}
	}
	p.report = &report
	return report.Verdict == compare.Pass
}

// Commit does it. It is an error, and the file stays as it is, where another spec wants other
// outputs in the file that this run of the tests writes, in this process or in another: then two
// specs share a name, or a model does not give the same each time, and the file would fail one of
// them. Runs within tolerance of each other, such as those of two engines, may share a file.
func (p *Pending) Commit() (Change, error) {
	if p.change.Kind == Untouched {
		return p.change, nil
	}
	err := claim(p, func() error {
		if p.change.Proposed {
			return p.propose()
		}
		if !p.Writes() {
			return nil
		}
		written, err := write(p.change.Path, p.head, p.run, p.o.Layout)
		if err == nil && !written {
			p.change.Kind = Unchanged
		}
		return err
	})
	if err != nil {
		return Change{Path: p.change.Path, Kind: Untouched}, fmt.Errorf("golden: %w", err)
	}
	if p.change.Wrote() {
		if _, err := summarize(p.change); err != nil {
			p.change.Unsummarized = err.Error()
		}
	}
	return p.change, nil
}

// Write writes run as the golden file at path, whole or not at all, making the folder if need be.
// It writes unconditionally: specs want [Update].
//
// A run without iterations, or with an iteration without outputs, is an error, and so are NaN and
// infinities that o does not allow.
func Write(path string, run *backends.Run, o Options) error {
	err := sound(run, o)
	if err == nil {
		var h runfile.Head
		if h, err = runfile.HeadOf(runfile.KindGolden, runnerOf(path, run)); err == nil {
			_, err = write(path, h, run, o.Layout)
		}
	}
	if err != nil {
		return fmt.Errorf("golden: %w", located.In(path, err))
	}
	return nil
}

// runnerOf is what the golden file at path holds, under the name that Polygraphy prints.
func runnerOf(path string, run *backends.Run) []runfile.Runner {
	return []runfile.Runner{{Name: runfile.NameOf(path), Run: run}}
}
