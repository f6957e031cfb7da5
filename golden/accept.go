package golden

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/modelparity/modelparity/internal/codec/polygraphy"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/runfile"
)

// Accept makes the golden files under paths hold what the last runs in mode [Diff] gave, where they
// did not hold by their spec's tolerance; with all, also where outputs moved within it. Nothing is
// run. The changes are in the order of the paths.
//
// Every file is looked at before one is written: it must be the golden file that the run was
// compared with, or still be missing, and what was kept must be what the run gave, to the byte.
// Otherwise, and if no run judged a file under the paths, it is an error and nothing is written.
//
// Ending ctx ends it between two files.
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
			problems = append(problems, fmt.Errorf("%s changed after the run that is to be accepted; "+
				"%s", p.File, again))
		}
		if p.State == Differs || all && p.State == Moved {
			taken = append(taken, p)
		}
	}
	if !judged {
		problems = append(problems, nothingJudged(paths))
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
		if _, err := summarize(change); err != nil {
			change.Unsummarized = err.Error()
		}
		changes = append(changes, change)
	}
	return changes, nil
}

// again is how a review is made.
const again = "make the review again: go test ./... -golden.update=diff"

// nothingJudged is the error about paths of which no run in mode [Diff] has judged a file.
func nothingJudged(paths []string) error {
	return fmt.Errorf("no run has judged a golden file under %s; %s",
		strings.Join(placed(paths), ", "), again)
}

// proposal is what the entry says of the golden file at a path as it is now. Whatever would make it
// wrong to accept is an error: another place than a golden file's, another file than the entry's.
func (e entry) proposal(ctx context.Context, folder, at string) (Proposal, error) {
	p := Proposal{File: runfile.Shown(at), entry: e, path: at, folder: folder}
	for _, own := range []string{at, runfile.DataFolder(at)} {
		if runfile.Unlinked(own) != own { // which could lead anywhere
			return p, errors.New("it is reached by a link; accept it where the link leads")
		}
	}
	if err := confusable(p.File); err != nil {
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
		p.State = Stale
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

// present is the checksum of the golden file as it is, "" if it is missing.
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
	return sumOfFile(p.path)
}

// change computes what accepting would do, from the golden file and from what the run gave.
func (p Proposal) change(ctx context.Context) (*Change, error) {
	candidate := p.candidate()
	if info, err := os.Lstat(candidate); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("what the run gave is gone: %s is not a file; %s", candidate, again)
	}
	sum, err := sumOfFile(candidate)
	if err != nil {
		return nil, err
	}
	if sum != p.entry.Is {
		return nil, fmt.Errorf("the sha256 of what was kept in %s is %s: it was damaged, or edited by "+
			"hand; %s", candidate, sum, again)
	}
	is, err := readReference(ctx, candidate)
	if err != nil {
		return nil, fmt.Errorf("what was kept in %s: %w", candidate, err)
	}
	c := &Change{Path: p.File, Kind: Rewritten, Proposed: true, By: p.entry.Change.By,
		Tolerance: p.entry.Change.Tolerance, Is: &is.Run.Provenance}
	if p.entry.Was == "" {
		c.Kind = Created
		in, _ := splitGolden(p.path)
		if _, err := os.Stat(filepath.Dir(filepath.Dir(in))); err != nil {
			return nil, fmt.Errorf("its package is not there: %w", err)
		}
		return c, nil
	}
	was, err := readReference(ctx, p.path)
	switch {
	case err == nil:
		if p.entry.Change.Kind == Kept {
			c.Kind = Kept
		}
		now, _ := was.Of(is.Run.Outputs())
		old, _ := is.Of(was.Run.Outputs())
		c.Was, c.Moved = &was.Run.Provenance, moves(now, is.head.Runs[0], old, was.head.Runs[0])
	case IsForeign(err):
		return nil, err
	case !beginsAsOurs(p.path):
		return nil, fmt.Errorf("it is not a golden file, and stays: %w; delete it to write one", err)
	default:
		c.Damage = err.Error()
	}
	return c, nil
}

// beginsAsOurs reports whether a file begins as golden files do, whatever became of the rest.
func beginsAsOurs(path string) bool {
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // it was only read
	start := make([]byte, 64)
	n, _ := io.ReadFull(f, start)
	return ourStart.Match(start[:n])
}

var ourStart = regexp.MustCompile(`^\s*\{\s*"` + polygraphy.HeadKey + `"\s*:`)

// candidate is the file with what the run gave.
func (p Proposal) candidate() string { return kept(filepath.Join(p.folder, "files"), p.entry.Is) }

// accept copies it into the golden file's place, its data first, whole or not at all.
func (p Proposal) accept() error {
	return oneAtATime(p.path, func() error {
		if now, err := p.present(); err != nil || now != p.entry.Was {
			return cmp.Or(err, fmt.Errorf("%s changed meanwhile; %s", p.File, again))
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
				err = to.copied(b.Beside(from), b)
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
