package goldentree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// Read reads a golden file. Its errors do not include the path.
func Read(ctx context.Context, path string) (*backends.Run, *runfile.Head, error) {
	runs, h, err := runfile.ReadFile(ctx, path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) && !IsProtected(err) && !wholefile.MayBeGolden(path) {
			err = NotGolden(err)
		}
		return nil, nil, err
	}
	if h == nil || h.Kind != runfile.KindGolden || len(runs) != 1 {
		return nil, nil, ofRuns(h, len(runs))
	}
	if err := runfile.Complete(runs[0].Run); err != nil {
		return nil, nil, err
	}
	return runs[0].Run, h, nil
}

// NotGolden returns the error for a file that is not a golden file, not even a damaged one.
func NotGolden(err error) error {
	return runfile.Protected("it is not a golden file and is left unchanged: %w; to write a golden "+
		"file here, delete it first", err)
}

// ofRuns returns the error for a file that contains runs but was not written as a golden file.
func ofRuns(h *runfile.Head, runs int) error {
	what := "has no modelparity file header"
	switch {
	case runs != 1:
		what = fmt.Sprintf("contains %d runs", runs)
	case h != nil:
		what = "is a saved run"
	}
	return runfile.Protected("the file was not written as a golden file: it %s; to compare with it, "+
		"use OfFile in the spec; to write a golden file instead, delete it", what)
}

// IsProtected reports whether err is an error that an update of the golden file cannot fix: the
// file is not a golden file, its data is stored elsewhere, its name is invalid, the system refuses
// access, or the context was canceled.
func IsProtected(err error) bool {
	protected, irregular, system := new(runfile.ProtectedError), new(regular.Error), syscall.Errno(0)
	return errors.As(err, &protected) || errors.As(err, &irregular) ||
		errors.As(err, &system) && !errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
