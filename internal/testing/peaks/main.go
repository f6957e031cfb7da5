//go:build linux || darwin

// Command peaks measures how much memory commands take for hostile files: decompression bombs, and
// models and saved runs that are deep, wide or empty. It fails if a process takes more than 64 MiB
// plus four times the size of its files (see package budget), takes longer than ten seconds, or
// does not say in one line why it rejects a file.
//
//	go run ./internal/testing/peaks [-only PATTERN]
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/testing/rig"
)

// room is the memory that a process may take even for tiny files. patience is the time that a
// process may take.
const (
	room     = 64 << 20
	patience = 10 * time.Second
)

var only = rig.Only("files")

func main() { rig.Main("peaks", measureAll, map[string]rig.Role{"image": readImage}) }

// hostile is a file that tries to exhaust its reader's memory.
type hostile struct {
	name  string              // its extension selects the format
	write func(*bufio.Writer) // errors are reported when the writer is flushed
	// commands lists the commands that read the file. The word FILE in a command stands for its path.
	commands []string
}

func measureAll(ctx context.Context, r *rig.Rig) error {
	if runtime.GOOS != "linux" {
		fmt.Println("peaks: memory cannot be measured on this system; nothing was measured")
		return nil
	}
	program, err := r.Command(ctx)
	if err != nil {
		return err
	}
	over := 0
	fmt.Printf("%-34s %-34s %9s %9s %9s %6s  %s\n", "file", "command", "size", "peak", "bound", "time",
		"exit")
	for _, h := range slices.Concat(onnxFiles(), jsonFiles(), arrayFiles(), tensorFiles(),
		imageFiles()) {
		if !only(h.name) {
			continue
		}
		path := filepath.Join(r.Dir, h.name)
		if err := generate(h, path); err != nil {
			return fmt.Errorf("%s: %w", h.name, err)
		}
		for _, command := range h.commands {
			reads := program
			if strings.HasPrefix(command, "image ") {
				reads = rig.Self()
			}
			ok, err := measure(ctx, reads, path, command)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", h.name, command, err)
			}
			if !ok {
				over++
			}
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	if over > 0 {
		return fmt.Errorf("%d commands exceeded a limit", over)
	}
	return nil
}

func generate(h hostile, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 64<<10)
	h.write(w)
	return errors.Join(w.Flush(), f.Close())
}

// measure runs one command, and reports whether it stayed within the limits.
func measure(ctx context.Context, program, path, command string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	args := strings.Fields(command)
	read := int64(0)
	for i := range args {
		if args[i] == "FILE" {
			args[i] = filepath.Base(path)
			read += info.Size()
		}
	}
	run := exec.CommandContext(ctx, program, args...)
	run.Dir = filepath.Dir(path)
	took, err := rig.Measure(run)
	if err != nil {
		return false, err
	}
	bound, remark := room+4*read, ""
	switch {
	case took.Peak > bound:
		remark = "TOO MUCH"
	case took.Processors > patience:
		remark = "TOO LONG"
	case took.Status > 2 || took.Status == 2 && strings.Count(took.Stderr, "\n") != 1:
		remark = "CRASHED"
	}
	fmt.Printf("%-34s %-34s %7.1fMB %7.1fMB %7.1fMB %5.1fs  %d %s %.200s\n", filepath.Base(path),
		command, float64(info.Size())/1e6, float64(took.Peak)/1e6, float64(bound)/1e6,
		took.Wall.Seconds(), took.Status, remark, strings.TrimSpace(took.Stderr))
	return remark == "", nil
}
