package goldentree

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/located"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/tensor"
)

// Placed removes the go command's suffix "/..." from paths. If there are no paths, it returns the
// working directory.
func Placed(paths []string) []string {
	if len(paths) == 0 {
		return []string{"."}
	}
	all := slices.Clone(paths)
	for i, path := range all {
		if folder, found := strings.CutSuffix(filepath.ToSlash(path), "/..."); found {
			all[i] = filepath.FromSlash(folder)
		}
	}
	return all
}

// Files lists the golden files under paths, sorted by name. If a path is a file, Files lists that
// file. If a path is a folder, Files lists every .json file below it that is in a folder
// testdata/golden, regardless of content. Without paths, Files searches the working directory. It
// skips node_modules and folders whose names begin with a dot. It returns an error if a path does
// not exist.
func Files(paths ...string) (files []string, err error) {
	add := func(file string) { files = append(files, file) }
	for _, path := range Placed(paths) {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("golden: %w", located.In(path, err))
		}
		if !info.IsDir() {
			add(path)
		} else if err := goldenIn(path, add); err != nil {
			return nil, fmt.Errorf("golden: %w", located.In(path, err))
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// goldenIn calls visit for each golden file below a folder.
func goldenIn(folder string, visit func(file string)) error {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	if info, err := os.Lstat(folder); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		folder += string(filepath.Separator) // if the folder is a link, walk its target
	}
	return filepath.WalkDir(folder, func(path string, item fs.DirEntry, err error) error {
		switch name := item.Name(); {
		case err != nil:
			return err
		case item.IsDir():
			if path != folder && (strings.HasPrefix(name, ".") || name == "node_modules") {
				return fs.SkipDir
			}
			return nil
		case filepath.Ext(name) != ".json":
			return nil
		}
		below, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		at := "/" + filepath.ToSlash(filepath.Join(absolute, below))
		if strings.Contains(at, "/"+Folder+"/") {
			visit(path)
		}
		return nil
	})
}

// File summarizes a golden file. Problem says why the file cannot be read as a golden file; if
// Problem is set, the fields after it are empty.
type File struct {
	Path    string               `json:"path"`
	Bytes   int64                `json:"bytes"`
	Aside   int64                `json:"aside,omitempty"` // size of the sidecar data in bytes
	Problem string               `json:"problem,omitempty"`
	Made    *backends.Provenance `json:"made,omitempty"`
	Outputs []FileOutput         `json:"outputs,omitempty"` // outputs of every iteration
}

// FileOutput is one output of a golden file.
type FileOutput struct {
	Name      string             `json:"name"`
	Iteration int                `json:"iteration"`
	Type      tensor.ElementType `json:"type"`
	Shape     tensor.Shape       `json:"shape"`
	Data      string             `json:"data,omitempty"` // where the data is stored, if not inline
}

// Look reads a golden file as a spec would, verifies every checksum, and summarizes the file. If
// that fails, File.Problem says what is wrong with the file: damage, a Git LFS pointer, merge
// conflict markers, or a different kind of file.
func Look(ctx context.Context, path string) File {
	f := File{Path: path}
	if info, err := os.Stat(path); err == nil {
		f.Bytes = info.Size()
	}
	if err := Confusable(path); err != nil {
		f.Problem = err.Error()
		return f
	}
	run, h, err := Read(ctx, path)
	if err != nil {
		f.Problem = strings.TrimPrefix(located.In(path, err).Error(), path+": ")
		return f
	}
	f.Made = &run.Provenance
	for _, b := range h.Blobs() {
		f.Aside += b.Bytes
	}
	for i, outputs := range h.Runs[0].Iterations {
		for _, o := range outputs {
			f.Outputs = append(f.Outputs, FileOutput{o.Name, i, o.Type, o.Shape, o.Elsewhere()})
		}
	}
	return f
}

// String returns one line: the path, the provenance and the outputs, or the problem.
func (f File) String() string {
	if f.Problem != "" {
		return f.Path + ": " + f.Problem
	}
	var outputs []string
	for _, o := range f.Outputs {
		if o.Iteration == 0 {
			text := fmt.Sprintf("%s %v%v", o.Name, o.Type, o.Shape)
			if o.Data != "" {
				text += " " + o.Data
			}
			outputs = append(outputs, names.Line(text))
		}
	}
	text := fmt.Sprintf("%s: %v, %s: %s", f.Path, f.Made, cmp.Or(f.Made.Model, "unknown"),
		strings.Join(outputs, ", "))
	if last := f.Outputs[len(f.Outputs)-1].Iteration; last > 0 {
		text += fmt.Sprintf(", %d iterations", last+1)
	}
	if f.Aside > 0 {
		text += fmt.Sprintf("; %s in sidecar files, %s in the file",
			runfile.BytesText(f.Aside), runfile.BytesText(f.Bytes))
	}
	return text
}
