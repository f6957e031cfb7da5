package golden

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/tensor"
)

// Options says what a golden file may hold, and when it is kept. The zero value is the strict
// choice.
type Options struct {
	// AllowNonFinite lets NaN and infinities into a golden file. Without it they are refused:
	// they usually mean that the run was broken.
	AllowNonFinite bool
	// Judge holds the run to an old file by the spec's own tolerance, which Tolerance says in words.
	// [Update] keeps a file that passes; without Judge, only one that holds the run's very bytes.
	// Both sides are what the file has of the outputs; of a sample, its elements.
	Judge     func(now, old *backends.Run) (compare.Report, error)
	Tolerance string
	// Spec is the spec that asks for an update, where one is known, and By where its assertion
	// stands. Both are for errors; a later update of the same spec sees what it staged.
	Spec *Spec
	By   string

	Layout
}

// Read reads the golden file at path. A file that was not written as one, such as Polygraphy's, is
// an error: package runs reads it.
//
// A file that is not there is an error that wraps [fs.ErrNotExist]. A file whose head does not
// agree with its data, or lacks the checksum of an output or its own, is an error that says where.
// (Files of format 1 had no checksum of the head itself.) A file that holds a sample is an error:
// [ReadReference] reads it.
func Read(ctx context.Context, path string) (*backends.Run, error) {
	reference, err := ReadReference(ctx, path)
	if err == nil {
		err = reference.whole()
	}
	if err != nil {
		return nil, err
	}
	return reference.Run, nil
}

// readGolden reads a golden file, with errors that do not name it.
func readGolden(path string) (*backends.Run, *runfile.Head, error) {
	return readGoldenUnder(context.Background(), path)
}

// readGoldenUnder is [readGolden] under a context.
func readGoldenUnder(ctx context.Context, path string) (*backends.Run, *runfile.Head, error) {
	runs, h, err := runfile.ReadFile(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	if h == nil || h.Kind != runfile.KindGolden || len(runs) != 1 {
		return nil, nil, foreign(h, len(runs))
	}
	if err := runfile.Complete(runs[0].Run); err != nil {
		return nil, nil, err
	}
	return runs[0].Run, h, nil
}

// foreign says why a file of runs is not a golden file.
func foreign(h *runfile.Head, runs int) error {
	what := "has no head of modelparity's"
	switch {
	case runs != 1:
		what = fmt.Sprintf("holds %d runs", runs)
	case h != nil:
		what = "is a run that somebody saved"
	}
	return &runfile.ForeignError{Text: "the file was not written as a golden file: it " + what +
		"; compare with it by OfFile, or delete it to write a golden file in its place"}
}

// sound refuses a run that must not be written.
func sound(run *backends.Run, o Options) error {
	err := runfile.Complete(run)
	if err == nil && !o.AllowNonFinite {
		err = finite(run)
	}
	return err
}

// finite is an error that names the first NaN or infinity.
func finite(run *backends.Run) error {
	for i, iteration := range run.Iterations() {
		for name, t := range iteration.Outputs.All() {
			c := compare.CensusOf(t)
			if c.Total() == 0 {
				continue
			}
			at := tensor.Shape(c.First())
			flat := 0
			for axis, length := range t.Shape() {
				flat = flat*length + at[axis]
			}
			return fmt.Errorf("iteration %d, output %q is %s at %v, and a golden file of a broken run "+
				"would be worthless; allow it if the model is meant to give such values",
				i, name, t.Text(flat), at)
		}
	}
	return nil
}

// IsForeign reports whether an error of [Path], [Read] or [Update] is one that no update mends: the
// file is not a golden file, its data is elsewhere, its name is refused, or the system does not
// give it.
func IsForeign(err error) bool {
	foreign, other, system := new(runfile.ForeignError), new(regular.Error), syscall.Errno(0)
	return errors.As(err, &foreign) || errors.As(err, &other) ||
		errors.As(err, &system) && !errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
