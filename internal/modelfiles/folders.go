// Package modelfiles finds and sums up the files that a model consists of.
package modelfiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelparity/modelparity/internal/regular"
)

// Folders are where the other files of a model may lie, links resolved: the folder that the model
// is named in, and that of the file it is a link to. Caches of downloaded models and build systems
// link each file of a model by itself, so both are needed:
//
//	snapshots/main/model.onnx      -> ../../blobs/1f0c…
//	snapshots/main/model.onnx_data -> ../../blobs/9ab2…
type Folders struct {
	Named string   // the model's folder as it was named: what locations are relative to
	Roots []string // resolved
}

// FoldersOf finds them for the model at path.
func FoldersOf(path string) (Folders, error) {
	named := filepath.Dir(path)
	f := Folders{Named: named}
	for _, at := range []func() (string, error){
		func() (string, error) { return filepath.EvalSymlinks(named) },
		func() (string, error) {
			file, err := filepath.EvalSymlinks(path)
			return filepath.Dir(file), err
		},
	} {
		root, err := at()
		if err == nil {
			root, err = filepath.Abs(root)
		}
		if err != nil {
			return f, Reason(err)
		}
		if len(f.Roots) == 0 || f.Roots[0] != root {
			f.Roots = append(f.Roots, root)
		}
	}
	return f, nil
}

// FoldersIn is one folder that the files lie in.
func FoldersIn(folder string) (Folders, error) {
	f := Folders{Named: folder}
	root, err := filepath.EvalSymlinks(folder)
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return f, fmt.Errorf("the folder of external data, %s: %w", folder, Reason(err))
	}
	f.Roots = []string{root}
	return f, nil
}

// Place is where a file of a model lies.
type Place struct {
	Path   string // as it was named
	Root   string // one of the folders
	Inside string // from there, without a link
}

// Unusable is what is wrong with a file, as the end of a sentence about it.
type Unusable string

func (u Unusable) Error() string { return string(u) }

// About is the sentence.
func About(what string, err error) error {
	var end Unusable
	if errors.As(err, &end) {
		return fmt.Errorf("%s %w", what, end)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Reason is a file error without the path, which the message already names.
func Reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// Plain returns an error unless a location that a model names is a relative path with slashes that
// every engine takes for the same file. Engines give other names meanings of their own: ONNX
// Runtime and OpenVINO read memory at "*/_ORT_MEM_ADDR_/*", OpenVINO drops a leading dot and all
// before a colon, and a way through ".." depends on links.
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

// Find resolves the links of a location, which is relative to the folder that the model is named in
// or, if nothing is there, to that of the file it is a link to.
func (f Folders) Find(location string) (Place, error) {
	if !filepath.IsLocal(location) {
		return Place{}, Unusable("must be a relative path inside the model's folder")
	}
	for _, folder := range append([]string{f.Named}, f.Roots...) {
		path := filepath.Join(folder, location)
		file, err := filepath.EvalSymlinks(path)
		if err == nil {
			file, err = filepath.Abs(file)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Place{}, Reason(err)
		}
		for _, root := range f.Roots {
			inside, err := filepath.Rel(root, file)
			if err == nil && filepath.IsLocal(inside) {
				return Place{path, root, inside}, nil
			}
		}
		return Place{}, Unusable("is a link out of the model's folder; copy the data into it")
	}
	return Place{}, Unusable("is missing; copy it beside the model")
}

// Open opens the regular file at a location below the folder that it was found in. What has become
// a link out of it since, at whichever step of the way, is not followed.
func (f Folders) Open(location string) (*os.File, error) {
	p, err := f.Find(location)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(p.Root)
	if err != nil {
		return nil, Reason(err)
	}
	defer root.Close() //nolint:errcheck // it was only read
	file, err := regular.OpenBelow(root, p.Inside)
	if not := new(regular.Error); errors.As(err, &not) {
		return nil, Unusable("is " + not.Error())
	}
	return file, Reason(err)
}
