//go:build linux || darwin

package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/testing/usermodule"
)

// copied copies the example suites to dir, as a user would, and checks the copies; see
// [engine.exampleSuites].
func (e engine) copied(ctx context.Context, root, dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := usermodule.Make(root, dir, examples); err != nil {
		return err
	}
	return e.exampleSuites(ctx, dir)
}

// exampleSuites checks that each suite that users copy passes, and that an update keeps golden
// files whose values changed within the suite's tolerance, so that git shows no change. An update
// in mode all must rewrite these files: this proves that the golden files were found and that their
// bits did change.
func (e engine) exampleSuites(ctx context.Context, dir string) error {
	git := func(args ...string) (string, error) {
		return command(ctx, dir, nil, "git", append([]string{"-c", "user.name=rounding",
			"-c", "user.email=rounding@example.com", "-c", "core.autocrlf=false"}, args...)...)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "copy"}} {
		if _, err := git(args...); err != nil {
			return err
		}
	}
	folders, err := os.ReadDir(filepath.Join(dir, examples))
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		s, err := e.link(ctx, dir, "./"+path.Join(examples, folder.Name()))
		if err != nil {
			return err
		}
		if err := e.holds(ctx, s); err != nil {
			return err
		}
		files, err := filepath.Glob(filepath.Join(dir, examples, folder.Name(), "testdata/golden/*.json"))
		// Leave out golden files that are compared bit for bit. They are compared only if UPGRADE_STRICT
		// requires it, and only on the processor that they are for.
		files = slices.DeleteFunc(files, func(name string) bool {
			return strings.HasSuffix(name, "-bits.json")
		})
		if err != nil || len(files) == 0 {
			continue // no golden file; the error cannot be about the pattern
		}
		if err := e.run(ctx, s, "-golden.update"); err != nil {
			return err
		}
		changed, err := git("status", "--porcelain")
		if err != nil {
			return err
		}
		if changed != "" {
			return fmt.Errorf("an update of %s changed files that were within tolerance:\n%s", s.pkg,
				changed)
		}
		if err := e.run(ctx, s, "-golden.update=all"); err != nil {
			return err
		}
		if changed, err = git("status", "--porcelain"); err != nil {
			return err
		}
		if strings.Count(changed, "\n") != len(files) {
			return fmt.Errorf("mode all should have written %d golden files of %s, but git sees\n%s",
				len(files), s.pkg, changed)
		}
		if _, err := git("checkout", "-q", "."); err != nil {
			return err
		}
		fmt.Printf("%-28s keeps its golden files (%d) in an update\n", s.pkg, len(files))
	}
	return nil
}
