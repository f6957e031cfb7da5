// Command fused finds sums that another processor would round differently: Go may compute x*y + z
// with one rounding instead of two, and does so on arm64 but not on amd64. But differences,
// tolerances that would pass, and random inputs must have the same bits on every processor. In such
// code the product is therefore converted, float64(x*y) + z, which rounds it (Go's specification,
// "Floating-point operators").
//
// It compiles the module for arm64 and searches the assembly for fused instructions. `make fused`
// runs it.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// free lists folders in which a fused multiply-add does no harm, because their code affects no
// verdict: it only draws pictures, writes pages, generates files or measures times.
var free = []string{"report", "internal/testing", "conformance"}

// instruction matches an assembly line with a fused multiply-add or multiply-subtract, and its
// source position.
var instruction = regexp.MustCompile(`\((/[^()]+\.go:\d+)\)\tFN?M(?:ADD|SUB)[SD]\t`)

func main() {
	places, err := fused()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fused:", err)
		os.Exit(2)
	}
	for _, p := range places {
		fmt.Fprintf(os.Stderr, "fused: %s: on arm64 this sum of a product is rounded only once; "+
			"write float64(x*y) + z\n", p)
	}
	if len(places) > 0 {
		os.Exit(1)
	}
}

// fused returns the source positions of fused multiply-add instructions in the module of the
// working directory, sorted.
func fused() ([]string, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	build := exec.Command("go", "build", "-gcflags=-S", "./...")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=arm64")
	pipe, err := build.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := build.Start(); err != nil {
		return nil, err
	}
	places, read, err := scan(pipe, root)
	if ended := build.Wait(); ended != nil {
		return nil, fmt.Errorf("go build for arm64: %w", ended)
	}
	if err == nil && read == 0 {
		err = fmt.Errorf("the compiler printed no assembly for the packages in %s", root)
	}
	return places, err
}

// scan returns the positions of fused instructions whose source files are under root. It also
// returns the number of all instructions that it read from the assembly.
func scan(assembly io.Reader, root string) (places []string, read int, err error) {
	lines := bufio.NewScanner(assembly)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "\t0x") {
			read++
		}
		m := instruction.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		place, err := filepath.Rel(root, m[1])
		if err != nil || strings.HasPrefix(place, "..") {
			continue // inlined from Go's own packages or a dependency
		}
		inRoom := func(folder string) bool { return strings.HasPrefix(place, folder+"/") }
		if !slices.ContainsFunc(free, inRoom) && !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	slices.Sort(places)
	return places, read, lines.Err()
}
