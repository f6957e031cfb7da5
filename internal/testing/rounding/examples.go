//go:build linux || darwin

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/internal/testing/usermodule"
)

// copied copies the example suites to dir, as a user would. It checks that each suite passes, and
// that an update keeps golden files whose values changed within the suite's tolerance.
func (w wrapper) copied(ctx context.Context, root, dir string) error {
	if err := errors.Join(os.Mkdir(dir, 0o755), usermodule.Make(root, dir, examples)); err != nil {
		return err
	}
	folders, err := os.ReadDir(filepath.Join(dir, examples))
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		s, err := w.link(ctx, dir, "./"+examples+"/"+folder.Name())
		if err == nil {
			err = w.holds(ctx, s)
		}
		if err == nil {
			err = w.updates(ctx, s, filepath.Join(root, examples, folder.Name()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// updates updates a suite's golden files and returns an error if they differ from those in the
// original folder.
func (w wrapper) updates(ctx context.Context, s suite, original string) error {
	files, err := filepath.Glob(filepath.Join(original, "testdata/golden/*.json"))
	if err != nil || len(files) == 0 {
		return err
	}
	if err := w.run(ctx, s, "-golden.update"); err != nil {
		return err
	}
	for _, file := range files {
		before, err := os.ReadFile(file)
		after, wrong := os.ReadFile(filepath.Join(s.folder, "testdata/golden", filepath.Base(file)))
		if err := errors.Join(err, wrong); err != nil {
			return err
		}
		if !bytes.Equal(before, after) {
			return fmt.Errorf("updating %s changed the golden file %s, although it was "+
				"within tolerance", s.pkg, filepath.Base(file))
		}
	}
	fmt.Printf("%-28s passes: an update changes none of its %d golden files\n", s.pkg, len(files))
	return nil
}
