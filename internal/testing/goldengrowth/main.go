//go:build linux || darwin

// Command goldengrowth measures golden files of 1 MB to 2 GB: the time to write one, with fsync,
// and to check it, from its first byte to the verdict; the processor time of a check; and the peak
// memory in addition to the run itself. For comparison, the same run measures the least that any
// program needs: writing with fsync and reading as many bytes, SHA-256 of the data on one core, and
// touching as much new memory. `make golden-growth` calls it.
//
//	go run ./internal/testing/goldengrowth [-aside] [-sizes 1M,10M,100M,2G] [-repeats 5]
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/testing/rig"
	"github.com/modelparity/modelparity/tensor"
)

var (
	sizes = flag.String("sizes", "1M,10M,100M,2G",
		"bytes of data, with K, M or G for powers of 1024")
	aside   = flag.Bool("aside", false, "keep the data in a separate file, as files beyond 1 MiB do")
	repeats = flag.Int("repeats", 5, "repetitions; medians are shown")
)

func main() { rig.Main("goldengrowth", table, map[string]rig.Role{"measure": measure}) }

// figures are the measurements of one process.
type figures struct {
	Seconds float64 `json:"seconds"`
	Cores   float64 `json:"cores"`   // seconds of all cores together
	Extra   int64   `json:"extra"`   // peak bytes, less those held before
	Read    float64 `json:"read"`    // seconds to read the file's bytes
	Written float64 `json:"written"` // seconds to write them, with fsync
	Sum     float64 `json:"sum"`     // seconds that one core needs for SHA-256 of the data
}

func table(ctx context.Context, r *rig.Rig) error {
	fmt.Printf("%d cores, %s/%s, %s; load before: %s\n\n", runtime.GOMAXPROCS(0), runtime.GOOS,
		runtime.GOARCH, runtime.Version(), load())
	fmt.Println(rig.Head("data", "written", "as many bytes written", "checked, same bits",
		"checked, moved", "read", "SHA-256, one core", "core time of a check",
		"of touching as much memory", "memory in addition to the run: written", "checked", "moved"))
	for text := range strings.SplitSeq(*sizes, ",") {
		n, ok := budget.Bytes(text)
		if !ok {
			return fmt.Errorf("-sizes: %q is not a number of bytes", text)
		}
		at := filepath.Join(r.Dir, "golden.json")
		written, err := byTurns(ctx, at, n, "write")
		if err != nil {
			return err
		}
		checked, err := byTurns(ctx, at, n, "same", "moved", "touch")
		if err != nil {
			return err
		}
		floor, err := process(ctx, "floor", at, n)
		if err != nil {
			return err
		}
		fmt.Println(row(text, n, written[0], checked, floor))
	}
	fmt.Printf("\nload after: %s\n", load())
	return nil
}

// row formats the measurements for n bytes of data.
func row(text string, n int64, written figures, checked []figures, floor figures) string {
	same, moved, touched := checked[0], checked[1], checked[2]
	return rig.Row(text, span(written.Seconds), span(floor.Written), span(same.Seconds),
		span(moved.Seconds), span(floor.Read), span(floor.Sum), span(same.Cores), span(touched.Cores),
		share(written, n), share(same, n), share(moved, n))
}

func span(seconds float64) string { return fmt.Sprintf("%.1f ms", seconds*1e3) }

// share formats memory as a multiple of the data.
func share(f figures, n int64) string {
	return fmt.Sprintf("%.2f ×", float64(f.Extra)/float64(n))
}

// load is the number of processes waiting for a core, if the system reports it.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "not known"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}

// byTurns measures in separate processes, like a test binary that reads one file, and returns the
// medians and the peak memory. Measurements to be compared take turns, so that other load affects
// all alike.
func byTurns(ctx context.Context, at string, n int64, what ...string) ([]figures, error) {
	found := make([]figures, len(what))
	seconds, cores := make([][]float64, len(what)), make([][]float64, len(what))
	for range *repeats {
		for i := range what {
			f, err := process(ctx, what[i], at, n)
			if err != nil {
				return nil, err
			}
			seconds[i], cores[i] = append(seconds[i], f.Seconds), append(cores[i], f.Cores)
			found[i].Extra = max(found[i].Extra, f.Extra)
		}
	}
	for i := range found {
		found[i].Seconds, found[i].Cores = rig.Median(seconds[i]), rig.Median(cores[i])
	}
	return found, nil
}

// process measures once.
func process(ctx context.Context, what, at string, n int64) (f figures, err error) {
	took, err := rig.Succeed(exec.CommandContext(ctx, rig.Self(), "measure", "-repeats",
		fmt.Sprint(*repeats), fmt.Sprintf("-aside=%t", *aside), what, at, fmt.Sprint(n)))
	if err != nil {
		return f, err
	}
	return f, json.Unmarshal([]byte(took.Stdout), &f)
}

// measure takes one measurement of a golden file with n bytes of data, and prints the figures.
func measure(args []string) error {
	what, path := args[0], args[1]
	n, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return err
	}
	var f figures
	if what == "floor" {
		f, err = floor(path, n)
	} else {
		run := drawn(n, what == "moved")
		before, cores, wrong := rig.Used()
		start := time.Now()
		switch what {
		case "write":
			err = write(path, run)
		case "touch":
			touch(n)
		default:
			err = check(path, run)
		}
		f.Seconds = time.Since(start).Seconds()
		after, since, wrongToo := rig.Used()
		f.Extra, f.Cores = after-before, (since - cores).Seconds()
		err = errors.Join(err, wrong, wrongToo)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(f)
}

// drawn is a run of n bytes of float32 around zero; if moved, one in a thousand differs by an ulp.
func drawn(n int64, moved bool) *backends.Run {
	values := make([]float32, n/4)
	state := uint32(1)
	for i := range values {
		sum := float32(0)
		for range 3 {
			state = state*1664525 + 1013904223
			sum += float32(int32(state))
		}
		if values[i] = sum * 0x1p-31; moved && i%1000 == 0 {
			values[i] = math.Float32frombits(math.Float32bits(values[i]) ^ 1)
		}
	}
	set, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: tensor.Of(values...)})
	if err != nil {
		panic(err) // impossible: there is only one name
	}
	return backends.NewRun(backends.Provenance{Backend: "bench"}, backends.Iteration{Outputs: set})
}

// touch writes to as much new memory as the data takes. Its cost is the system's, and is far higher
// on hosts that reclaim free memory.
func touch(n int64) {
	buffer := make([]byte, n)
	memory.Large(buffer)
	for i := 0; i < len(buffer); i += os.Getpagesize() {
		buffer[i] = 1
	}
	runtime.KeepAlive(buffer)
}

func write(path string, run *backends.Run) error {
	if err := errors.Join(os.RemoveAll(path), os.RemoveAll(data(path))); err != nil {
		return err
	}
	layout := golden.Layout{Inline: -1}
	if *aside {
		layout.Inline = 1
	}
	return golden.Write(path, run, golden.Options{Layout: layout})
}

// data is the path of the data that is not in the golden file.
func data(path string) string { return strings.TrimSuffix(path, ".json") + ".data" }

func check(path string, run *backends.Run) error {
	reference, err := golden.ReadReference(context.Background(), path)
	if err != nil {
		return err
	}
	report, err := compare.Runs(run.Outputs(), reference.Run.Outputs(), compare.Options{
		Checks: []compare.Check{compare.Within(1e-5, 1e-5, compare.Elementwise)}})
	if err == nil && report.Verdict != compare.Pass {
		err = fmt.Errorf("%s: %s", path, report.Text())
	}
	return err
}

// repeated returns the median time of once.
func repeated(once func() error) (seconds float64, err error) {
	var all []float64
	for range *repeats {
		start := time.Now()
		if err := once(); err != nil {
			return 0, err
		}
		all = append(all, time.Since(start).Seconds())
	}
	return rig.Median(all), nil
}

// floor reads and writes as many bytes as the golden file has, and hashes as many as its data has.
func floor(path string, n int64) (f figures, err error) {
	if *aside {
		found, err := filepath.Glob(filepath.Join(data(path), "*.gz"))
		if err != nil || len(found) != 1 {
			return f, fmt.Errorf("%s holds the data of one tensor, got %d files", data(path), len(found))
		}
		path = found[0]
	}
	buffer := make([]byte, 1<<20)
	var wrong [3]error
	f.Read, wrong[0] = repeated(func() error {
		file, err := regular.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		for err == nil {
			_, err = file.Read(buffer)
		}
		if err == io.EOF {
			err = nil
		}
		return err
	})
	f.Written, wrong[1] = repeated(func() error { return plainWrite(path, buffer) })
	f.Sum, wrong[2] = repeated(func() error {
		sum := sha256.New()
		for done := int64(0); done < n; done += int64(len(buffer)) {
			sum.Write(buffer)
		}
		return nil
	})
	return f, errors.Join(wrong[:]...)
}

// plainWrite writes as many bytes as a file has to a second file, with fsync.
func plainWrite(file string, buffer []byte) (err error) {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	to, err := os.Create(file + ".floor")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close(), os.Remove(to.Name())) }()
	for n := info.Size(); n > 0; n -= int64(len(buffer)) {
		if _, err := to.Write(buffer[:min(n, int64(len(buffer)))]); err != nil {
			return err
		}
	}
	return to.Sync()
}
