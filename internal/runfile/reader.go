package runfile

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/codec/polygraphy"
	"github.com/modelparity/modelparity/internal/overlay"
	"github.com/modelparity/modelparity/internal/regular"
)

// ProtectedError is the error for a file that an update must not replace, because a person or a
// later version of modelparity wrote it, or because its data is stored elsewhere.
type ProtectedError struct{ error }

func (e *ProtectedError) Unwrap() error { return e.error }

// Protected returns a [ProtectedError] with the formatted text.
func Protected(format string, args ...any) error {
	return &ProtectedError{fmt.Errorf(format, args...)}
}

// ReadFile reads a file of saved outputs and its sidecar data. If a different process replaces the
// file during the read, and so deletes the old file's sidecars, ReadFile tries again.
func ReadFile(ctx context.Context, path string) (runs []Runner, h *Head, err error) {
	path = overlay.Path(overlay.Golden, path)
	for range 20 {
		var read os.FileInfo
		if runs, h, read, err = readFileOnce(ctx, path); err == nil || read == nil {
			break
		}
		now, gone := os.Stat(path)
		if gone != nil || os.SameFile(read, now) && read.ModTime().Equal(now.ModTime()) {
			break // not replaced; a file that replaced it may have the same inode
		}
	}
	return runs, h, err
}

// readFileOnce reads the file once. It also returns information about the file that it read.
func readFileOnce(ctx context.Context, path string) (_ []Runner, _ *Head, info os.FileInfo,
	err error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, nil, nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, nil, nil, err
	}
	runs, h, err := readResults(f, info.Size(), &source{ctx: ctx, path: path})
	if err != nil {
		err = cmp.Or(Leftover(path, err), err)
	}
	return runs, h, info, err
}

// Complete returns an error if the run has no iterations or an iteration has no outputs.
func Complete(run *backends.Run) error {
	if run == nil || len(run.Iterations()) == 0 {
		return fmt.Errorf("the run has no iterations")
	}
	for i, iteration := range run.Iterations() {
		if iteration.Outputs.Len() == 0 {
			return fmt.Errorf("iteration %d of the run has no outputs", i)
		}
	}
	return nil
}

// ReadHead reads a golden file's header without its data. It returns nil if the file has no header.
func ReadHead(path string) (*Head, error) {
	f, err := regular.Open(overlay.Path(overlay.Golden, path))
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // opened read-only
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	text, err := polygraphy.ReadHead(f, info.Size())
	if err != nil || text == nil {
		return nil, err
	}
	h, err := decodeHead(text)
	if err == nil {
		err = h.proves()
	}
	return h, err
}

// HeadAt returns the file header of the golden file at path, or an empty header if the file has no
// valid one.
func HeadAt(path string) *Head {
	h, err := ReadHead(path)
	if err != nil || h == nil {
		return new(Head)
	}
	return h
}

// HoldsAll returns an error if the file contains only a sample of an output.
func (h *Head) HoldsAll() error {
	for _, o := range h.All() {
		if o.Sample != nil {
			return fmt.Errorf("golden: the file contains only %s elements of output %q: only "+
				"MatchGolden can compare with it", o.Elsewhere(), o.Name)
		}
	}
	return nil
}

func IsSum(text string) bool {
	return len(text) == 2*sha256.Size && strings.Trim(text, "0123456789abcdef") == ""
}

// NameOf returns a file's name without folder and extension. A golden file stores it as the name of
// its runner, and Polygraphy prints it.
func NameOf(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
