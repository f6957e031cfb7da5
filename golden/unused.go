package golden

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// used are the golden files that this process asked for, by absolute path.
var used sync.Map

// use remembers that a spec wants the file. In mode clean it is written down as well, because
// `ginkgo -p` runs the specs of one suite in several processes and only one of them cleans up.
func use(path string) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return // without a path nothing is found to be unused either
	}
	if _, before := used.LoadOrStore(absolute, true); before {
		return
	}
	if mode, _ := Updating(); mode == Clean {
		// What cannot be written down here makes RemoveUnused find no journal, and delete nothing.
		if f, err := os.OpenFile(journal(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			fmt.Fprintln(f, absolute)
			f.Close()
		}
	}
}

// journal is the file in which the processes of one suite write down what they use: those of one
// parent in one folder.
func journal() string {
	folder, _ := os.Getwd()
	sum := sha256.Sum256([]byte(folder))
	return filepath.Join(os.TempDir(), fmt.Sprintf("modelparity-golden-%d-%x", os.Getppid(), sum[:8]))
}

// RemoveUnused deletes the golden files under testdata/golden that no spec used, if the mode is
// [Clean], and returns their paths. Call it once, when every process of the suite has finished:
//
//	var _ = ReportAfterSuite("unused golden files", func(report Report) {
//		_, err := golden.RemoveUnused(report.SuiteSucceeded && everySpecRan(report))
//		Expect(err).NotTo(HaveOccurred())
//	})
//
// complete must be false unless every spec of the suite ran and passed: a golden file is not unused
// because its spec was skipped. Then, and where a flag such as -test.run or -ginkgo.focus chose
// among the specs, nothing is deleted and the error says why. Files without our head, such as those
// that a user put there, are never deleted.
func RemoveUnused(complete bool) ([]string, error) {
	mode, err := Updating()
	if err != nil || mode != Clean {
		return nil, err
	}
	defer os.Remove(journal())
	if !complete {
		return nil, fmt.Errorf("golden: nothing was cleaned: not every spec of the suite ran and passed")
	}
	if name := chosen(); name != "" {
		return nil, fmt.Errorf("golden: nothing was cleaned: -%s chose among the specs", name)
	}
	wanted, err := journaledUses()
	if err != nil {
		return nil, fmt.Errorf("golden: nothing was cleaned: %w", err)
	}
	return removeUnder(filepath.FromSlash(Folder), wanted)
}

// removeUnder deletes the golden files under folder that are not wanted.
func removeUnder(folder string, wanted map[string]bool) (removed []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // no folder, no golden files
		}
		if err != nil || !entry.Type().IsRegular() || filepath.Ext(path) != ".json" {
			return err
		}
		absolute, err := filepath.Abs(path)
		if err != nil || wanted[absolute] {
			return err
		}
		// A damaged file is kept: it is for a person to look at.
		if _, h, err := readFile(path); err != nil || h == nil || h.Kind != kindGolden {
			return nil
		}
		if err := os.Remove(path); err != nil {
			return err
		}
		removed = append(removed, path)
		return nil
	})
	if err != nil {
		err = fmt.Errorf("golden: %w", err)
	}
	return removed, err
}

// journaledUses reads what the suite's processes wrote down, and adds what this one knows.
func journaledUses() (map[string]bool, error) {
	wanted := map[string]bool{}
	f, err := os.Open(journal())
	if err != nil {
		return nil, fmt.Errorf("no spec used a golden file: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		wanted[lines.Text()] = true
	}
	used.Range(func(path, _ any) bool {
		wanted[path.(string)] = true
		return true
	})
	return wanted, lines.Err()
}

// choosing are the flags that make a suite run fewer specs than it has.
var choosing = []string{
	"test.run", "test.skip", "test.short", "ginkgo.focus", "ginkgo.skip", "ginkgo.focus-file",
	"ginkgo.skip-file", "ginkgo.label-filter", "ginkgo.sem-ver-filter", "ginkgo.dry-run",
}

// chosen is the name of such a flag that was given, or "".
func chosen() (name string) {
	flag.Visit(func(f *flag.Flag) {
		for _, c := range choosing {
			if f.Name == c && strings.Trim(f.Value.String(), "[]") != "" && f.Value.String() != "false" {
				name = c
			}
		}
	})
	return name
}
