package goldentree

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

// SpecUse says whether a spec ran to its end, whether it passed, and which files it used (see
// [TakeUses]).
type SpecUse struct {
	Text  string
	Ran   bool
	Files []string
}

// SuiteUse is the result of [EndOfSuite].
type SuiteUse struct {
	Manifest string   // path of the manifest, if one was written
	Unused   []string // golden files that no complete run used
}

// TakeUses returns the golden files that this process's specs have used since the last call. A test
// runner calls it after each spec and passes the results to [EndOfSuite].
func TakeUses() []string { return runfile.TakeUses() }

// EndOfSuite lists the golden files under testdata/golden that no spec of a complete run used. Call
// it once, after every process of the suite has finished; ginkgoreport.Suite does so. incomplete
// says why the run is incomplete; it is "" for a complete run. EndOfSuite lists nothing after an
// incomplete run, or if a spec was skipped and no earlier run recorded the files that it uses.
//
// If record is true, as in mode usage, it writes a manifest of the files that each spec used,
// testdata/golden/.usage/<Platform>.json, for [FindUnused]. In this mode, an incomplete run is an
// error.
func EndOfSuite(record bool, specs []SpecUse, incomplete string) (SuiteUse, error) {
	late := runfile.TakeUses() // used by nodes of the suite that ran after the last spec
	if _, err := os.Stat(filepath.FromSlash(Folder)); errors.Is(err, fs.ErrNotExist) {
		return SuiteUse{}, nil
	}
	if specs = slices.Clone(specs); len(late) > 0 {
		specs = append(specs, SpecUse{Ran: true, Files: late})
	}
	use, err := suiteUse(record, specs, cmp.Or(incomplete, chosen(), elsewhereUsed()))
	switch {
	case err == nil:
		return use, nil
	case record:
		return use, fmt.Errorf("golden: no manifest was written: %w", err)
	}
	return SuiteUse{}, nil // usage is unknown
}

func suiteUse(record bool, specs []SpecUse, incomplete string) (use SuiteUse, err error) {
	if incomplete != "" {
		return use, errors.New(incomplete)
	}
	manifests, err := readManifests(".")
	if err != nil {
		return use, err
	}
	now := recorded(manifests[Platform()], specs)
	files, err := goldenFiles()
	if err != nil {
		return use, err
	}
	now.Unused = append([]string{}, slices.DeleteFunc(files, now.uses)...)
	manifests[Platform()] = now
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

// elsewhereUsed says what else may use the golden files of this package's Ginkgo suite: plain
// tests, which may have been skipped unnoticed, or packages that share the folder. It returns "" if
// nothing else can use the files.
func elsewhereUsed() string {
	own := filepath.Join(runfile.Unlinked("."), filepath.FromSlash(Folder))
	if runfile.Unlinked(filepath.FromSlash(Folder)) != own {
		return Folder + " is a symbolic link or below one, so other packages may use it"
	}
	names, _ := filepath.Glob("*_test.go") // the pattern is valid
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
	return fmt.Sprintf("the package has %s: it is unknown which golden files plain tests use; "+
		"recording needs a package whose only test runs its Ginkgo suite", strings.Join(tests, ", "))
}

var testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)

// choosing lists the flags that select only some of a suite's specs.
var choosing = []string{
	"test.run", "test.skip", "test.short", "test.list", "ginkgo.focus", "ginkgo.skip",
	"ginkgo.focus-file", "ginkgo.skip-file", "ginkgo.label-filter", "ginkgo.sem-ver-filter",
	"ginkgo.dry-run",
}

// chosen returns a text that names a flag in choosing that the user has set, or "" if there is
// none. Ginkgo flags count even if their value is empty, because the real value cannot be read
// here.
func chosen() (text string) {
	flag.Visit(func(f *flag.Flag) {
		off := f.Value.String() == "false" ||
			f.Value.String() == "" && strings.HasPrefix(f.Name, "test.")
		if slices.Contains(choosing, f.Name) && !off {
			text = fmt.Sprintf("-%s selected only some specs", f.Name)
		}
	})
	return text
}

// recorder is true if the test runner will call [EndOfSuite].
var recorder atomic.Bool

// WillEnd announces that [EndOfSuite] will be called after the suite.
func WillEnd() { recorder.Store(true) }

var onceNotRecorded sync.Once

// WhyNotRecorded says why mode usage records nothing, and what to do about it. It returns "" if
// usage is recorded, and after the first call.
func WhyNotRecorded() (text string) {
	if recorder.Load() {
		return ""
	}
	onceNotRecorded.Do(func() {
		text = "golden: usage is not recorded here: plain tests do not report whether they were " +
			"skipped; use a Ginkgo suite with ginkgoreport.Suite()"
	})
	return text
}

// recorded returns the manifest of this run. before is the previous manifest, or nil. Skipped specs
// keep their entries from before.
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

// sorted returns the files sorted and without duplicates. The result is never nil.
func sorted(files []string) []string {
	all := append([]string{}, files...)
	slices.Sort(all)
	return slices.Compact(all)
}

// relative returns path relative to the package's folder, with slashes, and reports whether path
// is inside that folder.
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
