//go:build linux || darwin

package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/tensor"
)

// child measures one thing and prints what it found.
func child() error {
	if *do == "floor" {
		return floor()
	}
	run := drawn(*bytes, *do == "moved")
	once := func() error { return check(run) }
	switch *do {
	case "write":
		once = func() error { return write(run) }
	case "touch":
		once = func() error { touch(*bytes); return nil }
	}
	before, err := usage()
	if err != nil {
		return err
	}
	start := time.Now()
	if err := once(); err != nil {
		return err
	}
	seconds := time.Since(start).Seconds()
	after, err := usage()
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(figures{Seconds: seconds,
		Cores: after.cores - before.cores, Beside: after.peak - before.peak})
}

// drawn is a run of n bytes of float32 about nought; moved, a thousandth of them differ by an ulp.
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
		panic(err) // there is one name
	}
	return backends.NewRun(backends.Provenance{Backend: "bench"}, backends.Iteration{Outputs: set})
}

// touch writes to as much memory as the data takes that the process has not had before. What that
// costs is the system's: where it runs on a host that takes back what is free, far more than where
// it does not.
func touch(n int64) {
	buffer := make([]byte, n)
	memory.Large(buffer)
	for i := 0; i < len(buffer); i += os.Getpagesize() {
		buffer[i] = 1
	}
	runtime.KeepAlive(buffer)
}

func write(run *backends.Run) error {
	if err := errors.Join(os.RemoveAll(*path), os.RemoveAll(beside())); err != nil {
		return err
	}
	layout := golden.Layout{Inline: -1}
	if *aside {
		layout.Inline = 1
	}
	return golden.Write(*path, run, golden.Options{Layout: layout})
}

// beside is where the data lies that is not in the golden file.
func beside() string { return strings.TrimSuffix(*path, ".json") + ".data" }

func check(run *backends.Run) error {
	reference, err := golden.ReadReference(context.Background(), *path)
	if err != nil {
		return err
	}
	report, err := compare.Runs(run.Outputs(), reference.Run.Outputs(), compare.Options{
		Checks: []compare.Check{compare.Within(1e-5, 1e-5, compare.Elementwise)}})
	if err == nil && report.Verdict != compare.Pass {
		err = fmt.Errorf("%s: %s", *path, report.Text())
	}
	return err
}

// repeated is the median time of what is done.
func repeated(once func() error) (seconds float64, err error) {
	var all []float64
	for range *repeats {
		start := time.Now()
		if err := once(); err != nil {
			return 0, err
		}
		all = append(all, time.Since(start).Seconds())
	}
	return median(all), nil
}

// floor reads the golden file, and sums as many bytes as its data has.
func floor() error {
	var f figures
	buffer := make([]byte, 1<<20)
	var err error
	file := *path
	if *aside {
		found, err := filepath.Glob(filepath.Join(beside(), "*.gz"))
		if err != nil {
			return err
		}
		if len(found) != 1 {
			return fmt.Errorf("%s holds the data of one tensor, got %d files", beside(), len(found))
		}
		file = found[0]
	}
	if f.Read, err = repeated(func() error {
		file, err := regular.Open(file)
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
	}); err != nil {
		return err
	}
	if f.Written, err = repeated(func() error { return plainWrite(file, buffer) }); err != nil {
		return err
	}
	if f.Sum, err = repeated(func() error {
		sum := sha256.New()
		for n := int64(0); n < *bytes; n += int64(len(buffer)) {
			sum.Write(buffer)
		}
		return nil
	}); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(f)
}

// plainWrite writes as many bytes as a file has beside it, and has the disk take them.
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

// used is what the process has taken so far.
type used struct {
	peak  int64   // bytes
	cores float64 // seconds
}

func usage() (used, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return used{}, fmt.Errorf("the process does not know what it takes: %w", err)
	}
	unit := int64(1 << 10)
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return used{int64(u.Maxrss) * unit, //nolint:unconvert // 32 bits on some systems
		float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9}, nil
}
