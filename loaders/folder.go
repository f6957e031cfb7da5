package loaders

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// folders are where a model's external data may lie, links resolved: the folder that the model is
// named in, and that of the file it is a link to. Caches of downloaded models and build systems
// link each file of a model by itself, so both are needed:
//
//	snapshots/main/model.onnx      -> ../../blobs/1f0c…
//	snapshots/main/model.onnx_data -> ../../blobs/9ab2…
type folders struct {
	named string   // the model's folder as it was named: what locations are relative to
	roots []string // resolved
}

// foldersOf finds them for the model at path.
func foldersOf(path string) (folders, error) {
	named := filepath.Dir(path)
	f := folders{named: named}
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
			return f, reason(err)
		}
		if len(f.roots) == 0 || f.roots[0] != root {
			f.roots = append(f.roots, root)
		}
	}
	return f, nil
}

// foldersIn is one folder that external data lies in.
func foldersIn(folder string) (folders, error) {
	f := folders{named: folder}
	root, err := filepath.EvalSymlinks(folder)
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return f, fmt.Errorf("the folder of external data, %s: %w", folder, reason(err))
	}
	f.roots = []string{root}
	return f, nil
}

// place is where a file of external data lies.
type place struct {
	path   string // as it was named
	root   string // one of the folders
	inside string // from there, without a link
}

// unusable is what is wrong with external data, as the end of a sentence about it.
type unusable string

func (u unusable) Error() string { return string(u) }

// about is the sentence.
func about(location string, err error) error {
	var end unusable
	if errors.As(err, &end) {
		return fmt.Errorf("external data %q %w", location, end)
	}
	return fmt.Errorf("external data %q: %w", location, err)
}

// find resolves the links of a location, which is relative to the folder that the model is named
// in or, if nothing is there, to that of the file it is a link to.
func (f folders) find(location string) (place, error) {
	if !filepath.IsLocal(location) {
		return place{}, unusable("must be a relative path inside the model's folder")
	}
	for _, folder := range append([]string{f.named}, f.roots...) {
		path := filepath.Join(folder, location)
		file, err := filepath.EvalSymlinks(path)
		if err == nil {
			file, err = filepath.Abs(file)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return place{}, reason(err)
		}
		for _, root := range f.roots {
			inside, err := filepath.Rel(root, file)
			if err == nil && filepath.IsLocal(inside) {
				return place{path, root, inside}, nil
			}
		}
		return place{}, unusable("is a link out of the model's folder; copy the data into it")
	}
	return place{}, unusable("is missing; copy it beside the model")
}

// open opens external data below the folder that it was found in. What has become a link out of it
// since, at whichever step of the way, is not followed.
func (f folders) open(location string) (*os.File, error) {
	p, err := f.find(location)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(p.root)
	if err != nil {
		return nil, reason(err)
	}
	defer root.Close()
	// A FIFO would wait for a writer.
	opened, err := root.OpenFile(p.inside, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, reason(err)
	}
	info, err := opened.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = unusable("is not a regular file")
	}
	if err != nil {
		opened.Close()
		return nil, reason(err)
	}
	return opened, nil
}

// outOfReach is the error about external data of a model that has no folder.
func outOfReach(location string) error {
	return about(location, unusable("is out of reach of a model in memory; load it by its path"))
}

// openData opens a file of the model's external data.
func (m *Model) openData(location string) (*os.File, error) {
	if m.dir == "" {
		return nil, outOfReach(location)
	}
	f, err := m.folders.open(location)
	if err != nil {
		return nil, about(location, err)
	}
	return f, nil
}

// WithoutLinks is the model with its external data named by paths without links. It is for engines
// that read the data themselves: they would follow a link wherever it leads at that time, or refuse
// the links that caches of downloaded models consist of. [Model.Dir] of the result is the folder
// that holds all of the data. A model whose data has no links is returned as it is; one in memory
// that has external data is an error.
func (m *Model) WithoutLinks() (*Model, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	if len(m.structure.External) == 0 {
		return m, nil
	}
	if m.dir == "" {
		return nil, m.located(outOfReach(m.structure.External[0].Location))
	}
	linked := false
	common := ""
	files := make([]string, len(m.structure.External))
	plan := &dataPlan{of: map[int64]int{}}
	for i, t := range m.structure.External {
		p, err := m.folders.find(t.Location)
		if err != nil {
			return nil, m.located(about(t.Location, err))
		}
		files[i] = filepath.Join(p.root, p.inside)
		linked = linked || files[i] != filepath.Join(m.folders.roots[0], t.Location)
		if i == 0 {
			common = filepath.Dir(files[i])
		}
		for !within(common, files[i]) {
			common = filepath.Dir(common)
		}
		plan.of[t.At] = i
	}
	if !linked {
		return m, nil
	}
	content, err := m.relocated(plan, func(i int) ([]byte, error) {
		location, err := filepath.Rel(common, files[i])
		t := m.structure.External[i]
		return reference(filepath.ToSlash(location), t.Offset, t.Length), err
	})
	if err != nil {
		return nil, m.located(err)
	}
	return newModel(&Model{dir: common, name: m.name, content: content,
		folders: folders{named: common, roots: []string{common}}}), nil
}

// within reports whether a file lies in a folder or below it.
func within(folder, file string) bool {
	inside, err := filepath.Rel(folder, file)
	return err == nil && inside != ".." && !strings.HasPrefix(inside, ".."+string(filepath.Separator))
}
