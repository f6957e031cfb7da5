package golden

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Collected is what [CollectUnused] did in one package.
type Collected struct {
	Package string   `json:"package"` // its folder
	Removed []string `json:"removed"` // the files that are gone, or would be
	Kept    []string `json:"kept"`    // for each file that nothing used and that was kept: why
	// Refused is why nothing was deleted, "" where the proof holds.
	Refused string `json:"refused,omitempty"`
}

// CollectUnused deletes the golden files under paths that nothing can want, by the manifests that
// complete runs in mode [Usage] left; nothing is run. With look nothing is deleted. A file is
// deleted if all of this holds:
//
//   - There are manifests in testdata/golden/.usage, among them those of all configurations that
//     [EnvConfigurations] names. All are of the package's Go files as they are, they all leave the
//     file out, and each Go file of the package is part of one of them.
//   - Every spec that was skipped has run in one of them. No spec that is still there used the file
//     in an earlier run, and no Go file of the module names it.
//   - The package has no other test than its Ginkgo suite, the folder is the package's own, and no
//     link of the module leads into it.
//   - It is a regular file with a sound head of ours, git tracks it, and it is as git has it, with
//     all of its data beside it, which goes with it.
//
// Data beside golden files that no head names goes too, where git could give it back.
//
// Where the proof fails as a whole nothing of the package is deleted, and Refused says why.
func CollectUnused(look bool, paths ...string) (all []Collected, err error) {
	packages, below, err := packagesOf(paths)
	if err != nil {
		return nil, err
	}
	for _, folder := range packages {
		c := Collected{Package: shown(folder), Removed: []string{}, Kept: []string{}}
		err := c.collectLeft(look, filepath.Join(folder, filepath.FromSlash(Folder)))
		if err == nil {
			err = c.collect(look, folder, below[folder])
		}
		if err != nil {
			c.Refused = err.Error()
		}
		all = append(all, c)
	}
	return all, nil
}

// packagesOf is the folders of the packages that the golden files under paths belong to, and for
// each the files, all absolute.
func packagesOf(paths []string) (folders []string, below map[string][]string, err error) {
	files, err := Files(paths...)
	if err != nil {
		return nil, nil, err
	}
	below = map[string][]string{}
	for _, file := range files {
		absolute, err := filepath.Abs(file)
		if err != nil {
			return nil, nil, err
		}
		inner := filepath.FromSlash("/" + Folder + "/")
		at := strings.LastIndex(absolute, inner)
		if at < 0 {
			return nil, nil, fmt.Errorf("golden: %s is in no folder %s", file, Folder)
		}
		folder := filepath.Clean(absolute[:at] + string(filepath.Separator))
		if _, known := below[folder]; !known {
			folders = append(folders, folder)
		}
		below[folder] = append(below[folder], absolute)
	}
	return folders, below, nil
}

// collect deletes those of the files of the package in a folder that the proof leaves.
func (c *Collected) collect(look bool, folder string, files []string) error {
	p, err := proofOf(folder)
	if err != nil {
		return err
	}
	unwanted, err := p.unwanted()
	if err != nil {
		return err
	}
	if p.module, err = lookAround(folder); err != nil {
		return err
	}
	for _, inside := range unwanted {
		path := filepath.Join(folder, inside)
		if !slices.Contains(files, path) {
			continue
		}
		reason := p.asked(inside)
		all := withData(path)
		for _, file := range all {
			if reason == "" {
				if reason = notInGit(file); reason != "" && file != path {
					reason = fmt.Sprintf("of its data %s, %s", shown(file), reason)
				}
			}
		}
		if reason != "" {
			c.Kept = append(c.Kept, fmt.Sprintf("%s: %s", shown(path), reason))
			continue
		}
		if err := c.remove(look, all); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes a golden file and then what is its alone, or only says so.
func (c *Collected) remove(look bool, files []string) error {
	for _, file := range files {
		if !look {
			if err := os.Remove(file); err != nil {
				return err
			}
			_ = os.Remove(filepath.Dir(file)) // which fails, as it should, where anything is left in it
		}
		c.Removed = append(c.Removed, shown(file))
	}
	return nil
}

// withData is a golden file and its data beside it.
func withData(path string) []string {
	all := []string{path}
	for _, b := range headAt(path).blobs() {
		if at := b.beside(dataFolder(path)); b.In == needsSidecar {
			all = append(all, at)
		}
	}
	return all
}

// collectLeft deletes the data beside golden files that no head names: an update that was
// interrupted left it. It goes only where the file it lies beside is sound or gone, and where git
// could give it back; what git never had could be that of another branch.
func (c *Collected) collectLeft(look bool, folder string) error {
	all, err := leftIn(folder)
	for _, path := range all {
		if reason := notInGit(path); reason != "" {
			c.Kept = append(c.Kept, fmt.Sprintf("%s: no golden file names this data, but %s; delete it by "+
				"hand", shown(path), reason))
		} else if err := c.remove(look, []string{path}); err != nil {
			return err
		}
	}
	return err
}

// proof is what is known of who wants which golden file of a package.
type proof struct {
	folder    string // of the package
	names     []string
	manifests []*manifest
	module    surroundings
}

// proofOf reads the manifests of a package.
func proofOf(folder string) (p proof, err error) {
	p.folder = folder
	paths, err := filepath.Glob(manifestPath(escaped(folder), "*"))
	if err != nil {
		return p, err
	}
	for _, path := range paths {
		p.names = append(p.names, strings.TrimSuffix(filepath.Base(path), ".json"))
	}
	named, err := configurations()
	if err != nil {
		return p, err
	}
	for _, name := range named {
		if os.Getenv(EnvConfigurations) != "" && !slices.Contains(p.names, name) {
			p.names = append(p.names, name)
		}
	}
	if len(p.names) == 0 {
		return p, noManifest(folder, named[0])
	}
	for _, name := range p.names {
		m, err := readManifest(folder, name)
		if err != nil {
			return p, err
		}
		p.manifests = append(p.manifests, m)
	}
	for i, m := range p.manifests {
		if m == nil {
			return p, noManifest(folder, p.names[i])
		}
		if err := onlyThisSuite(folder, m.Build); err != nil {
			return p, err
		}
	}
	return p, nil
}

// noManifest says how to make one.
func noManifest(folder, configuration string) error {
	setting := ""
	if configuration != "default" {
		setting = EnvConfigurations + "=" + configuration + " "
	}
	return fmt.Errorf("no complete run of the configuration %s has left %s; make one: "+
		"%s%s=%s go test ./%s", configuration, shown(manifestPath(folder, configuration)), setting,
		EnvUpdate, Usage, filepath.ToSlash(shown(folder)))
}

// unwanted lists the golden files that no manifest wants, from the package's folder. Manifests that
// leave something open are an error.
func (p proof) unwanted() (files []string, err error) {
	sources, err := sourcesSum(p.folder)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for i, m := range p.manifests {
		if m == nil {
			return nil, noManifest(p.folder, p.names[i])
		}
		if m.Sources != sources {
			return nil, fmt.Errorf("the manifest of the configuration %s is of other Go files: make a "+
				"complete run of it again, with %s=%s", p.names[i], EnvUpdate, Usage)
		}
		for _, used := range m.Specs {
			for _, file := range used {
				wanted[file] = true
			}
		}
	}
	if err := p.covered(); err != nil {
		return nil, err
	}
	all, err := filesUnder(filepath.Join(p.folder, filepath.FromSlash(Folder)))
	if err != nil {
		return nil, err
	}
	for _, path := range all {
		inside, err := filepath.Rel(p.folder, path)
		if err != nil {
			return nil, err
		}
		if wanted[filepath.ToSlash(inside)] {
			continue
		}
		// A damaged file is kept: it is for a person to look at. So are files that are not ours.
		_, h, err := readFile(context.Background(), path)
		if err == nil && h != nil && h.Kind == kindGolden {
			files = append(files, inside)
		}
	}
	return files, nil
}

// covered is an error for a Go file of the package that no configuration has: a golden file may be
// that one's.
func (p proof) covered() error {
	files, err := goFiles(p.folder)
	if err != nil {
		return err
	}
	for _, file := range files {
		taken := slices.ContainsFunc(p.manifests, func(m *manifest) bool {
			ok, err := m.Build.takes(p.folder, file)
			return ok && err == nil
		})
		if !taken && !p.everIgnored(file) {
			return fmt.Errorf("%s is not part of the build in %s: make a complete run of a configuration "+
				"that has it, and name it: %s=NAME %s=%s", file, strings.Join(p.names, ", "),
				EnvConfigurations, EnvUpdate, Usage)
		}
	}
	return nil
}

// everIgnored reports whether a Go file is one that only `go run` takes, by its customary tag.
func (p proof) everIgnored(file string) bool {
	without := p.manifests[0].Build
	with := without
	with.Tags = append(slices.Clone(without.Tags), "ignore")
	in, errIn := with.takes(p.folder, file)
	out, errOut := without.takes(p.folder, file)
	return errIn == nil && errOut == nil && in && !out
}

// asked says who may want a file that no manifest does, "" if nobody is known to.
func (p proof) asked(inside string) string {
	for _, m := range p.manifests {
		for spec, files := range m.Before {
			if slices.Contains(files, filepath.ToSlash(inside)) {
				return fmt.Sprintf("%q used it before and is still there; delete it by hand if it is done "+
					"with", spec)
			}
		}
	}
	if where := p.module.names(inside); where != "" {
		return where + " names it"
	}
	if where := p.module.linksTo(filepath.Join(p.folder, inside)); where != "" {
		return "the link " + where + " leads to it"
	}
	return ""
}

// filesUnder lists the regular .json files below folder.
func filesUnder(folder string) (files []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fs.SkipAll
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".usage":
			return fs.SkipDir
		case entry.Type().IsRegular() && filepath.Ext(path) == ".json":
			files = append(files, path)
		}
		return nil
	})
	return files, err
}
