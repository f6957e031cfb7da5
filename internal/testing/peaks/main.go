//go:build linux || darwin

// Command peaks measures how much memory the command line takes for files that were made to take
// much: bombs, and models and saved runs that are deep, wide or empty. It fails where a process
// peaks above 64 MiB and four times the size of its files (see package budget), or does not say in
// one line why it refuses one.
//
//	go run ./internal/testing/peaks [-only PATTERN] [-keep FOLDER]
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// room is what a process may take whatever the size of its files.
const room = 64 << 20

func main() {
	only := flag.String("only", "", "measure the files whose names match this regular expression")
	keep := flag.String("keep", "", "write the files to this folder, and leave them there")
	list := flag.Bool("list", false, "list the files and their commands, and measure nothing")
	write := flag.String("write", "", "write the file of this name into the folder of -keep")
	picture := flag.String("image", "", "make an input of this image, and measure nothing")
	flag.Parse()
	if runtime.GOOS != "linux" {
		fmt.Println("peaks: this system counts memory in another way; nothing was measured")
		return
	}
	var err error
	switch {
	case *list:
		for _, h := range everything() {
			fmt.Printf("%s\t%s\n", h.name, strings.Join(h.commands, "\t"))
		}
	case *picture != "":
		if wrong := readImage(*picture); wrong != nil {
			fmt.Fprintln(os.Stderr, wrong)
			os.Exit(2)
		}
	case *write != "":
		err = generate(*keep, *write)
	default:
		err = measureAll(*only, *keep)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peaks:", err)
		os.Exit(1)
	}
}

// hostile is a file that takes much of who reads it.
type hostile struct {
	name  string // with the extension that says its format
	write func(*bufio.Writer) error
	// commands read the file, which each finds as FILE.
	commands []string
}

func measureAll(only, folder string) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	if folder == "" {
		if folder, err = os.MkdirTemp("", "modelparity-peaks-"); err != nil {
			return err
		}
		defer os.RemoveAll(folder)
	}
	program := filepath.Join(folder, "modelparity")
	build := exec.Command("go", "build", "-o", program, "./cmd/modelparity")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	// Others make the files: what this process has in memory when it starts a command would count for
	// the command.
	self, err := os.Executable()
	if err != nil {
		return err
	}
	files, err := exec.Command(self, "-list").Output()
	if err != nil {
		return err
	}
	over := 0
	fmt.Printf("%-34s %-34s %9s %9s %9s %6s  %s\n", "file", "command", "size", "peak", "bound", "time",
		"exit")
	for line := range strings.Lines(string(files)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		name, commands := fields[0], fields[1:]
		if !pattern.MatchString(name) {
			continue
		}
		path := filepath.Join(folder, name)
		if out, err := exec.Command(self, "-keep", folder, "-write", name).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", name, err, out)
		}
		for _, command := range commands {
			reads := program
			if strings.HasPrefix(command, "-image") {
				reads = self
			}
			ok, err := measure(reads, folder, path, command)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", name, command, err)
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
		return fmt.Errorf("%d commands took too much", over)
	}
	return nil
}

// generate writes one file.
func generate(folder, name string) error {
	for _, h := range everything() {
		if h.name != name {
			continue
		}
		f, err := os.Create(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		w := bufio.NewWriterSize(f, 64<<10)
		return errors.Join(h.write(w), w.Flush(), f.Close())
	}
	return fmt.Errorf("unknown file %q", name)
}

// measure runs one command, and reports whether it kept within the bound.
func measure(program, folder, path, command string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	args := strings.Fields(command)
	read := int64(0)
	for i := range args {
		if strings.Contains(args[i], "FILE") {
			args[i] = strings.ReplaceAll(args[i], "FILE", filepath.Base(path))
			read += info.Size()
		}
	}
	run := exec.Command(program, args...)
	run.Dir = folder
	var said strings.Builder
	run.Stderr = &said
	start := time.Now()
	err = run.Run()
	took := time.Since(start)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return false, err
	}
	// Linux counts in KiB. What this program had when it started the other one counts as well, so
	// that it stays small.
	peak := run.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	bound := room + 4*read
	status, remark := run.ProcessState.ExitCode(), ""
	lines := strings.Count(said.String(), "\n")
	switch {
	case peak > bound:
		remark = "TOO MUCH"
	case status != 0 && status != 1 && status != 2 || status == 2 && lines != 1:
		remark = "CRASHED"
	}
	fmt.Printf("%-34s %-34s %7.1fMB %7.1fMB %7.1fMB %5.1fs  %d %s %.200s\n", filepath.Base(path),
		command, float64(info.Size())/1e6, float64(peak)/1e6, float64(bound)/1e6, took.Seconds(), status,
		remark, strings.TrimSpace(said.String()))
	return remark == "", nil
}
