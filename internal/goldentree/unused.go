package goldentree

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// manifest records what a complete run of a package used on one Platform. It is stored at
// testdata/golden/.usage/<Platform>.json and belongs under version control. Its paths are
// relative to the package's folder, with slashes.
type manifest struct {
	Format int `json:"format"`
	// Specs maps a spec's text to the files that the spec used. If a spec was skipped, the files come
	// from the last run on this Platform that did not skip it.
	Specs   map[string][]string `json:"specs"`
	Unknown []string            `json:"unknown,omitempty"` // specs that were skipped in every run
	// Unused lists the golden files that the run did not use. In manifests that older versions wrote,
	// it is nil.
	Unused []string `json:"unused"`
}

const manifestFormat = 1

// Platform returns the platform's name, which is also the name of this test binary's manifest. The
// name includes the build tags, because they may determine which specs exist and which files the
// specs use.
func Platform() string {
	tags := slices.Sorted(slices.Values(buildTags()))
	return strings.Join(append([]string{runtime.GOOS, runtime.GOARCH}, tags...), "-")
}

// usageFolder returns the folder of the manifests of the package in the given folder.
func usageFolder(folder string) string {
	return filepath.Join(folder, filepath.FromSlash(Folder), ".usage")
}

// readManifests reads the manifests of the package in the given folder. The keys are Platforms.
func readManifests(folder string) (map[string]*manifest, error) {
	paths, err := filepath.Glob(filepath.Join(Escaped(usageFolder(folder)), "*.json"))
	if err != nil {
		return nil, err
	}
	all := map[string]*manifest{}
	for _, path := range paths {
		m := new(manifest)
		text, err := regular.Read(path)
		if err == nil {
			err = json.Unmarshal(text, m)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if m.Format != manifestFormat {
			return nil, fmt.Errorf("%s has format %d, but this modelparity reads format %d",
				path, m.Format, manifestFormat)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".json")] = m
	}
	return all, nil
}

// write writes the manifest of the package under test, and returns its path.
func (m *manifest) write() (path string, err error) {
	path = filepath.Join(usageFolder("."), Platform()+".json")
	text, err := json.MarshalIndent(m, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		_, err = wholefile.Update(path, func(w io.Writer) error {
			_, err := w.Write(append(text, '\n'))
			return err
		})
	}
	return path, err
}

// Unused is a golden file that no complete run used.
type Unused struct {
	File string `json:"file"`
	Why  string `json:"why"` // which runs did not use it, and which specs they skipped
}

// FindUnused lists the golden files under paths that a complete run in mode usage did not use,
// unless a run on another Platform used them. FindUnused runs no specs and deletes no files. If
// there has been no complete run of a package, FindUnused returns an error together with the unused
// files of the other packages.
func FindUnused(paths ...string) (all []Unused, err error) {
	files, err := Files(paths...)
	if err != nil {
		return nil, err
	}
	packages := map[string]map[string]*manifest{}
	var problems []error
	for _, file := range files {
		absolute, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		in, inside := Split(absolute)
		if inside == "" {
			return nil, fmt.Errorf("golden: %s is not in a folder named %s", file, Folder)
		}
		known, met := packages[in]
		if !met {
			folder := filepath.Dir(filepath.Dir(in))
			known, err = readManifests(folder)
			whole := false
			for _, m := range known {
				whole = whole || m.Unused != nil
			}
			if err == nil && !whole {
				err = fmt.Errorf("no complete run has recorded what %[1]s uses: in a Ginkgo suite with "+
					"ginkgoreport.Suite(), run %[2]s=usage go test %[1]s; plain tests cannot record",
					packageText(runfile.Shown(folder)), EnvUpdate)
			}
			if err != nil {
				problems, known = append(problems, fmt.Errorf("golden: %w", err)), nil
			}
			packages[in] = known
		}
		if why := whyUnused(known, Folder+"/"+inside); why != "" {
			all = append(all, Unused{file, why})
		}
	}
	return all, errors.Join(problems...)
}

// uses reports whether any spec in the manifest used the file.
func (m *manifest) uses(file string) bool {
	for _, used := range m.Specs {
		if slices.Contains(used, file) {
			return true
		}
	}
	return false
}

// packageText returns a package's folder in the form that the go command expects, such as ./digits.
func packageText(folder string) string {
	if filepath.IsLocal(folder) && folder != "." {
		return "./" + filepath.ToSlash(folder)
	}
	return filepath.ToSlash(folder)
}

// whyUnused says which runs did not use a file. It returns "" if a run used the file, or if no run
// listed the file as unused.
func whyUnused(manifests map[string]*manifest, file string) string {
	var on, unknown []string
	for _, name := range slices.Sorted(maps.Keys(manifests)) {
		m := manifests[name]
		if m.uses(file) {
			return ""
		}
		if slices.Contains(m.Unused, file) {
			on, unknown = append(on, name), append(unknown, m.Unknown...)
		}
	}
	if len(on) == 0 {
		return ""
	}
	why := "no spec of the package used this file in the complete run on " + strings.Join(on, ", ")
	if len(unknown) > 0 {
		why += fmt.Sprintf("; skipped specs may use the file: %q and %d more", unknown[0],
			len(unknown)-1)
	}
	return why
}

// goldenFiles lists the golden files of the package in this folder. It skips damaged files and
// files of other programs, which users should check themselves.
func goldenFiles() (files []string, err error) {
	err = filepath.WalkDir(filepath.FromSlash(Folder), func(path string, entry fs.DirEntry,
		err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".usage":
			return fs.SkipDir
		case entry.Type().IsRegular() && filepath.Ext(path) == ".json":
			if h, err := runfile.ReadHead(path); err == nil && h != nil && h.Kind == runfile.KindGolden {
				files = append(files, filepath.ToSlash(path))
			}
		}
		return nil
	})
	return files, err
}
