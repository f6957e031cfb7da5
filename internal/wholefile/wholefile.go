// Package wholefile writes files atomically: if the process is killed, the disk is full or the
// writer fails, the old file stays unchanged.
//
// Only regular files are replaced or removed. Devices, FIFOs and open descriptors such as
// /dev/stdout are written in place.
package wholefile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/internal/regular"
)

// Write atomically replaces the contents of the file at path with what the function write outputs.
// If several calls run at the same time, the file has the output of one of them. The folder must
// exist. If path is a symbolic link, the link stays, and the file that it points to is written,
// even if that file does not exist yet. If [IsStream] returns true, path is written in place. If
// path is a folder or an existing golden file, Write returns an error.
func Write(path string, write func(io.Writer) error) error {
	_, err := replace(path, write, false)
	return err
}

// WriteBytes is [Write] for data that is in memory.
func WriteBytes(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Append adds data at the end of the file at path, which it creates if it is missing. It makes a
// single write, so that the data of several processes that append to one file does not mix. Without
// data, Append does nothing.
func Append(path string, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// Update is [Write] for the package that owns the file, so it may also replace a golden file. If
// the file already has the same contents, Update leaves the file and its modification time
// unchanged. It reports whether the file was written.
func Update(path string, write func(io.Writer) error) (bool, error) {
	return replace(path, write, true)
}

func replace(path string, write func(io.Writer) error, compare bool) (written bool, err error) {
	target, err := Resolve(path)
	if err != nil {
		return false, explained(path, err)
	}
	switch path = target.Path; {
	case target.stream:
		return true, target.write(write)
	case target.Info != nil && target.Info.IsDir():
		return false, fmt.Errorf("write %s: this is a folder; name a file", path)
	case !compare && target.Info != nil && target.IsGolden():
		return false, fmt.Errorf("write %s: this is a golden file, which only a golden update may "+
			"change; choose a different file", path)
	}
	f, err := temporary(path)
	if err != nil {
		return false, explained(path, err)
	}
	unfinished.Store(f, nil)
	defer func() {
		_, kept := unfinished.LoadAndDelete(f)
		_ = f.Close() // it may be closed already
		if !written {
			err = cmp.Or(err, os.Remove(f.Name()))
		}
		if !written && !kept {
			err = fmt.Errorf("write %s: %w", path, context.Canceled)
		}
	}()
	if err := write(f); err != nil {
		return false, err
	}
	if compare && target.Info != nil {
		if same, err := equal(f.Name(), path); err != nil || same {
			return false, err
		}
	}
	if err = errors.Join(f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return false, explained(path, err)
	}
	return true, nil
}

// unfinished contains the temporary files that are being written.
var unfinished sync.Map

// Abandon removes all temporary files that are being written at the moment. Their writers fail with
// [context.Canceled], and the files that they would have replaced stay unchanged. Use it when the
// process is interrupted, because writing a large file can take longer than a user waits.
func Abandon() {
	for key := range unfinished.Range {
		_, unclaimed := unfinished.LoadAndDelete(key)
		if f := key.(*os.File); unclaimed && f.Close() == nil { // otherwise it is complete
			_ = os.Remove(f.Name()) // nothing could report a failure
		}
	}
}

// equal reports whether two files have the same contents. An old file that cannot be read counts as
// different.
func equal(now, old string) (bool, error) {
	was, err := regular.Sum(old)
	if err != nil {
		return false, nil //nolint:nilerr // it is replaced
	}
	is, err := regular.Sum(now)
	return is == was, err
}

// Remove deletes the regular file at path. It does nothing if the file is missing, or if path is
// anything else, such as a device, a link or a folder.
func Remove(path string) error {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil //nolint:nilerr // a file that cannot be examined is not removed
	}
	return os.Remove(path)
}

// explained adds a remedy to common errors.
func explained(path string, err error) error {
	folder := filepath.Dir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("write %s: the folder %s does not exist", path, folder)
	case errors.Is(err, fs.ErrPermission), strings.Contains(err.Error(), "read-only file system"):
		return fmt.Errorf("write %s: the folder %s cannot be written to: %w", path, folder, err)
	}
	return fmt.Errorf("write %s: %w", path, err)
}
