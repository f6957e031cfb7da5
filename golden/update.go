package golden

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/internal/located"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/tensor"
)

// Pending is a planned update of one golden file. [Pending.Commit] carries it out.
type Pending struct {
	Change Change // what Commit would do
	// Report compares the new run with the file within the spec's tolerance. It is nil if they were
	// not compared.
	Report *compare.Report

	run  *backends.Run // the new run
	old  *Reference    // the file's content; nil if it is missing or damaged
	head runfile.Head  // the file's new header; empty if the mode leaves the file alone
	was  string        // checksum of the file's bytes, in mode [Diff]; "" if it is missing
	o    Options
}

// writes reports whether Commit writes the file, assuming that the mode is not [Diff].
func (p *Pending) writes() bool { return p.Change.Kind.writes() }

// Expected returns the content of the file after the update. In mode [Diff], it returns the content
// that the update would write. It returns nil if the file is missing or damaged and the mode does
// not write it.
func (p *Pending) Expected() *Reference {
	if p.writes() {
		return &Reference{Run: p.run, Sampled: p.head.HoldsAll() != nil, head: &p.head}
	}
	return p.old
}

// Prepare plans the update of the golden file at path. Pass the mode that [Updating] returns: mode
// [Off] changes nothing and returns [Untouched]. Mode [Diff] plans the same as [Rewrite],
// but [Pending.Commit] keeps the change for a [Review].
//
// An update keeps the file if the run passes when o.Judge compares it with the file. Updating on a
// different processor or with a different engine version therefore does not rewrite files whose
// numbers are still within tolerance. Mode [All] rewrites these files too.
//
// Pass only complete runs, not the runs of a failed, canceled or skipped spec. Prepare returns the
// same errors as [Write], and also an error if the update would replace a file that was not written
// as a golden file.
func Prepare(mode Mode, path string, run *backends.Run, o Options) (*Pending, error) {
	p := &Pending{Change: Change{Path: path, Kind: Untouched}, run: run, o: o}
	if mode == Off {
		return p, nil
	}
	p.Change.By, p.Change.Tolerance = p.by(), o.Tolerance
	p.Change.Proposed = mode == Diff
	if err := sound(run, o); err != nil {
		return p, fmt.Errorf("golden: %w", located.In(path, err))
	}
	runfile.Use(path)
	if err := goldentree.Confusable(path); err != nil {
		return p, fmt.Errorf("golden: %w", err)
	}
	if mode == Diff { // before reading: Accept detects changes made in between
		sum, err := regular.Sum(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return p, fmt.Errorf("golden: %w", located.In(path, err))
		}
		p.was = sum
	}
	ctx, err := backends.ContextOf(run)
	if err != nil {
		ctx = context.Background() // the run's context has ended, as after a BeforeAll
	}
	old, err := readReference(ctx, path)
	if staged := o.Spec.staged(path); staged != nil { // the file after the staged update
		old, err = staged.Expected(), nil
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.Change.Kind = Created
	case mode == Missing: // damaged files too: comparing reports them
		p.old = old
		return p, nil
	case goldentree.IsProtected(err):
		return p, fmt.Errorf("golden: %w", located.In(path, err))
	case err != nil: // an update repairs a damaged file
		p.Change.Kind, p.Change.Damage = Rewritten, err.Error()
	default:
		p.old, p.Change.Kind = old, Rewritten
		if (mode != All || written(path)) && p.judge(old) {
			p.Change.Kind = Kept
		}
	}
	if p.run, err = p.named(run); err == nil {
		p.head, err = runfile.HeadOf(runfile.KindGolden, runnerOf(path, p.run))
	}
	if err != nil {
		return p, fmt.Errorf("golden: %w", located.In(path, err))
	}
	if p.old != nil {
		now, _ := p.old.reduced(p.run.Outputs(), compare.Options{})
		p.Change.Moved = moves(now, p.old.Run.Outputs())
		p.Change.compareWith(p.Report)
		p.Change.Was = &p.old.Run.Provenance
	}
	p.Change.Is = &run.Provenance
	return p, nil
}

// named returns the run with its outputs renamed to the file's names. [Options.Under] says which
// names belong together.
func (p *Pending) named(run *backends.Run) (*backends.Run, error) {
	var file []*tensor.Set
	if p.old != nil {
		file = p.old.Run.Outputs()
	}
	named := fileNames(run.Outputs(), file, p.o.Under)
	if len(named) == 0 {
		return run, nil
	}
	return run.Changed(func(set *tensor.Set) (*tensor.Set, error) {
		var entries []tensor.Entry
		for name, t := range set.All() {
			entries = append(entries, tensor.Entry{Name: cmp.Or(named[name], name), Tensor: t})
		}
		return tensor.NewSet(entries...)
	})
}

// judge reports whether the run matches the old file within the spec's tolerance.
func (p *Pending) judge(old *Reference) bool {
	if p.o.Judge == nil {
		return false
	}
	report, _, err := old.Judge(p.run, p.o.Under, p.o.Judge)
	if err != nil {
		report = compare.Report{Verdict: compare.Fail, Reason: err.Error()}
	}
	p.Report = &report
	return report.Verdict == compare.Pass
}

// Commit carries out the update. If another spec of this test run, in this or another process,
// wants different outputs in the same file, Commit leaves the file unchanged and returns an error:
// either two specs share a name, or the model is not deterministic, and one of the specs would then
// fail against the file. Runs within tolerance of each other, such as two engines' runs, may share
// a file.
func (p *Pending) Commit() (Change, error) {
	if p.Change.Kind == Untouched {
		return p.Change, nil
	}
	err := claim(p, func() error {
		if p.Change.Proposed {
			return p.propose()
		}
		if !p.writes() {
			return nil
		}
		written, err := write(p.Change.Path, p.head, runnerOf(p.Change.Path, p.run), p.o.Layout)
		if err == nil && !written {
			p.Change.Kind = Unchanged
		}
		return err
	})
	if err != nil {
		return Change{Path: p.Change.Path, Kind: Untouched}, fmt.Errorf("golden: %w", err)
	}
	if p.Change.Wrote() {
		_ = summarize(p.Change) // the file counts, not the summary
	}
	return p.Change, nil
}

// Write writes run as the golden file at path and creates the folder if necessary. It replaces an
// existing file even if run is within tolerance of it; specs should use [Prepare] instead. If Write
// fails, an existing file is unchanged.
//
// It returns an error if the run has no iterations, if an iteration has no outputs, or if the run
// has NaN or infinities that o does not allow.
func Write(path string, run *backends.Run, o Options) error {
	err := sound(run, o)
	if err == nil {
		runs := runnerOf(path, run)
		var h runfile.Head
		if h, err = runfile.HeadOf(runfile.KindGolden, runs); err == nil {
			_, err = write(path, h, runs, o.Layout)
		}
	}
	if err != nil {
		return fmt.Errorf("golden: %w", located.In(path, err))
	}
	return nil
}

// runnerOf returns what the golden file at path stores as its runners: this one run, under the name
// that Polygraphy prints for it.
func runnerOf(path string, run *backends.Run) []runfile.Runner {
	return []runfile.Runner{{Name: runfile.NameOf(path), Run: run}}
}
