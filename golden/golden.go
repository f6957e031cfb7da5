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

// Options control what a golden file may hold and when an update keeps the old file. The zero
// value is the strictest.
type Options struct {
	// AllowNonFinite permits NaN and infinities in a golden file. They are rejected by default
	// because they usually mean that the run was broken.
	AllowNonFinite bool
	// Judge compares the new run with the old file by the spec's own tolerance; Tolerance describes
	// that tolerance in words. [Update] keeps a file that passes. Without Judge, [Update] keeps
	// only a file that holds exactly this run. For sampled outputs, both runs passed to Judge
	// contain only the sampled elements.
	Judge     func(now, old *backends.Run) (compare.Report, error)
	Tolerance string
	// Spec is the spec that requests the update, if known; an update takes into account the updates
	// that the same spec staged before. By is the location of the spec's assertion, for error
	// messages.
	Spec *Spec
	By   string

	Layout
}

// Read reads the golden file at path. It rejects files that were not written as golden files,
// such as Polygraphy's; package runs reads those.
//
// If the file does not exist, the error wraps [fs.ErrNotExist]. If the head disagrees with the
// data, or lacks an output's checksum or its own checksum, the error says where. (Files of
// format 1 have no checksum of the head itself.) A file that holds only a sample is an error:
// use [ReadReference].
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

// readGolden reads a golden file. Its errors do not include the path.
func readGolden(path string) (*backends.Run, *runfile.Head, error) {
	return readGoldenUnder(context.Background(), path)
}

// readGoldenUnder is [readGolden] with a context.
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
	what := "has no modelparity head"
	switch {
	case runs != 1:
		what = fmt.Sprintf("holds %d runs", runs)
	case h != nil:
		what = "is a saved run"
	}
	return &runfile.ForeignError{Text: "the file was not written as a golden file: it " + what +
		"; compare with it by OfFile, or delete it to write a golden file instead"}
}

// sound returns an error if the run must not be written to a golden file.
func sound(run *backends.Run, o Options) error {
	err := runfile.Complete(run)
	if err == nil && !o.AllowNonFinite {
		err = finite(run)
	}
	return err
}

// finite returns an error that names the first NaN or infinity.
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
			return fmt.Errorf("iteration %d, output %q is %s at %v, which usually means a broken run; "+
				"allow non-finite values if the model is meant to produce them",
				i, name, t.Text(flat), at)
		}
	}
	return nil
}

// IsForeign reports whether err, returned by [Path], [Read] or [Update], has a cause that an
// update cannot fix: the file is not a golden file, its data is stored elsewhere, its name is
// invalid, the system refuses access, or the context was canceled.
func IsForeign(err error) bool {
	foreign, other, system := new(runfile.ForeignError), new(regular.Error), syscall.Errno(0)
	return errors.As(err, &foreign) || errors.As(err, &other) ||
		errors.As(err, &system) && !errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
