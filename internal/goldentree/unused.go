package goldentree

import (
	"flag"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// TakeUses returns the golden files that this process's specs have used since the last call. A test
// runner calls it after each spec and passes the results to [Unused].
func TakeUses() []string { return runfile.TakeUses() }

// Unused lists the golden files under testdata/golden that a suite did not use. used lists the
// golden files that the suite's specs used. Call Unused only if all specs have passed, and only
// once, after every process of the suite has finished; ginkgoreport.Suite does so. It lists nothing
// if a flag selected only some specs, if other tests or packages may use the files, or if the
// folder cannot be read.
func Unused(used []string) []string {
	used = append(used, runfile.TakeUses()...) // of nodes of the suite that ran after the last spec
	if selective() || sharedFolder() || plainTests() {
		return nil
	}
	files, _ := Files(filepath.FromSlash(Folder))
	return slices.DeleteFunc(files, func(path string) bool {
		// Damaged files and files of other programs are not listed; users should check them.
		return slices.Contains(used, wholefile.Unlinked(path)) ||
			runfile.HeadAt(path).Kind != runfile.KindGolden
	})
}

// sharedFolder reports whether the folder of golden files is reached through a link. Other packages
// may then use the same files.
func sharedFolder() bool {
	folder := filepath.FromSlash(Folder)
	return wholefile.Unlinked(folder) != filepath.Join(wholefile.Unlinked("."), folder)
}

// plainTests reports whether the package has tests in addition to the one that runs its Ginkgo
// suite. [Unused] could not notice if such a test was skipped.
func plainTests() bool {
	names, _ := filepath.Glob("*_test.go") // the pattern is valid
	var tests []string
	for _, name := range names {
		text, _ := regular.Read(name) // the go command has just read it
		for _, found := range testFunction.FindAllSubmatch(text, -1) {
			if test := string(found[1]); test != "TestMain" && !slices.Contains(tests, test) {
				tests = append(tests, test)
			}
		}
	}
	return len(tests) > 1
}

var testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)

// selectors lists the flags that select only some of a suite's specs.
var selectors = []string{
	"test.run", "test.skip", "test.short", "test.list", "ginkgo.focus", "ginkgo.skip",
	"ginkgo.focus-file", "ginkgo.skip-file", "ginkgo.label-filter", "ginkgo.sem-ver-filter",
	"ginkgo.dry-run",
}

// selective reports whether the user has set one of the [selectors]. A Ginkgo flag counts even if
// its value seems to be empty, because its real value cannot be read here.
func selective() (selects bool) {
	flag.Visit(func(f *flag.Flag) {
		off := f.Value.String() == "false" ||
			f.Value.String() == "" && strings.HasPrefix(f.Name, "test.")
		selects = selects || slices.Contains(selectors, f.Name) && !off
	})
	return selects
}
