// Package regular reads only regular files. Opening a pipe would wait for a writer, and a device
// may be endless. Every reader in this module uses this package, as internal/housetest checks,
// because a repository may contain a link to a device under any file name.
package regular

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Error is the error for a file that is not a regular file.
type Error struct {
	Mode fs.FileMode
}

// Error says that the file is not a regular one, and which kind it is.
func (e *Error) Error() string {
	kind := "a device"
	switch {
	case e.Mode.IsRegular():
		kind = "a file that the system generates"
	case e.Mode.IsDir():
		kind = "a folder"
	case e.Mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case e.Mode&fs.ModeSocket != 0:
		kind = "a socket"
	}
	return "not a regular file but " + kind
}

// Open opens the regular file at path. The path may be a link to a regular file. For any other kind
// of file, the error wraps an [*Error].
func Open(path string) (*os.File, error) { return open(system{}, path) }

// OpenBelow is [Open] for a file in a folder. It does not follow links that lead out of the folder.
func OpenBelow(folder *os.Root, name string) (*os.File, error) { return open(folder, name) }

// Read returns the bytes of the regular file at path.
func Read(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // the file was only read
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

// Sum returns the SHA-256 of the regular file at path, in hexadecimal.
func Sum(path string) (string, error) {
	f, err := Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // the file was only read
	hash := sha256.New()
	_, err = io.Copy(hash, f)
	return hex.EncodeToString(hash.Sum(nil)), err
}

// opener opens files. It is an [os.Root], or the whole file system.
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
	// Check the kind of file first: opening a device can have side effects. If Stat fails, OpenFile
	// reports the error.
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
		f.Close() //nolint:errcheck // nothing was written
		return nil, err
	}
	return f, nil
}

// mostBytes is larger than any file on a disk. A file that claims to be larger is not stored on a
// disk: the system makes up its contents. For example, /proc/kcore claims twice as many bytes.
const mostBytes = 1 << 46

// made reports whether the system generates a file's contents while the file is read, as in /proc.
// The size of such a file does not match its contents, which may be endless.
func made(f *os.File, info fs.FileInfo) bool {
	if info.Size() > 0 {
		return info.Size() > mostBytes
	}
	_, err := f.ReadAt(make([]byte, 1), 0)
	return !errors.Is(err, io.EOF)
}
