//go:build linux || darwin

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/testing/rig"
)

// bomb is a file that tries to exhaust its reader's memory.
type bomb struct {
	name  string              // the file's name; its extension selects the format
	write func(*bufio.Writer) // errors are reported when the writer is flushed
	// commands are run on the file. The word FILE in a command stands for its path.
	commands []string
}

// bombs runs commands on files that expand when they are decompressed, and on models and saved runs
// that are deep, wide or empty. If a command rejects a file, its error must be a single line.
func bombs(ctx context.Context, a *attack, r *result) error {
	for _, b := range slices.Concat(onnxFiles(), jsonFiles(), arrayFiles(), tensorFiles(),
		imageFiles()) {
		if !onlyFiles(b.name) {
			continue
		}
		path := filepath.Join(a.dir, b.name)
		if err := errors.Join(ctx.Err(), b.generate(path)); err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		for _, command := range b.commands {
			v := words(command, "FILE", path)
			v.bytes = info.Size() * int64(strings.Count(command, "FILE"))
			v.see = func(took rig.Took) string {
				if n := strings.Count(took.Stderr, "\n"); took.Status == 2 && n != 1 {
					return fmt.Sprintf("prints %d lines of errors, expected 1: %.600s", n, took.Stderr)
				}
				return ""
			}
			wrong, err := a.strike(ctx, v, r)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", b.name, command, err)
			}
			if r.tries++; wrong != "" {
				r.failures = append(r.failures, wrong)
			}
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

func (b *bomb) generate(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 64<<10)
	b.write(w)
	return errors.Join(w.Flush(), f.Close())
}
