package wholefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// Target is the file to which a path leads after all links have been followed.
type Target struct {
	// Path contains no links, except links in /proc to open descriptors.
	Path string
	// Info describes the file. It is nil if the file does not exist yet.
	Info fs.FileInfo

	stream bool
}

// IsStream reports whether the target is written in place and never replaced. This is true for
// every existing file that is neither a regular file nor a folder, and for every open descriptor,
// even of a regular file.
func (t Target) IsStream() bool { return t.stream }

// IsStream reports whether path leads to a stream; see [Target.IsStream].
func IsStream(path string) bool {
	target, err := Resolve(path)
	return err == nil && target.stream
}

// maxLinks is the largest number of links to follow. Linux has the same limit.
const maxLinks = 40

// Resolve follows all links in path. Neither the file nor its folder need exist.
func Resolve(path string) (Target, error) {
	for range maxLinks {
		path = parentResolved(path)
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return Target{Path: path}, nil
		case err != nil:
			return Target{}, err
		case info.Mode()&fs.ModeSymlink == 0:
			return Target{path, info, !info.Mode().IsRegular() && !info.IsDir()}, nil
		}
		if descriptors.MatchString(filepath.ToSlash(filepath.Dir(path))) {
			if info, err = os.Stat(path); err != nil {
				return Target{}, err
			}
			return Target{path, info, !info.IsDir()}, nil
		}
		to, err := os.Readlink(path)
		if err != nil {
			return Target{}, err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return Target{}, &fs.PathError{Op: "follow", Path: path, Err: errors.New("too many links")}
}

// Beside returns an error if links lead from one of the paths to a place outside the folder that
// contains file. Call it before writing files whose paths are derived from file's path: the user
// named file, and did not ask to write anywhere else.
func Beside(file string, paths ...string) error {
	folder := filepath.Dir(parentResolved(file))
	for _, path := range paths {
		target, err := Resolve(path)
		if err != nil {
			return explained(path, err)
		}
		if inside, err := filepath.Rel(folder, target.Path); err != nil || !filepath.IsLocal(inside) {
			return fmt.Errorf("write %s: a link leads out of the folder %s; remove the link", path, folder)
		}
	}
	return nil
}

// Below returns the path of a file in a folder that a user named, and creates missing folders. It
// returns an error if a link leads out of the folder, because the user did not ask to write
// anywhere else.
func Below(folder string, names ...string) (path string, err error) {
	path = filepath.Join(append([]string{folder}, names...)...)
	if err := Beside(filepath.Join(folder, "any"), path); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	return path, nil
}

// descriptors matches the folders in which Linux lists the open files of a process as links.
var descriptors = regexp.MustCompile(`^/proc/[^/]+(/task/[^/]+)?/fd$`)

// parentResolved returns path as an absolute path in which the links in all existing folders are
// resolved, but not a link at path itself.
func parentResolved(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return filepath.Join(Unlinked(filepath.Dir(path)), filepath.Base(path))
}

// Unlinked returns the absolute path with symbolic links resolved in the part that exists, so that
// a file has only one path even before it is created.
func Unlinked(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return filepath.Clean(path)
	}
	rest := ""
	for at := absolute; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return absolute
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// Shown returns path as a relative path if it is inside the working directory, and otherwise
// unchanged.
func Shown(path string) string {
	here, err := filepath.Abs(".")
	if err != nil {
		return path
	}
	for _, from := range []string{here, Unlinked(here)} {
		if inside, err := filepath.Rel(from, path); err == nil && filepath.IsLocal(inside) {
			return inside
		}
	}
	return path
}

// write opens the stream and passes it to the function output.
func (t Target) write(output func(io.Writer) error) error {
	f, err := openStream(t)
	if err != nil {
		return explained(t.Path, err)
	}
	return errors.Join(output(f), f.Close())
}
