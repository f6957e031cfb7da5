package golden

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

// manifest is what a complete run of a package used on one platform. It lies at
// testdata/golden/.usage/<platform>.json and belongs under version control. Paths are from the
// package's folder, with slashes.
type manifest struct {
	Format int `json:"format"`
	// Specs are the files that each spec used, by its text. A spec that was skipped has those of the
	// last run on this platform that ran it.
	Specs   map[string][]string `json:"specs"`
	Unknown []string            `json:"unknown,omitempty"` // specs that were skipped in every run
	// Unused are the golden files that the run found and did not use; nil in a manifest of before.
	Unused []string `json:"unused"`
}

const manifestFormat = 1

// platform is what the manifest of this test binary is called: which specs there are, and what
// they use, may depend on it.
func platform() string {
	tags := slices.Sorted(slices.Values(buildTags()))
	return strings.Join(append([]string{runtime.GOOS, runtime.GOARCH}, tags...), "-")
}

// usageFolder is where the manifests of the package in a folder lie.
func usageFolder(folder string) string {
	return filepath.Join(folder, filepath.FromSlash(Folder), ".usage")
}

// readManifests are the manifests of the package in a folder, by platform.
func readManifests(folder string) (map[string]*manifest, error) {
	paths, err := filepath.Glob(filepath.Join(escaped(usageFolder(folder)), "*.json"))
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
			return nil, fmt.Errorf("%s: format %d, this modelparity reads %d", path, m.Format,
				manifestFormat)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".json")] = m
	}
	return all, nil
}

// write writes the manifest of the package that this process tests, and gives its path.
func (m *manifest) write() (path string, err error) {
	path = filepath.Join(usageFolder("."), platform()+".json")
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

// Unused is a golden file that a complete run did not use.
type Unused struct {
	File string `json:"file"`
	Why  string `json:"why"` // which runs did not use it, and what is not known of them
}

// FindUnused lists the golden files under paths that a complete run in mode [Usage] found and did
// not use, unless such a run on another platform did. Nothing is run and nothing is deleted. A
// package without such a run is an error; the files of others are listed nevertheless.
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
		in, inside := splitGolden(absolute)
		if inside == "" {
			return nil, fmt.Errorf("golden: %s is in no folder %s", file, Folder)
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
					"ginkgoreport.Suite(), %[2]s=%[3]s go test %[1]s does; plain tests cannot",
					packageText(runfile.Shown(folder)), EnvUpdate, Usage)
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

// uses reports whether a spec used the file.
func (m *manifest) uses(file string) bool {
	for _, used := range m.Specs {
		if slices.Contains(used, file) {
			return true
		}
	}
	return false
}

// packageText is the folder of a package as the go command wants it.
func packageText(folder string) string {
	if filepath.IsLocal(folder) && folder != "." {
		return "./" + filepath.ToSlash(folder)
	}
	return filepath.ToSlash(folder)
}

// whyUnused says which runs found a file and did not use it, "" if none, or if any run used it.
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
	why := "no spec of its package used it in the complete run on " + strings.Join(on, ", ")
	if len(unknown) > 0 {
		why += fmt.Sprintf("; what skipped specs use is not known, %q and %d more", unknown[0],
			len(unknown)-1)
	}
	return why
}

// goldenFiles lists the golden files of the package in this folder. Damaged files and files of
// others are left out: they are for a person to look at.
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
