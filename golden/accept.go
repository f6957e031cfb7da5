package golden

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Accept makes the golden files under paths hold what the last runs in mode [Diff] gave, where they
// did not hold by their spec's tolerance; with all, also where outputs moved within it. Nothing is
// run. The changes are in the order of the paths.
//
// Every file is looked at before one is written: it must be what the run was held to, and what was
// kept must be what the run gave, both to the byte. Where one is not, or where nothing under the
// paths is to be accepted, it is an error and nothing is written.
//
// Data that belongs in a store is put there under ctx, before the file that needs it is written.
func Accept(ctx context.Context, all bool, paths ...string) ([]Change, error) {
	proposals, err := Review(paths...)
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
		if p.State != Differs && !(all && p.State == Moved) {
			continue
		}
		if err := p.acceptable(); err != nil {
			problems = append(problems, err)
		}
		taken = append(taken, p)
	}
	if !judged {
		problems = append(problems, nothingJudged(paths))
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("golden: nothing was accepted: %w", errors.Join(problems...))
	}
	var changes []Change
	for _, p := range taken {
		if err := p.accept(ctx); err != nil {
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
	return fmt.Errorf("no run has judged a golden file under %s; %s", under(paths), again)
}

// acceptable is an error where what was kept is not the golden file that the entry speaks of.
func (p Proposal) acceptable() error {
	// The folder must be the tree's own: a link in it could lead anywhere.
	if unlinked(p.path) != p.path {
		return fmt.Errorf("%s is reached by a link; accept it where the link leads", p.File)
	}
	if err := confusable(p.File); err != nil {
		return err
	}
	candidate := p.candidate()
	sum, err := sumOfFile(candidate)
	if err != nil {
		return fmt.Errorf("%s: what the run gave is gone: %w; %s", p.File, err, again)
	}
	if sum != p.entry.Is {
		return fmt.Errorf("%s: the sha256 of what was kept in %s is %s: it was damaged, or edited by "+
			"hand; %s", p.File, candidate, sum, again)
	}
	if _, _, err := readGolden(candidate); err != nil {
		return fmt.Errorf("%s: what was kept in %s: %w", p.File, candidate, err)
	}
	return nil
}

// candidate is the file with what the run gave.
func (p Proposal) candidate() string { return kept(filepath.Join(p.folder, "files"), p.entry.Is) }

// accept copies it into the golden file's place, its data first, whole or not at all.
func (p Proposal) accept(ctx context.Context) error {
	return oneAtATime(p.path, func() error {
		if err := os.MkdirAll(filepath.Dir(p.path), 0o755); err != nil {
			return err
		}
		from, h, before := dataFolder(p.candidate()), headAt(p.candidate()), headAt(p.path)
		to := &placing{folder: dataFolder(p.path)}
		err := h.putAll(ctx, from)
		for _, b := range h.blobs() {
			if b.In == needsSidecar && err == nil {
				err = to.copied(b.beside(from), b.beside(to.folder))
			}
		}
		if err == nil {
			err = copyFile(p.candidate(), p.path)
		}
		if err != nil {
			return errors.Join(err, to.undo())
		}
		return removeAside(to.folder, before, *h)
	})
}
