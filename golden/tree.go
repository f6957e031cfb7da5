package golden

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/located"
	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/tensor"
)

// placed is the paths without the "/..." that the go command's users write; without any, the
// working directory.
func placed(paths []string) []string {
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

// Files lists the golden files under paths, in the order of their names: a path that is a file, and
// under a folder every .json file in a folder testdata/golden, whatever is in it. Without paths it
// is the working directory. Folders of version control and of other tools, whose names begin with a
// dot, and node_modules are left out. A path that does not exist is an error.
func Files(paths ...string) (files []string, err error) {
	seen := map[string]bool{}
	for _, path := range placed(paths) {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("golden: %w", located.In(path, err))
		}
		if !info.IsDir() {
			if !seen[path] {
				seen[path], files = true, append(files, path)
			}
			continue
		}
		if err := goldenIn(path, func(file string) {
			if !seen[file] {
				seen[file], files = true, append(files, file)
			}
		}); err != nil {
			return nil, fmt.Errorf("golden: %w", located.In(path, err))
		}
	}
	slices.Sort(files)
	return files, nil
}

// goldenIn walks through a folder.
func goldenIn(folder string, found func(file string)) error {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	if info, err := os.Lstat(folder); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		folder += string(filepath.Separator) // walk what it leads to
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
			found(path)
		}
		return nil
	})
}

// File is a golden file at a glance. Problem says why it cannot be read as one; then the rest is
// empty.
type File struct {
	Path    string               `json:"path"`
	Bytes   int64                `json:"bytes"`
	Aside   int64                `json:"aside,omitempty"` // bytes of its data that is not in the file
	Problem string               `json:"problem,omitempty"`
	Made    *backends.Provenance `json:"made,omitempty"`
	Outputs []FileOutput         `json:"outputs,omitempty"` // of every iteration
}

// FileOutput is one output of a golden file.
type FileOutput struct {
	Name      string             `json:"name"`
	Iteration int                `json:"iteration"`
	Type      tensor.ElementType `json:"type"`
	Shape     tensor.Shape       `json:"shape"`
	Data      string             `json:"data,omitempty"` // where it is if not in the file
}

// Look reads a golden file as a spec would, every checksum of it, and says what it is or what is
// wrong with it: damage, a Git LFS pointer, both sides of a merge, a file of another kind.
func Look(path string) File {
	f := File{Path: path}
	if info, err := os.Stat(path); err == nil {
		f.Bytes = info.Size()
	}
	if err := confusable(path); err != nil {
		f.Problem = err.Error()
		return f
	}
	run, h, err := readGolden(path)
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

// String is one line: the path, what made the run, and its outputs, or the problem.
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
			outputs = append(outputs, text)
		}
	}
	text := fmt.Sprintf("%s: %v, %s: %s", f.Path, f.Made, orUnknown(f.Made.Model),
		strings.Join(outputs, ", "))
	if last := f.Outputs[len(f.Outputs)-1].Iteration; last > 0 {
		text += fmt.Sprintf(", %d iterations", last+1)
	}
	if f.Aside > 0 {
		text += fmt.Sprintf("; %s beside %s in the file", runfile.BytesText(f.Aside),
			runfile.BytesText(f.Bytes))
	}
	return text
}
