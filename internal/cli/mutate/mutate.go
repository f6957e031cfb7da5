// Package mutate measures the power of a suite: it changes the models and golden files that the
// suite's specs open, one at a time, and counts the changes that make a spec fail. Package overlay
// makes the test processes open the changed files.
package mutate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/modelparity/modelparity/internal/overlay"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
)

// Options configure [Suites].
type Options struct {
	PerKind  int           // the largest number of mutants of a kind in a file
	Parallel int           // how many processes run side by side
	Limit    time.Duration // for a spec without a mutant
	// Show is called with the progress of each of the three steps.
	Show func(label string, done, all int)
}

// running holds the state of one call of [Suites].
type running struct {
	Options
	folder string // for files of this call
	kept   string // a folder with a file for each finished job, which an interrupted call leaves

	mu      sync.Mutex
	bypass  []NotMutated
	mutants []*Mutant
}

// Suites measures how many planted faults the test suites in some packages detect. patterns names
// the packages. A call after an interruption continues where the interrupted one stopped if the
// binaries, models and golden files are the same.
func Suites(ctx context.Context, patterns []string, o Options) (_ *Report, err error) {
	folder, err := os.MkdirTemp("", "modelparity-mutate")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	r := &running{Options: o, folder: folder}
	suites, err := compile(ctx, folder, patterns)
	if err != nil {
		return nil, err
	}
	var units []*unit
	for _, s := range suites {
		of, err := s.units(ctx, folder)
		if err != nil {
			return nil, err
		}
		units = append(units, of...)
	}
	err = r.each(ctx, "recording", len(units), func(ctx context.Context, i int) error {
		return r.record(ctx, units[i])
	})
	if err != nil {
		return nil, err
	}
	files, bypassed := subjects(units)
	r.bypass = bypassed
	if err := r.prepare(ctx, files); err != nil {
		return nil, err
	}
	if err := r.resume(suites, files); err != nil {
		return nil, err
	}
	if err := r.test(ctx); err != nil {
		return nil, err
	}
	return r.report(units), os.RemoveAll(r.kept)
}

// each calls do(i) for every i from 0 to n-1, several at a time, and shows the progress.
func (r *running) each(ctx context.Context, label string, n int,
	do func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.Parallel)
	var mu sync.Mutex
	done := 0
	for i := range n {
		group.Go(func() error {
			if err := cmp.Or(context.Cause(ctx), do(ctx, i)); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			r.Show(label, done, n)
			return nil
		})
	}
	return group.Wait()
}

// prepare writes copies of the files with planted faults, which are called mutants. It measures how
// much each fault in a model changes the model's outputs.
func (r *running) prepare(ctx context.Context, files []*subject) error {
	for i, s := range files {
		var err error
		if s.kind == overlay.Golden {
			err = r.prepareGolden(ctx, s)
		} else {
			err = r.prepareModel(ctx, s)
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err != nil {
			r.bypass = append(r.bypass, NotMutated{What: s.shown(), Why: err.Error()})
		}
		r.Show("preparing", i+1, len(files))
	}
	return nil
}

func (r *running) prepareModel(ctx context.Context, s *subject) error {
	original := loaders.ONNX(s.path)
	sites, err := sitesOf(original, r.PerKind)
	if err != nil {
		return err
	}
	for _, site := range sites {
		changed, err := site.plant(original)
		if err != nil {
			r.bypass = append(r.bypass, NotMutated{What: s.shown() + ": " + site.text,
				Why: err.Error()})
			continue
		}
		effect, err := s.effectOf(ctx, changed)
		if err != nil {
			continue // the change did not plant a fault: it broke the model
		}
		m, err := r.add(s, site.kind, site.text, changed.Save)
		if err != nil {
			return err
		}
		if m.Effect = effect; effect != nil && !effect.visible() {
			m.State = invisible
		}
	}
	return nil
}

// add records a copy of the subject's file with a planted fault. It calls write to write the copy.
func (r *running) add(s *subject, kind, text string, write func(path string) error) (*Mutant,
	error) {
	folder := filepath.Join(r.folder, "mutants", fmt.Sprint(len(r.mutants)))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	m := &Mutant{Kind: kind, File: s.shown(), Text: text, State: survived, of: s,
		path: filepath.Join(folder, filepath.Base(s.path))}
	r.mutants = append(r.mutants, m)
	return m, write(m.path)
}

// resume finds the folder with the results of earlier, interrupted calls. Its name depends on the
// binaries and on the files.
func (r *running) resume(suites []*suite, files []*subject) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	key := sha256.New()
	for _, s := range suites {
		fmt.Fprintln(key, s.name, s.sum)
	}
	for _, f := range files {
		fmt.Fprintln(key, f.path, f.sha256)
	}
	r.kept = filepath.Join(cache, "modelparity", "mutate", fmt.Sprintf("%x", key.Sum(nil)))
	return os.MkdirAll(r.kept, 0o755)
}

// job is one test process to run: a test function that opens a file with a planted fault.
type job struct {
	mutant *Mutant
	units  []*unit
}

// file returns the name of the file with the job's result.
func (j job) file() string {
	key := fmt.Sprintf("%q", append(namesOf(j.units), j.mutant.Kind, j.mutant.of.sha256,
		j.mutant.Text))
	return fmt.Sprintf("%x.json", sha256.Sum256([]byte(key)))
}

// test runs, for every file with a planted fault, the specs and plain tests that open the file. It
// leaves out faults that are smaller than the noise.
func (r *running) test(ctx context.Context) error {
	var jobs []job
	for _, m := range r.mutants {
		if m.State == invisible {
			continue
		}
		groups := map[string]int{}
		for _, u := range m.of.units {
			at, known := groups[u.suite.name+" "+u.test]
			if !known {
				at = len(jobs)
				groups[u.suite.name+" "+u.test] = at
				jobs = append(jobs, job{mutant: m})
			}
			jobs[at].units = append(jobs[at].units, u)
		}
	}
	return r.each(ctx, "testing", len(jobs), func(ctx context.Context, i int) error {
		j := jobs[i]
		failed, err := r.run(ctx, j)
		if err != nil {
			return err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		j.mutant.ran = append(j.mutant.ran, j.units...)
		if len(failed) > 0 {
			j.mutant.State = killed
			j.mutant.KilledBy = append(j.mutant.KilledBy, failed...)
		}
		return nil
	})
}

// run runs one test process and returns the names of the specs and tests that failed. If an
// earlier, interrupted command has finished this job, run returns that result. A process that hangs
// counts as a failure of all its specs and tests.
func (r *running) run(ctx context.Context, j job) (failed []string, err error) {
	finished := filepath.Join(r.kept, j.file())
	if text, err := regular.Read(finished); err == nil {
		return failed, json.Unmarshal(text, &failed)
	}
	folder, err := os.MkdirTemp(r.folder, "job")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	limit := time.Minute
	var specs []string
	for _, u := range j.units {
		limit += 10 * u.took
		specs = append(specs, u.specs...)
	}
	got, err := j.units[0].run(ctx, folder, overlay.Overlay{
		Mutant: fmt.Sprintf("%s: %s in %s", j.mutant.Kind, j.mutant.Text, j.mutant.File),
		Files:  map[string]string{j.mutant.of.sha256: j.mutant.path},
	}, j.units[0].test, specs, limit)
	if err != nil {
		return nil, err
	}
	for _, u := range j.units {
		if got.hung || got.failedUnit(u) {
			failed = append(failed, u.name)
		}
	}
	return failed, writeJSON(finished, failed)
}

func writeJSON(path string, content any) error {
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	return wholefile.WriteBytes(path, text)
}
