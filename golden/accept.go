package golden

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// Accept rewrites golden files under paths: those that the last test run in mode [Diff] did not
// match within the specs' tolerances. It replaces each file with the outputs of that run. If all is
// true, Accept also rewrites files whose outputs changed within the tolerance. Accept does not run
// any model. It returns the changes, sorted by path.
//
// Accept first verifies every file, so that it writes exactly what a reviewer saw: the golden file
// must be unchanged since the run, and so must the candidate, which is the new content that the run
// kept. If a check fails, or if no run has compared a file under paths, Accept returns an error and
// writes nothing.
//
// Canceling ctx stops Accept before the next file.
func Accept(ctx context.Context, all bool, paths ...string) ([]Change, error) {
	proposals, err := Review(ctx, paths...)
	if err != nil {
		return nil, err
	}
	var taken []Proposal
	var problems []error
	judged := false
	for _, p := range proposals {
		judged = judged || p.State != Unjudged
		if p.State == Stale {
			problems = append(problems, fmt.Errorf("%s has changed since the run you are accepting; %s",
				p.File, p.Remedy))
		}
		if p.State == Differs || all && p.State == Moved {
			taken = append(taken, p)
		}
	}
	if !judged {
		problems = append(problems, fmt.Errorf("no run with -golden.update=diff has used a golden "+
			"file under %s; first run go test ./... -golden.update=diff",
			strings.Join(goldentree.Placed(paths), ", ")))
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("golden: nothing was accepted: %w", errors.Join(problems...))
	}
	var changes []Change
	for _, p := range taken {
		if err := cmp.Or(context.Cause(ctx), p.accept()); err != nil {
			return changes, fmt.Errorf("golden: %w", err)
		}
		change := *p.Change
		change.Proposed = false
		if change.Kind == Kept {
			change.Kind = Rewritten
		}
		_ = summarize(change) // the file counts, not the summary
		changes = append(changes, change)
	}
	return changes, nil
}

// again is the remedy in error messages: how to repeat the review.
const again = "repeat the review: go test ./... -golden.update=diff"

// proposal reads the golden file at path and returns the proposal for the entry. folder is the
// review folder. It is an error if the path contains a symbolic link or could be confused with
// another path, or if one of the files is not a regular file or cannot be read.
func (e entry) proposal(ctx context.Context, folder, path string) (Proposal, error) {
	p := Proposal{File: wholefile.Shown(path), entry: e, path: path, folder: folder}
	for _, own := range []string{path, runfile.DataFolder(path)} {
		if wholefile.Unlinked(own) != own { // the link could lead outside the tree
			return p, errors.New("its path contains a symbolic link; " +
				"accept the file that the link points to")
		}
	}
	if err := goldentree.Confusable(p.File); err != nil {
		return p, err
	}
	now, err := p.present()
	if err != nil {
		return p, err
	}
	switch {
	case e.Is != "" && now == e.Is:
		p.State = Accepted
	case now != e.Was:
		if p.State, p.Remedy = Stale, again; now == "" {
			p.Remedy += "; if you deleted the golden file and its spec, delete " + e.path(folder) + " too"
		}
	case e.Is == "":
		p.State = Holds
	default:
		p.Change, err = p.change(ctx)
		if p.State = Differs; err == nil && p.Change.Kind == Kept {
			p.State = Moved
		}
	}
	return p, err
}

// present returns the golden file's current checksum, or "" if the file is missing.
func (p Proposal) present() (string, error) {
	info, err := os.Lstat(p.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", errors.New("it is not a regular file")
	}
	return regular.Sum(p.path)
}

// change returns the change that accepting the proposal would make. It compares the golden file
// with the run's candidate.
func (p Proposal) change(ctx context.Context) (*Change, error) {
	candidate := p.candidate()
	if info, err := os.Lstat(candidate); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("the content that the run proposed is missing: %s is not a file; %s",
			candidate, again)
	}
	sum, err := regular.Sum(candidate)
	if err != nil {
		return nil, err
	}
	if sum != p.entry.Is {
		return nil, fmt.Errorf("candidate %s has the sha256 %s, expected %s: it is damaged, or was "+
			"edited by hand; %s", candidate, sum, p.entry.Is, again)
	}
	is, err := readReference(ctx, candidate)
	if err != nil {
		return nil, fmt.Errorf("candidate %s: %w", candidate, err)
	}
	c := &Change{Path: p.File, Kind: Rewritten, Proposed: true, By: p.entry.Change.By,
		Tolerance: p.entry.Change.Tolerance, Is: &is.Run.Provenance}
	if p.entry.Was == "" {
		c.Kind = Created
		in, _ := goldentree.Split(p.path)
		if _, err := os.Stat(filepath.Dir(filepath.Dir(in))); err != nil {
			return nil, fmt.Errorf("the folder of the file's package does not exist: %w", err)
		}
		return c, nil
	}
	was, err := readReference(ctx, p.path)
	switch {
	case err == nil:
		if c.Verdict = compare.Fail; p.entry.Change.Kind == Kept {
			c.Kind, c.Verdict = Kept, compare.Pass
		}
		now, _ := was.reduced(is.Run.Outputs(), compare.Options{})
		old, _ := is.reduced(was.Run.Outputs(), compare.Options{})
		c.Was, c.Moved = &was.Run.Provenance, moves(now, old)
	case goldentree.IsProtected(err):
		return nil, err
	case !wholefile.SaysGolden(p.path):
		return nil, goldentree.NotGolden(err)
	default:
		c.Damage = err.Error()
	}
	return c, nil
}

// candidate returns the path of the file that contains the run's outputs.
func (p Proposal) candidate() string { return kept(filepath.Join(p.folder, "files"), p.entry.Is) }

// accept copies the candidate's sidecar data and then the candidate over the golden file, so that
// the golden file never refers to missing data. If it fails, the golden file is unchanged.
func (p Proposal) accept() error {
	return oneAtATime(p.path, func() error {
		if now, err := p.present(); err != nil || now != p.entry.Was {
			return cmp.Or(err, fmt.Errorf("%s changed during the review; %s", p.File, again))
		}
		if err := os.MkdirAll(filepath.Dir(p.path), 0o755); err != nil {
			return err
		}
		from := runfile.DataFolder(p.candidate())
		h, before := runfile.HeadAt(p.candidate()), runfile.HeadAt(p.path)
		to := &placing{folder: runfile.DataFolder(p.path)}
		var err error
		for _, b := range h.Blobs() {
			if err == nil {
				err = to.copied(b.Path(from), b)
			}
		}
		if err == nil {
			err = copyFile(p.candidate(), p.path, p.entry.Is)
		}
		if err != nil {
			return errors.Join(err, to.undo())
		}
		return removeAside(to.folder, before, *h)
	})
}

// refusal returns the error with which a spec fails in mode [Diff] if an update would change its
// golden file, and otherwise nil.
func (c Change) refusal() error {
	if !c.Proposed || !c.Kind.writes() {
		return nil
	}
	why := cmp.Or(c.Damage, c.Reason, "unknown")
	if c.Kind == Created {
		why = "it does not exist"
	}
	return fmt.Errorf("golden: %s does not match: %s; to accept the change: modelparity golden "+
		"accept %s", c.Path, why, goldentree.Quoted(fromRoot(c.Path)))
}

// fromRoot returns path relative to the root folder of the current Go module or, outside a module,
// relative to the current folder. The result has forward slashes. A path outside that folder is
// returned unchanged.
func fromRoot(path string) string {
	inside, err := filepath.Rel(goldentree.Root("."), wholefile.Unlinked(path))
	if err == nil && filepath.IsLocal(inside) {
		return filepath.ToSlash(inside)
	}
	return path
}
