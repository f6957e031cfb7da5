package wholefile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// Target is what a path leads to once every link is followed.
type Target struct {
	// Path has no links left in it, but for those of /proc to open descriptors.
	Path string
	// Info is what is there; nil where nothing is yet.
	Info fs.FileInfo

	stream bool
}

// IsStream reports whether the target is written to and never replaced: whatever exists and is
// neither a regular file nor a folder, and every open descriptor, a regular file's too.
func (t Target) IsStream() bool { return t.stream }

// IsStream reports whether path leads to a stream, see [Target.IsStream].
func IsStream(path string) bool {
	target, err := Resolve(path)
	return err == nil && target.stream
}

// maxLinks is how many links in a row are followed; Linux follows 40.
const maxLinks = 40

// Resolve follows the links of path, also to a file that does not exist yet, in a folder that does
// not exist yet.
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

// descriptors is where Linux lists the open files of a process, as links.
var descriptors = regexp.MustCompile(`^/proc/[^/]+(/task/[^/]+)?/fd$`)

// parentResolved is path, absolute, with the links of its folder resolved as far as that exists.
func parentResolved(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	rest := filepath.Base(path)
	for folder := filepath.Dir(path); ; folder = filepath.Dir(folder) {
		if resolved, err := filepath.EvalSymlinks(folder); err == nil {
			return filepath.Join(resolved, rest)
		}
		if folder == filepath.Dir(folder) {
			return path
		}
		rest = filepath.Join(filepath.Base(folder), rest)
	}
}

// write gives a stream what a writer writes.
func (t Target) write(write func(io.Writer) error) error {
	f, err := openStream(t)
	if err != nil {
		return explained(t.Path, err)
	}
	return errors.Join(write(f), f.Close())
}
