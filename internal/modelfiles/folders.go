// Package modelfiles finds the files of a model and computes their checksum.
package modelfiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelparity/modelparity/internal/regular"
)

// Folders are the folders that may contain a model's other files, with links resolved: the folder
// in the model's path and, if the path is a link, the folder of the file that it links to. Both are
// needed, because caches of downloaded models and build systems link each file separately:
//
//	snapshots/main/model.onnx      -> ../../blobs/1f0c…
//	snapshots/main/model.onnx_data -> ../../blobs/9ab2…
type Folders struct {
	Named string   // the folder in the model's path, to which locations are relative
	Roots []string // resolved
}

// FoldersOf returns the folders of the model at path.
func FoldersOf(path string) (Folders, error) {
	f := Folders{Named: filepath.Dir(path)}
	folder, err := resolved(f.Named)
	if err != nil {
		return f, err
	}
	file, err := resolved(path)
	if err != nil {
		return f, err
	}
	f.Roots = slices.Compact([]string{folder, filepath.Dir(file)})
	return f, nil
}

// resolved returns the absolute path without links. Its errors do not contain the path.
func resolved(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	return path, Reason(err)
}

// FoldersIn returns the [Folders] of a model if all its files are in the given folder.
func FoldersIn(folder string) (Folders, error) {
	root, err := resolved(folder)
	if err != nil {
		err = fmt.Errorf("the folder of external data, %s: %w", folder, err)
	}
	return Folders{folder, []string{root}}, err
}

// Place says where a file of a model lies.
type Place struct {
	Path   string // may contain links
	Root   string // one of the folders in Roots
	Inside string // the path relative to Root, without links
}

// Unusable is an error that says what is wrong with a file. Its text is the end of a sentence that
// begins with the file's name.
type Unusable string

func (u Unusable) Error() string { return string(u) }

// About returns an error that consists of name, such as a file's name, and the message of err. It
// puts a colon between them, unless err wraps an [Unusable].
func About(name string, err error) error {
	var end Unusable
	if errors.As(err, &end) {
		return fmt.Errorf("%s %w", name, end)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Reason removes the path from a file error, for messages that already contain the path.
func Reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// Plain returns an error unless location is a relative path that is separated by slashes and that
// every engine resolves to the same file. Engines interpret other paths differently: ONNX Runtime
// and OpenVINO take "*/_ORT_MEM_ADDR_/*" for an address in memory, OpenVINO drops a leading dot and
// everything before a colon, and the meaning of ".." depends on links.
func Plain(location string) error {
	name := strings.TrimPrefix(location, "./")
	if !fs.ValidPath(name) || strings.HasPrefix(name, ".") || !filepath.IsLocal(name) ||
		!utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsPrint(r) || strings.ContainsRune(`*?:|"<>\`, r)
	}) {
		return Unusable("must be a plain relative path inside the model's folder, such as data/w.bin")
	}
	return nil
}

// Find resolves the symbolic links in a location. The location is relative to the model's folder,
// which is the model's path without its last element. If no such file exists there and the model's
// path is itself a link, the location is relative to the folder of the link's target.
func (f Folders) Find(location string) (Place, error) {
	if !filepath.IsLocal(location) {
		return Place{}, Unusable("must be a relative path inside the model's folder")
	}
	for _, folder := range append([]string{f.Named}, f.Roots...) {
		path := filepath.Join(folder, location)
		file, err := resolved(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Place{}, err
		}
		for _, root := range f.Roots {
			inside, err := filepath.Rel(root, file)
			if err == nil && filepath.IsLocal(inside) {
				return Place{path, root, inside}, nil
			}
		}
		return Place{}, Unusable("is a link out of the model's folder; copy the data into it")
	}
	return Place{}, Unusable("is missing; copy it next to the model")
}

// Open opens the regular file at a location. It does not follow a link out of the model's folder,
// even if the link was created after the call of Find.
func (f Folders) Open(location string) (*os.File, error) {
	p, err := f.Find(location)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(p.Root)
	if err != nil {
		return nil, Reason(err)
	}
	defer root.Close() //nolint:errcheck // only read
	file, err := regular.OpenBelow(root, p.Inside)
	if not := new(regular.Error); errors.As(err, &not) {
		return nil, Unusable("is " + not.Error())
	}
	return file, Reason(err)
}
