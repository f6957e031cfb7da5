//go:build linux || darwin

// Command growth measures how the cost of comparing grows with the number of elements, outputs,
// nodes of a model, iterations and specs. It prints each measurement as a line of Go's benchmarks,
// for benchstat, then a table, and then what became slower since the last committed table:
// docs/evidence/growth.txt. The two may be from different machines, so it relates both to a
// yardstick that has nothing to do with this project: SHA-256 of 1 MiB.
//
//	go run ./internal/testing/growth [-only PATTERN] [-most 100000000] [-write]
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/testing/rig"
)

var (
	only  = rig.Only("curves")
	most  = flag.Int("most", 100_000_000, "leave out points beyond so many")
	write = flag.Bool("write", false, "write "+results+" and the table of "+page)
)

const (
	results = "docs/evidence/growth.txt"
	page    = "docs/evidence/growth.md"
)

func main() { rig.Main("growth", measure, nil) }

// curve is a cost that grows with a number.
type curve struct {
	name string // of what grows, in benchmarks' names
	what string // in the table
	from int    // a power of ten
	to   int
	// of prepares work on n items. work may be called any number of times before clean.
	of func(n int) (work func() error, clean func(), err error)
}

func nothing() {}

// yardstick is a curve of one point.
var yardstick = curve{"yardstick", "SHA-256 of 1 MiB", 1, 1, func(int) (func() error, func(),
	error) {
	data := make([]byte, 1<<20)
	return func() error { data[0] ^= sha256.Sum256(data)[0]; return nil }, nothing, nil
}}

func measure(context.Context, *rig.Rig) error {
	last, err := readResults(results)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	now := newTable()
	head := fmt.Sprintf("goos: %s\ngoarch: %s\npkg: github.com/modelparity/modelparity/growth\n"+
		"cpu: %s\n", runtime.GOOS, runtime.GOARCH, processor())
	fmt.Print(head)
	for _, c := range append([]curve{yardstick}, curves...) {
		if c.name != yardstick.name && !only(c.name) {
			continue
		}
		for n := c.from; n <= min(c.to, *most); n *= 10 {
			if err := now.measure(c, n); err != nil {
				return fmt.Errorf("%s, %d: %w", c.name, n, err)
			}
		}
	}
	fmt.Printf("\n%s\n%s", now.markdown(), now.slower(last))
	if !*write {
		return nil
	}
	if err := os.WriteFile(results, []byte(head+now.lines.String()), 0o644); err != nil {
		return err
	}
	return rewrite(page, now.markdown())
}

// measure measures a point.
func (t *table) measure(c curve, n int) error {
	work, clean, err := c.of(n)
	if err != nil {
		return err
	}
	defer clean()
	if err := work(); err != nil { // also warms up
		return err
	}
	for range 3 { // medians are compared
		times := 0
		start := time.Now()
		for times == 0 || time.Since(start) < 50*time.Millisecond {
			if err := work(); err != nil {
				return err
			}
			times++
		}
		t.add(c.name, n, times, float64(time.Since(start).Nanoseconds())/float64(times))
	}
	return nil
}

// processor is the name of the processor.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return fmt.Sprintf("%d cores", runtime.NumCPU())
}
