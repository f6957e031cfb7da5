package golden

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/runfile"
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
	Unused   []string // golden files that no complete run used
}

// TakeUses lists, once, the files that specs of this process asked for since it was called last. A
// runner calls it when a spec has ended, and hands it to [EndOfSuite].
func TakeUses() []string { return runfile.TakeUses() }

// EndOfSuite lists the golden files under testdata/golden that no complete run used. Call it once,
// when every process of the suite has finished; ginkgoreport.Suite does. incomplete says why the
// run did not run the whole suite to its end, "" if it did. After such a run, or one that skipped a
// spec of which no earlier run tells what it uses, nothing is listed.
//
// In mode [Usage] it writes the manifest of what each spec used for [FindUnused],
// testdata/golden/.usage/<platform>.json, and a run that does not show what is used is an error.
func EndOfSuite(specs []SpecUse, incomplete string) (SuiteUse, error) {
	mode, err := Updating()
	if err != nil {
		return SuiteUse{}, err
	}
	late := runfile.TakeUses() // of the suite's own nodes, after its last spec
	if _, err := os.Stat(filepath.FromSlash(Folder)); errors.Is(err, fs.ErrNotExist) {
		return SuiteUse{}, nil
	}
	if specs = slices.Clone(specs); len(late) > 0 {
		specs = append(specs, SpecUse{Ran: true, Files: late})
	}
	use, err := suiteUse(mode == Usage, specs, cmp.Or(incomplete, chosen(), elsewhereUsed()))
	switch {
	case err == nil:
		return use, nil
	case mode == Usage:
		return use, fmt.Errorf("golden: no manifest was written: %w", err)
	}
	return SuiteUse{}, nil // nothing can be said
}

func suiteUse(record bool, specs []SpecUse, incomplete string) (use SuiteUse, err error) {
	if incomplete != "" {
		return use, errors.New(incomplete)
	}
	manifests, err := readManifests(".")
	if err != nil {
		return use, err
	}
	now := recorded(manifests[platform()], specs)
	files, err := goldenFiles()
	if err != nil {
		return use, err
	}
	now.Unused = append([]string{}, slices.DeleteFunc(files, now.uses)...)
	manifests[platform()] = now
	if record {
		use.Manifest, err = now.write()
	}
	for _, file := range now.Unused {
		if len(now.Unknown) == 0 && whyUnused(manifests, file) != "" {
			use.Unused = append(use.Unused, filepath.FromSlash(file))
		}
	}
	return use, err
}

// elsewhereUsed says who may use golden files of this package besides the specs of its suite: plain
// tests, of which nothing tells whether they were skipped, and packages that share the folder.
func elsewhereUsed() string {
	own := filepath.Join(runfile.Unlinked("."), filepath.FromSlash(Folder))
	if runfile.Unlinked(filepath.FromSlash(Folder)) != own {
		return Folder + " is reached by a link, so other packages may use it"
	}
	names, _ := filepath.Glob("*_test.go") // the pattern is sound
	var tests []string
	for _, name := range names {
		text, _ := regular.Read(name) // the go command has just read it
		for _, found := range testFunction.FindAllSubmatch(text, -1) {
			tests = append(tests, string(found[1]))
		}
	}
	tests = slices.DeleteFunc(sorted(tests), func(name string) bool { return name == "TestMain" })
	if len(tests) < 2 {
		return ""
	}
	return fmt.Sprintf("the package has %s: which golden files plain tests use is not known; "+
		"it needs a package whose only test runs its Ginkgo suite", strings.Join(tests, ", "))
}

var testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)

// choosing are the flags that make a suite run fewer specs than it has.
var choosing = []string{
	"test.run", "test.skip", "test.short", "test.list", "ginkgo.focus", "ginkgo.skip",
	"ginkgo.focus-file", "ginkgo.skip-file", "ginkgo.label-filter", "ginkgo.sem-ver-filter",
	"ginkgo.dry-run",
}

// chosen names such a flag that was given, or is "". Ginkgo's do not tell their value.
func chosen() (text string) {
	flag.Visit(func(f *flag.Flag) {
		off := f.Value.String() == "false" ||
			f.Value.String() == "" && strings.HasPrefix(f.Name, "test.")
		if slices.Contains(choosing, f.Name) && !off {
			text = fmt.Sprintf("-%s chose among the specs", f.Name)
		}
	})
	return text
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

// recorded is the manifest of this run. before is that of the last one, or nil: it knows what the
// specs use that were skipped now.
func recorded(before *manifest, specs []SpecUse) *manifest {
	m := &manifest{Format: manifestFormat, Specs: map[string][]string{}}
	for _, spec := range specs {
		files := slices.Clone(m.Specs[spec.Text])
		for _, file := range spec.Files {
			if inside, ok := relative(file); ok {
				files = append(files, inside)
			}
		}
		if !spec.Ran {
			var used []string
			known := false
			if before != nil {
				used, known = before.Specs[spec.Text]
				known = known && !slices.Contains(before.Unknown, spec.Text)
			}
			if files = append(files, used...); !known {
				m.Unknown = append(m.Unknown, spec.Text)
			}
		}
		m.Specs[spec.Text] = sorted(files)
	}
	m.Unknown = sorted(m.Unknown)
	return m
}

// sorted is each of the files once, and never nil.
func sorted(files []string) []string {
	all := append([]string{}, files...)
	slices.Sort(all)
	return slices.Compact(all)
}

// relative is a path inside the package's folder, from there and with slashes.
func relative(path string) (string, bool) {
	for _, folder := range []string{".", runfile.Unlinked(".")} {
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
