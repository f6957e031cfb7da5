//go:build linux || darwin

// Command streams compares tensors from two files each that are larger than memory may be: 100
// million elements and a billion by default, as .npy and as Polygraphy's JSON. It measures the time
// of each statistic and the most memory that the process takes, and fails where a number is not
// exactly what was planted, or the peak is above 128 MiB and half a byte for each element.
// `make streams` calls it; a billion elements take 16 GB of disk at a time as .npy, and 19 as JSON.
//
//	go run ./internal/testing/streams [-n 100000000,1000000000] [-formats npy,json]
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
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
	"syscall"
)

// room is what a process may take whatever the files hold, beside half a byte for each element: the
// median and quantiles keep those errors that may be them, and a sample.
const room = 128 << 20

var (
	counts  = flag.String("n", "100000000,1000000000", "how many elements, multiples of 10")
	formats = flag.String("formats", "npy,json", "the formats of the files")
	do      = flag.Int("do", 0, "compare the two arguments, of so many elements")
)

func main() {
	flag.Parse()
	measured := table
	if *do > 0 {
		measured = func() error { return child(*do, flag.Arg(0), flag.Arg(1)) }
	}
	if err := measured(); err != nil {
		fmt.Fprintln(os.Stderr, "streams:", err)
		os.Exit(1)
	}
}

func table() error {
	folder, err := os.MkdirTemp("", "modelparity-streams-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Println("| float32 elements | files | both read | elementwise | max | mean | median " +
		"| quantile(0.99) | peak |\n|" + strings.Repeat(" --- |", 9))
	for count := range strings.SplitSeq(*counts, ",") {
		n, err := strconv.Atoi(count)
		if err != nil || n < 10 || n%10 != 0 {
			return fmt.Errorf("-n: %q is not a multiple of 10", count)
		}
		for format := range strings.SplitSeq(*formats, ",") {
			a, b := filepath.Join(folder, "a."+format), filepath.Join(folder, "b."+format)
			if err := errors.Join(write(a, n, false), write(b, n, true)); err != nil {
				return err
			}
			fmt.Printf("| %d | .%s |", n, format)
			c := exec.Command(self, "-do", count, a, b)
			c.Stdout, c.Stderr = os.Stdout, os.Stderr
			if err := c.Run(); err != nil {
				return err
			}
			usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
			if !ok {
				return errors.New("the system does not say what a process took")
			}
			unit := int64(1 << 10)
			if runtime.GOOS == "darwin" {
				unit = 1
			}
			peak := int64(usage.Maxrss) * unit //nolint:unconvert // 32 bits on some systems
			fmt.Printf(" %d MB |\n", peak>>20)
			if peak > room+int64(n)/2 && n > 64<<20 { // smaller files are held in memory
				return fmt.Errorf("%d MB for %d elements", peak>>20, n)
			}
			if err := errors.Join(os.Remove(a), os.Remove(b)); err != nil {
				return err
			}
		}
	}
	return nil
}

// at is element i of the actual side or, moved, of the expected one: errors are 0 to 4 sixteenths
// in turns, and one is 3 greater.
func at(i, n int, moved bool) float32 {
	v := float32(i%1009) / 8
	if moved {
		v += float32(i%5) / 16
		if i == n/3 {
			v += 3
		}
	}
	return v
}

// write writes a file of n elements.
func write(path string, n int, moved bool) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	if filepath.Ext(path) == ".json" {
		_, _ = w.WriteString(`{"lst": [["made", [{"outputs": {"y": {"array": "`)
		text := base64.NewEncoder(base64.StdEncoding, w)
		_ = array(text, n, moved) // a writer with a buffer gives its error again when it is flushed
		_ = text.Close()
		_, _ = w.WriteString(`", "polygraphy_class": "ndarray"}}, "runtime": null, ` +
			`"polygraphy_class": "IterationResult"}]]], "polygraphy_class": "RunResults"}`)
	} else {
		_ = array(w, n, moved)
	}
	return w.Flush()
}

// array writes an .npy file.
func array(w io.Writer, n int, moved bool) error {
	text := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }", n)
	text += strings.Repeat(" ", 118-len(text)-1) + "\n"
	if _, err := fmt.Fprintf(w, "\x93NUMPY\x01\x00%c\x00%s", len(text), text); err != nil {
		return err
	}
	part := make([]byte, 0, 1<<20)
	for i := range n {
		part = binary.LittleEndian.AppendUint32(part, math.Float32bits(at(i, n, moved)))
		if len(part) == cap(part) || i == n-1 {
			if _, err := w.Write(part); err != nil {
				return err
			}
			part = part[:0]
		}
	}
	return nil
}
