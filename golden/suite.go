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

// SuiteUse is what [EndOfSuite] found.
type SuiteUse struct {
	Manifest string   // that was written, in mode [Usage]
	Unused   []string // golden files that nothing is known to want
}

// EndOfSuite lists the golden files under testdata/golden that nothing is known to want. Call it
// once, when every process of the suite has finished; ginkgoreport.Suite does. incomplete says why
// the run did not run the whole suite to its end, "" if it did. After such a run, and where some
// spec was skipped of which no manifest knows what it uses, nothing can be said and nothing is
// listed.
//
// In mode [Usage] it writes the manifest of what each spec used for [CollectUnused],
// testdata/golden/.usage/<configuration>.json, and a run that does not show what is used is an
// error.
func EndOfSuite(specs []SpecUse, incomplete string) (SuiteUse, error) {
	mode, err := Updating()
	if err != nil {
		return SuiteUse{}, err
	}
	late := TakeUses() // of the suite's own nodes, after its last spec
	if _, err := os.Stat(filepath.FromSlash(Folder)); errors.Is(err, fs.ErrNotExist) {
		return SuiteUse{}, nil
	}
	if specs = slices.Clone(specs); len(late) > 0 {
		specs = append(specs, SpecUse{Ran: true, Files: late})
	}
	use, err := suiteUse(mode == Usage, specs, incomplete)
	switch {
	case err == nil:
		return use, nil
	case mode == Usage:
		return use, fmt.Errorf("golden: %w", err)
	}
	return SuiteUse{}, nil // nothing can be said
}

func suiteUse(record bool, specs []SpecUse, incomplete string) (use SuiteUse, err error) {
	if err := complainIncomplete(incomplete); err != nil {
		return use, err
	}
	names, err := configurations()
	if err != nil {
		return use, notRecorded(err)
	}
	now, manifests, err := manifestsOf(names, specs)
	if err != nil {
		return use, notRecorded(err)
	}
	if record {
		if err := now.write(".", names[0]); err != nil {
			return use, notRecorded(err)
		}
		use.Manifest = manifestPath(".", names[0])
	}
	p := proof{folder: ".", names: names, manifests: manifests}
	unwanted, err := p.unwanted()
	if err != nil || len(unwanted) == 0 {
		return use, unknownUse(record, err)
	}
	if p.module, err = lookAround("."); err != nil {
		return use, unknownUse(record, err)
	}
	for _, path := range unwanted {
		if p.asked(path) == "" {
			use.Unused = append(use.Unused, path)
		}
	}
	return use, nil
}

// complainIncomplete is an error for a run that was not of the whole suite.
func complainIncomplete(incomplete string) error {
	if incomplete != "" {
		return notRecorded(errors.New(incomplete))
	}
	if name := chosen(); name != "" {
		return notRecorded(fmt.Errorf("-%s chose among the specs", name))
	}
	b, err := thisBuild()
	if err == nil {
		err = onlyThisSuite(".", b)
	}
	if err != nil {
		return notRecorded(err)
	}
	return nil
}

func notRecorded(err error) error { return fmt.Errorf("no manifest was written: %w", err) }

// unknownUse is not an error where a manifest was written: others may be needed before anything is
// known to be unused.
func unknownUse(recorded bool, err error) error {
	if recorded {
		return nil
	}
	return err
}

// recorder is whether somebody is going to call [EndOfSuite].
var recorder atomic.Bool

// WillEnd says that [EndOfSuite] is going to be called when the suite has ended.
func WillEnd() { recorder.Store(true) }

var onceNotRecorded sync.Once

// WhyNotRecorded says, once, that nobody is going to record what is used although the mode is
// [Usage], and what to do; "" where all is well.
func WhyNotRecorded() (text string) {
	if mode, err := Updating(); err != nil || mode != Usage || recorder.Load() {
		return ""
	}
	onceNotRecorded.Do(func() {
		text = "golden: what is used is not recorded here: plain tests do not tell which of them were " +
			"skipped; it needs a Ginkgo suite with ginkgoreport.Suite()"
	})
	return text
}

// manifestsOf is the manifest of this run, and those of all named configurations, this run's first.
func manifestsOf(names []string, specs []SpecUse) (now *manifest, all []*manifest, err error) {
	before := make([]*manifest, len(names))
	for i, name := range names {
		if before[i], err = readManifest(".", name); err != nil {
			return nil, nil, err
		}
	}
	if now, err = recorded(before, specs); err != nil {
		return nil, nil, err
	}
	return now, append([]*manifest{now}, before[1:]...), nil
}

// recorded is the manifest of this run, with what earlier manifests know of specs that did not ask
// now. They were read with that of this configuration first; nil where there was none.
func recorded(before []*manifest, specs []SpecUse) (m *manifest, err error) {
	m = &manifest{Format: manifestFormat, Specs: map[string][]string{},
		Before: map[string][]string{}}
	if m.Build, err = thisBuild(); err != nil {
		return nil, err
	}
	if m.Sources, err = sourcesSum("."); err != nil {
		return nil, err
	}
	var unknown []string
	for _, spec := range specs {
		files := slices.Clone(m.Specs[spec.Text])
		for _, file := range spec.Files {
			if inside, ok := relative(file); ok {
				files = append(files, inside)
			}
		}
		known := false
		for i, old := range before {
			if old == nil {
				continue
			}
			used, ran := old.Specs[spec.Text]
			known = known || ran
			used = append(slices.Clone(used), old.Before[spec.Text]...)
			switch {
			case !spec.Ran:
				files = append(files, used...)
			case i == 0:
				m.Before[spec.Text] = append(m.Before[spec.Text], used...)
			}
		}
		if !spec.Ran && !known {
			unknown = append(unknown, fmt.Sprintf("%q", spec.Text))
			continue
		}
		m.Specs[spec.Text] = sorted(files)
	}
	for text, used := range m.Before {
		used = slices.DeleteFunc(sorted(used), func(file string) bool {
			return slices.Contains(m.Specs[text], file)
		})
		if m.Before[text] = used; len(used) == 0 {
			delete(m.Before, text)
		}
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("skipped, and no manifest knows what they use: %s; make a complete run "+
			"where they run, in a configuration that %s names", strings.Join(unknown, ", "),
			EnvConfigurations)
	}
	return m, nil
}

// sorted is each of the files once, and never nil.
func sorted(files []string) []string {
	all := append([]string{}, files...)
	slices.Sort(all)
	return slices.Compact(all)
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
