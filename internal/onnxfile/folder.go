package onnxfile

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/modelfiles"
)

// aboutData adds the name of an external data file to an error.
func aboutData(location string, err error) error {
	return modelfiles.About("external data "+strconv.Quote(location), err)
}

// outOfReach returns the error for external data of a model that has no folder.
func outOfReach(location string) error {
	return aboutData(location,
		modelfiles.Unusable("is in a file, but the model has no folder; load the model by its path"))
}

func (m *File) openData(location string) (*os.File, error) {
	if m.Dir == "" {
		return nil, outOfReach(location)
	}
	f, err := m.folders.Open(location)
	if err != nil {
		return nil, aboutData(location, err)
	}
	return f, nil
}

// WithoutLinks returns the model with symbolic links resolved in the paths of its external data.
// Caches of downloaded models contain links instead of files. An engine that reads the data itself
// would either reject a link, or follow the link even if its target has changed since the model was
// loaded. [File.Dir] of the result is a folder that contains all of the data. A model without such
// links is returned unchanged. It is an error if a model in memory has external data.
func (m *File) WithoutLinks() (*File, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	if len(m.Structure.External) == 0 {
		return m, nil
	}
	if m.Dir == "" {
		return nil, m.Located(outOfReach(m.Structure.External[0].Location))
	}
	linked := false
	common := ""
	files := make([]string, len(m.Structure.External))
	for i, t := range m.Structure.External {
		p, err := m.folders.Find(t.Location)
		if err != nil {
			return nil, m.Located(aboutData(t.Location, err))
		}
		files[i] = filepath.Join(p.Root, p.Inside)
		linked = linked || files[i] != filepath.Join(m.folders.Roots[0], t.Location)
		if i == 0 {
			common = filepath.Dir(files[i])
		}
		for !within(common, files[i]) {
			common = filepath.Dir(common)
		}
	}
	if !linked {
		return m, nil
	}
	for i, file := range files {
		location, err := filepath.Rel(common, file)
		if err != nil {
			return nil, m.Located(err)
		}
		files[i] = filepath.ToSlash(location)
	}
	moved, err := m.relocated(files)
	if err != nil {
		return nil, m.Located(err)
	}
	return newFile(&File{Dir: common, Name: m.Name, content: moved.content,
		folders: modelfiles.Folders{Named: common, Roots: []string{common}}}), nil
}

// within reports whether a file is in a folder or below it.
func within(folder, file string) bool {
	inside, err := filepath.Rel(folder, file)
	return err == nil && inside != ".." && !strings.HasPrefix(inside, ".."+string(filepath.Separator))
}
