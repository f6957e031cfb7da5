// Package regular reads regular files and nothing else: a pipe would wait for a writer, and a
// device may have no end. Every reader of this module uses it, as internal/housetest checks: a
// repository can hold a link to a device under the name of any file.
package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Error is the error about something other than a regular file.
type Error struct {
	Mode fs.FileMode
}

// Error says what is there.
func (e *Error) Error() string {
	kind := "a device"
	switch {
	case e.Mode.IsRegular():
		kind = "a file that the system makes up"
	case e.Mode.IsDir():
		kind = "a folder"
	case e.Mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case e.Mode&fs.ModeSocket != 0:
		kind = "a socket"
	}
	return "not a regular file but " + kind
}

// Open opens the regular file at path, which may be a link to one. The error for anything else
// wraps an [*Error].
func Open(path string) (*os.File, error) { return open(system{}, path) }

// OpenBelow is [Open] below a folder, out of which no link leads.
func OpenBelow(folder *os.Root, name string) (*os.File, error) { return open(folder, name) }

// Read returns the bytes of the regular file at path.
func Read(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return data, nil
}

// opener is where files are opened: an [os.Root], or the whole system.
type opener interface {
	Stat(name string) (fs.FileInfo, error)
	OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error)
}

type system struct{}

func (system) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

func (system) OpenFile(path string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag, mode)
}

func open(in opener, path string) (*os.File, error) {
	// First, because opening alone makes some devices act. A failure is reported by OpenFile.
	if info, err := in.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: &Error{info.Mode()}}
	}
	f, err := in.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || made(f, info)) {
		err = &fs.PathError{Op: "open", Path: path, Err: &Error{info.Mode()}}
	}
	if err != nil {
		f.Close() //nolint:errcheck // it was only opened
		return nil, err
	}
	return f, nil
}

// mostBytes exceeds every file system's files; /proc/kcore says it has twice as many.
const mostBytes = 1 << 46

// made reports whether the system makes a file up while it is read, as in /proc: its size is not
// what can be read of it, which may be without end.
func made(f *os.File, info fs.FileInfo) bool {
	if info.Size() > 0 {
		return info.Size() > mostBytes
	}
	_, err := f.ReadAt(make([]byte, 1), 0)
	return !errors.Is(err, io.EOF)
}
