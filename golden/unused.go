package golden

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// SpecUse is what one spec did in a run: whether it ran to its end and passed, and the files that
// it asked for ([TakeUses]).
type SpecUse struct {
	Text  string
	Ran   bool
	Files []string
}

// Cleaned is what [RemoveUnused] did.
type Cleaned struct {
	Removed []string // the files that are gone
	Kept    []string // for each file that nothing used and that was kept nevertheless: why
}

// RemoveUnused deletes the golden files under testdata/golden that nothing can want, if the mode is
// [Clean]. Call it once, when every process of the suite has finished; ginkgoreport.Suite does.
// incomplete says why the run did not run the whole suite to its end, "" if it did.
//
// A complete run writes a manifest of what each spec used, <configuration>.json in
// testdata/golden/.usage. A file is deleted if all of this holds:
//
//   - The manifests of all build configurations that [EnvConfigurations] names leave it out, and
//     each Go file of the package is part of one of them.
//   - Every spec that was skipped has run in one of them.
//   - No spec that is still there used it in an earlier run, and no Go file of the module names it.
//   - The folder is the package's own, and no link of the module leads into it.
//   - It is a regular file with a sound head of ours, git tracks it, and it is as git has it.
//
// Where the proof fails as a whole nothing is deleted, and the error says why.
func RemoveUnused(specs []SpecUse, incomplete string) (Cleaned, error) {
	mode, err := Updating()
	if err != nil || mode != Clean {
		return Cleaned{}, err
	}
	late := TakeUses() // of the suite's own nodes, after its last spec
	if _, err := os.Stat(filepath.FromSlash(Folder)); errors.Is(err, fs.ErrNotExist) {
		return Cleaned{}, nil
	}
	if specs = slices.Clone(specs); len(late) > 0 {
		specs = append(specs, SpecUse{Ran: true, Files: late})
	}
	cleaned, err := removeUnused(specs, incomplete)
	if err != nil {
		err = fmt.Errorf("golden: nothing was cleaned: %w", err)
	}
	return cleaned, err
}

func removeUnused(specs []SpecUse, incomplete string) (Cleaned, error) {
	if incomplete != "" {
		return Cleaned{}, errors.New(incomplete)
	}
	if name := chosen(); name != "" {
		return Cleaned{}, fmt.Errorf("-%s chose among the specs", name)
	}
	if err := onlyThisSuite(); err != nil {
		return Cleaned{}, err
	}
	names, err := configurations()
	if err != nil {
		return Cleaned{}, err
	}
	proof, err := gather(names, specs)
	if err != nil {
		return Cleaned{}, err
	}
	if proof.module, err = lookAround(); err != nil {
		return Cleaned{}, err
	}
	return proof.clean()
}

// cleaner is whether somebody is going to call [RemoveUnused].
var cleaner atomic.Bool

// WillClean says that [RemoveUnused] is going to be called when the suite has ended.
func WillClean() { cleaner.Store(true) }

var onceNotCleaned sync.Once

// WhyNotCleaned says, once, that nobody is going to clean although the mode is [Clean], and what to
// do; "" where all is well.
func WhyNotCleaned() (text string) {
	if mode, err := Updating(); err != nil || mode != Clean || cleaner.Load() {
		return ""
	}
	onceNotCleaned.Do(func() {
		text = "golden: no unused file is removed here: plain tests do not tell which of them were " +
			"skipped, so what is unused is not known; it needs a Ginkgo suite with ginkgoreport.Suite()"
	})
	return text
}

// proof is what is known of who wants which golden file.
type proof struct {
	wanted  map[string]bool     // by path relative to the package, slash-separated
	earlier map[string][]string // the specs that are still there and used a file before
	module  surroundings
}

// gather reads and writes the manifests.
func gather(names []string, specs []SpecUse) (proof, error) {
	p := proof{wanted: map[string]bool{}, earlier: map[string][]string{}}
	manifests := make([]*manifest, len(names))
	var err error
	for i, name := range names {
		if manifests[i], err = readManifest(name); err != nil {
			return p, err
		}
		if i > 0 && manifests[i] == nil {
			return p, fmt.Errorf("no complete run of the configuration %s has left %s; make one with "+
				"%s=%s,%s", name, manifestPath(name), EnvConfigurations, name, names[0])
		}
	}
	now, err := p.record(manifests, specs)
	if err != nil {
		return p, err
	}
	manifests[0] = now
	if err := now.write(names[0]); err != nil {
		return p, err
	}
	for i, m := range manifests {
		if m.Sources != now.Sources {
			return p, fmt.Errorf("the manifest of the configuration %s is of other Go files: make a "+
				"complete run of it again", names[i])
		}
		if i == 0 {
			continue // what this run wants is known better than its manifest tells
		}
		for _, files := range m.Specs {
			for _, file := range files {
				p.wanted[file] = true
			}
		}
	}
	return p, covered(names, manifests)
}

// record is the manifest of this run, with what earlier manifests know of specs that did not ask
// now. They were read with that of this configuration first; nil where there was none.
func (p *proof) record(before []*manifest, specs []SpecUse) (m *manifest, err error) {
	m = &manifest{Format: manifestFormat, Specs: map[string][]string{}}
	if m.Build, err = thisBuild(); err != nil {
		return nil, err
	}
	if m.Sources, err = sourcesSum(); err != nil {
		return nil, err
	}
	var unknown []string
	for _, spec := range specs {
		files := append([]string{}, m.Specs[spec.Text]...)
		for _, file := range spec.Files {
			if inside, ok := relative(file); ok {
				files = append(files, inside)
				p.wanted[inside] = true
			}
		}
		known := false
		for i, old := range before {
			if old == nil {
				continue
			}
			used, ran := old.Specs[spec.Text]
			known = known || ran
			for _, file := range used {
				switch {
				case !spec.Ran:
					p.wanted[file] = true
				case i == 0 && !slices.Contains(files, file):
					p.earlier[file] = append(p.earlier[file], spec.Text)
				}
				if i == 0 {
					files = append(files, file)
				}
			}
		}
		if !spec.Ran && !known {
			unknown = append(unknown, fmt.Sprintf("%q", spec.Text))
			continue
		}
		slices.Sort(files)
		m.Specs[spec.Text] = slices.Compact(files)
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("skipped, and no manifest knows what they use: %s; make a complete run "+
			"where they run, in a configuration that %s names", strings.Join(unknown, ", "),
			EnvConfigurations)
	}
	return m, nil
}

// relative is a path inside the package's folder, from there and with slashes.
func relative(path string) (string, bool) {
	for _, folder := range []string{".", unlinked(".")} {
		absolute, err := filepath.Abs(folder)
		if err != nil {
			continue
		}
		inside, err := filepath.Rel(absolute, path)
		if err == nil && filepath.IsLocal(inside) {
			return filepath.ToSlash(inside), true
		}
	}
	return "", false
}

// covered is an error for a Go file of the package that no configuration has: a golden file may be
// that one's.
func covered(names []string, manifests []*manifest) error {
	files, err := goFiles()
	if err != nil {
		return err
	}
	for _, file := range files {
		taken := slices.ContainsFunc(manifests, func(m *manifest) bool {
			ok, err := m.Build.takes(".", file)
			return ok && err == nil
		})
		if !taken && !everIgnored(file) {
			return fmt.Errorf("%s is not part of the build in %s: name the configuration that has it "+
				"in %s, and make a complete run of it", file, strings.Join(names, ", "),
				EnvConfigurations)
		}
	}
	return nil
}

// everIgnored reports whether a Go file is one that only `go run` takes, by its customary tag.
func everIgnored(file string) bool {
	without, err := thisBuild()
	if err != nil {
		return false
	}
	with := without
	with.Tags = append(slices.Clone(without.Tags), "ignore")
	in, errIn := with.takes(".", file)
	out, errOut := without.takes(".", file)
	return errIn == nil && errOut == nil && in && !out
}

// clean deletes what the proof leaves.
func (p proof) clean() (c Cleaned, err error) {
	files, err := filesUnder(filepath.FromSlash(Folder))
	if err != nil {
		return c, err
	}
	for _, path := range files {
		if p.wanted[filepath.ToSlash(path)] {
			continue
		}
		// A damaged file is kept: it is for a person to look at. So are files that are not ours.
		if _, h, err := readFile(path); err != nil || h == nil || h.Kind != kindGolden {
			continue
		}
		if reason := p.keeps(path); reason != "" {
			c.Kept = append(c.Kept, fmt.Sprintf("%s: %s", path, reason))
			continue
		}
		if err := os.Remove(path); err != nil {
			return c, err
		}
		c.Removed = append(c.Removed, path)
	}
	return c, nil
}

// keeps says why a file that no spec used now is kept, "" if it is not.
func (p proof) keeps(path string) string {
	if specs := p.earlier[filepath.ToSlash(path)]; len(specs) > 0 {
		return fmt.Sprintf("%q used it before and is still there; delete it by hand if it is done with",
			specs[0])
	}
	if where := p.module.names(path); where != "" {
		return where + " names it"
	}
	if where := p.module.linksTo(path); where != "" {
		return "the link " + where + " leads to it"
	}
	return notInGit(path)
}

// filesUnder lists the regular .json files below folder.
func filesUnder(folder string) (files []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
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
