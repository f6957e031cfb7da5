package mutate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/overlay"
	"github.com/modelparity/modelparity/internal/reportfile"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// subject is a file to plant faults into, with the specs and tests that open the file.
type subject struct {
	kind   string // overlay.Model or overlay.Golden
	path   string
	sha256 string
	units  []*unit
	inputs []string // files of inputs on which units ran the model
	base   map[string]*base
}

// shown returns the subject's path for messages.
func (s *subject) shown() string { return filepath.ToSlash(wholefile.Shown(s.path)) }

// mostInputs is the largest number of files of inputs on which a fault's effect is measured.
const mostInputs = 6

// record runs a spec or test on unchanged files and records which files it opens.
func (r *running) record(ctx context.Context, u *unit) error {
	folder, err := os.MkdirTemp(r.folder, "record")
	if err != nil {
		return err
	}
	start := time.Now()
	got, err := u.run(ctx, folder, overlay.Overlay{Record: folder}, u.test, u.specs, r.Limit)
	if err != nil {
		return err
	}
	u.took = time.Since(start)
	switch {
	case got.hung:
		u.left = fmt.Sprintf("it did not end within %v", r.Limit)
	case got.failed != nil:
		u.left = "it already fails with unchanged files: " + reasonIn(got)
	case strings.Contains(string(got.output), "\n--- SKIP: "+u.test):
		u.left = "it was skipped"
	}
	for _, text := range u.specs {
		if spec := got.specs[text]; spec.State == reportfile.Skipped && u.left == "" {
			u.left = "it was skipped: " + firstLine(spec.Reason())
		}
	}
	u.uses, err = overlay.Recorded(folder)
	for i, use := range u.uses {
		inside, wrong := filepath.Rel(u.copied, use.Path)
		if wrong == nil && use.Path != "" && filepath.IsLocal(inside) {
			u.uses[i].Path = filepath.Join(u.root, inside)
		}
	}
	return err
}

// reasonIn returns the first line of the failure that a process reported.
func reasonIn(r result) string {
	for _, spec := range r.specs {
		if spec.Failed() && spec.Failure != nil {
			return firstLine(spec.Failure.Message)
		}
	}
	for line := range strings.Lines(string(r.output)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "=== ") {
			return line
		}
	}
	return r.failed.Error()
}

func firstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}

// subjects returns the files that the specs and tests open, sorted by path. bypassed lists the
// specs and tests that fail or are skipped even without a fault, and those whose model is not a
// file that can be replaced.
func subjects(units []*unit) (all []*subject, bypassed []NotMutated) {
	of := map[string]*subject{}
	for _, u := range units {
		if u.left != "" {
			bypassed = append(bypassed, NotMutated{What: u.name, Why: u.left})
			continue
		}
		opens := slices.ContainsFunc(u.uses, func(use overlay.Use) bool {
			return use.Kind == overlay.Model
		})
		for _, use := range u.uses {
			switch use.Kind {
			case overlay.Bypass:
				// If the unit also opened a model file, assume that the model in memory was made
				// from it.
				if left := (NotMutated{u.name, "it runs " + use.Text + ", but only ONNX files opened by " +
					"the loaders package can be mutated"}); !opens && !slices.Contains(bypassed, left) {
					bypassed = append(bypassed, left)
				}
				continue
			case overlay.Inputs:
				if s := of[use.SHA256]; s != nil && !slices.ContainsFunc(s.inputs, func(file string) bool {
					return filepath.Base(file) == filepath.Base(use.Inputs) // the name is a checksum
				}) {
					s.inputs = append(s.inputs, use.Inputs)
				}
				continue
			}
			s := of[use.SHA256]
			if s == nil {
				s = &subject{kind: use.Kind, path: use.Path, sha256: use.SHA256, base: map[string]*base{}}
				of[use.SHA256] = s
				all = append(all, s)
			}
			if !slices.Contains(s.units, u) {
				s.units = append(s.units, u)
			}
		}
	}
	slices.SortFunc(all, func(a, b *subject) int { return strings.Compare(a.path, b.path) })
	slices.SortFunc(bypassed, func(a, b NotMutated) int { return strings.Compare(a.What, b.What) })
	return all, bypassed
}
