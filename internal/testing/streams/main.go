//go:build linux || darwin

// Command streams compares pairs of files whose tensors are larger than the memory that it may use:
// by default 100 million and a billion elements, as .npy and as Polygraphy's JSON. It measures the
// time of each statistic and the peak memory. The files differ in known ways. The command fails if
// a statistic is not exactly the expected one, or if the peak exceeds 128 MiB plus half a byte per
// element. `make streams` runs it; a billion elements take 16 GB of disk space as .npy, and 19 GB
// as JSON.
//
//	go run ./internal/testing/streams [-n 100000000,1000000000]
package main

import (
	"bufio"
	"context"
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
	"strconv"
	"strings"
	"time"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/internal/testing/rig"
	"github.com/modelparity/modelparity/runs"
)

// room is the part of the memory limit, in bytes, that is the same for all files. The whole limit
// is room plus half a byte per element. The median and quantiles need memory for candidate errors
// and a sample.
const room = 128 << 20

var counts = flag.String("n", "100000000,1000000000", "numbers of elements, each a multiple of 10")

func main() { rig.Main("streams", table, map[string]rig.Role{"compare": measure}) }

func table(ctx context.Context, r *rig.Rig) error {
	fmt.Println(rig.Head("float32 elements", "files", "reading both", "elementwise", "max", "mean",
		"median", "quantile(0.99)", "peak"))
	for count := range strings.SplitSeq(*counts, ",") {
		n, err := strconv.Atoi(count)
		if err != nil || n < 10 || n%10 != 0 {
			return fmt.Errorf("-n: %q is not a multiple of 10", count)
		}
		for _, format := range []string{".npy", ".json"} {
			a, b := filepath.Join(r.Dir, "a"+format), filepath.Join(r.Dir, "b"+format)
			if err := errors.Join(write(a, n, false), write(b, n, true)); err != nil {
				return err
			}
			took, err := rig.Succeed(exec.CommandContext(ctx, rig.Self(), "compare", count, a, b))
			if err != nil {
				return err
			}
			fmt.Println(rig.Row(count, format, took.Stdout, fmt.Sprintf("%d MB", took.Peak>>20)))
			if took.Peak > room+int64(n)/2 && n > 64<<20 { // smaller files are held in memory
				return fmt.Errorf("%d elements take %d MB, more than the limit", n, took.Peak>>20)
			}
			if err := errors.Join(os.Remove(a), os.Remove(b)); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure compares two files by each statistic, and prints the times. The results must equal the
// differences that [at] planted in the files.
func measure(args []string) error {
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	memory.Sparing() // as the modelparity command does
	start := time.Now()
	saved, err := runs.ReadAll(context.Background(), args[1:])
	if err != nil {
		return err
	}
	if len(saved) != 2 {
		return fmt.Errorf("the files contain %d runs, expected 2", len(saved))
	}
	one := saved[0].Run.Outputs()[0].At(0)
	names, err := saved[1].NamedLike(saved[0].Run)
	if err != nil {
		return err
	}
	other := names.Run.Outputs()[0].At(0)
	fmt.Printf("%.1f s", time.Since(start).Seconds())
	greatest := float64(at(n/3, n, true) - at(n/3, n, false))
	for _, c := range []struct {
		stat compare.Stat
		want float64
	}{
		{compare.Elementwise, math.NaN()},
		{compare.Max, greatest},
		{compare.Mean, (float64(n)/8 + 3) / float64(n)}, // sums of sixteenths are exact
		{compare.Median, 2.0 / 16},
		{compare.Quantile(0.99), 4.0 / 16},
	} {
		start := time.Now()
		out, err := compare.Tensors(one.Tensor, other.Tensor, compare.Options{
			Checks: []compare.Check{compare.Within(0.3, 0, c.stat)}})
		if err != nil {
			return err
		}
		r := out.Results[0]
		if c.stat == compare.Elementwise {
			if r.Mismatches != 1 || out.Verdict != compare.Fail {
				return fmt.Errorf("%d mismatches, %s; expected 1", r.Mismatches, out.Verdict)
			}
		} else if r.Abs != c.want {
			return fmt.Errorf("%v is %v, expected %v", c.stat, r.Abs, c.want)
		}
		fmt.Printf(" | %.2f s", time.Since(start).Seconds())
	}
	return nil
}

// at returns element i of the expected side if expected is true, and otherwise of the actual side.
// The two sides differ by 0, 1/16, 2/16, 3/16 and 4/16 in turn; in one element, they differ by 3
// more.
func at(i, n int, expected bool) float32 {
	v := float32(i%1009) / 8
	if expected {
		v += float32(i%5) / 16
		if i == n/3 {
			v += 3
		}
	}
	return v
}

// write writes a file with the n elements of the expected side if expected is true, and otherwise
// of the actual side; see [at].
func write(path string, n int, expected bool) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	if filepath.Ext(path) == ".json" {
		_, _ = w.WriteString(`{"lst": [["made", [{"outputs": {"y": {"array": "`)
		text := base64.NewEncoder(base64.StdEncoding, w)
		_ = array(text, n, expected) // the error is returned again when the buffered writer is flushed
		_ = text.Close()
		_, _ = w.WriteString(`", "polygraphy_class": "ndarray"}}, "runtime": null, ` +
			`"polygraphy_class": "IterationResult"}]]], "polygraphy_class": "RunResults"}`)
	} else {
		_ = array(w, n, expected)
	}
	return w.Flush()
}

// array writes the same elements as [write] to w, in .npy format.
func array(w io.Writer, n int, expected bool) error {
	if _, err := io.WriteString(w, rig.NPYHeader("<f4", fmt.Sprintf("(%d,)", n), false)); err != nil {
		return err
	}
	part := make([]byte, 0, 1<<20)
	for i := range n {
		part = binary.LittleEndian.AppendUint32(part, math.Float32bits(at(i, n, expected)))
		if len(part) == cap(part) || i == n-1 {
			if _, err := w.Write(part); err != nil {
				return err
			}
			part = part[:0]
		}
	}
	return nil
}
