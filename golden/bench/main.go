//go:build linux || darwin

// Command bench measures golden files of 1 MB to 2 GB: how long one is written, with fsync, and
// checked, from its first byte to the verdict; what of it the cores compute; and the most memory
// that a process holds beside the run itself. Beside them stands, in the same run, what nothing can
// do without: as many bytes written with fsync, and read; SHA-256 of the data on one core; and as
// much memory touched for the first time, which a machine may have to ask its host for.
// `make golden-growth` calls it.
//
//	go run ./golden/bench [-aside] [-sizes 1M,10M,100M,2G] [-repeats 5]
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/budget"
)

var (
	sizes = flag.String("sizes", "1M,10M,100M,2G",
		"bytes of data, with K, M or G for powers of 1024")
	aside   = flag.Bool("aside", false, "keep the data beside the file, as files beyond 1 MiB do")
	repeats = flag.Int("repeats", 5, "repetitions; medians are shown")
	do      = flag.String("do", "", "what a process of this program measures: "+
		"write, same, moved, touch or floor")
	path  = flag.String("file", "", "the golden file that it writes or checks")
	bytes = flag.Int64("bytes", 0, "how much data that has")
)

func main() {
	flag.Parse()
	measured := table
	if *do != "" {
		measured = child
	}
	if err := measured(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// figures is what a process found.
type figures struct {
	Seconds float64 `json:"seconds"`
	Cores   float64 `json:"cores"`   // seconds of all cores together
	Beside  int64   `json:"beside"`  // bytes held at most, without what was there before
	Read    float64 `json:"read"`    // seconds that reading the file's bytes takes
	Written float64 `json:"written"` // seconds that writing them takes, with fsync
	Sum     float64 `json:"sum"`     // seconds that one core needs for SHA-256 of the data
}

func table() error {
	folder, err := os.MkdirTemp("", "modelparity-golden-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	fmt.Printf("%d cores, %s/%s, %s; load before: %s\n\n", runtime.GOMAXPROCS(0), runtime.GOOS,
		runtime.GOARCH, runtime.Version(), load())
	fmt.Println("| data | written | as many bytes written | checked, same bits | checked, moved " +
		"| read | SHA-256, one core | core time of a check | of touching as much memory " +
		"| memory beside the run: written | checked | moved |")
	fmt.Println("|" + strings.Repeat(" --- |", 12))
	for text := range strings.SplitSeq(*sizes, ",") {
		n, ok := budget.Bytes(text)
		if !ok {
			return fmt.Errorf("-sizes: %q is not a number of bytes", text)
		}
		at := filepath.Join(folder, "golden.json")
		written, err := byTurns(at, n, "write")
		if err != nil {
			return err
		}
		checked, err := byTurns(at, n, "same", "moved", "touch")
		if err != nil {
			return err
		}
		floor, err := process("floor", at, n)
		if err != nil {
			return err
		}
		fmt.Println(row(text, n, written[0], checked, floor))
	}
	fmt.Printf("\nload after: %s\n", load())
	return nil
}

// row is what was measured of n bytes of data.
func row(text string, n int64, written figures, checked []figures, floor figures) string {
	same, moved, touched := checked[0], checked[1], checked[2]
	return "| " + strings.Join([]string{text, span(written.Seconds), span(floor.Written),
		span(same.Seconds), span(moved.Seconds), span(floor.Read), span(floor.Sum), span(same.Cores),
		span(touched.Cores),
		share(written, n), share(same, n), share(moved, n)}, " | ") + " |"
}

func span(seconds float64) string { return fmt.Sprintf("%.1f ms", seconds*1e3) }

// share is memory as a multiple of the data.
func share(f figures, n int64) string { return fmt.Sprintf("%.2f ×", float64(f.Beside)/float64(n)) }

// load is how many processes wait for a core, where the system says it.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "not known"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}

// byTurns measures in processes of their own, as a test binary that reads one file: the medians,
// and the most memory. What stands beside each other takes turns, so that what the machine does
// meanwhile falls on all alike.
func byTurns(at string, n int64, what ...string) ([]figures, error) {
	found := make([]figures, len(what))
	seconds, cores := make([][]float64, len(what)), make([][]float64, len(what))
	for range *repeats {
		for i := range what {
			f, err := process(what[i], at, n)
			if err != nil {
				return nil, err
			}
			seconds[i], cores[i] = append(seconds[i], f.Seconds), append(cores[i], f.Cores)
			found[i].Beside = max(found[i].Beside, f.Beside)
		}
	}
	for i := range found {
		found[i].Seconds, found[i].Cores = median(seconds[i]), median(cores[i])
	}
	return found, nil
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// process measures once.
func process(what, at string, n int64) (f figures, err error) {
	self, err := os.Executable()
	if err != nil {
		return f, err
	}
	command := exec.Command(self, "-do", what, "-file", at, "-bytes", fmt.Sprint(n), "-repeats",
		fmt.Sprint(*repeats), fmt.Sprintf("-aside=%t", *aside))
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return f, fmt.Errorf("%s: %w", what, err)
	}
	return f, errors.Join(json.Unmarshal(out, &f))
}
