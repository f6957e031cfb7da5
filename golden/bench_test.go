package golden_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// sized is one run of so many bytes of float32, none of them compressible to speak of.
func sized(bytes int) []runs.Named {
	values := make([]float32, bytes/4)
	state := uint32(1)
	for i := range values {
		state = state*1664525 + 1013904223
		values[i] = float32(state)
	}
	return []runs.Named{{Name: "r", Run: backends.NewRun(backends.Provenance{},
		backends.Iteration{Outputs: must("y", tensor.Of(values...))})}}
}

// allocated is how many bytes f allocates in all, whether they are freed or not.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

var _ = Describe("Large files", Serial, func() {
	const size = 32 << 20

	It("are written and read without a second copy of the data", func() {
		path, saved := temporary("large.json"), sized(size)
		Expect(allocated(func() {
			Expect(runs.WriteRuns(path, saved)).To(Succeed())
		})).To(BeNumerically("<", 2<<20))
		var read []runs.Named
		Expect(allocated(func() { read, _ = runs.ReadRuns(context.Background(), path) })).To(
			BeNumerically("<", size+2<<20))
		Expect(read[0].Run.Iterations()[0].Outputs.At(0).Tensor.Bytes()).To(HaveLen(size))
	})

	It("are golden files without a second copy of the data", func() {
		path, saved := temporary("large.json"), sized(size)[0].Run
		Expect(allocated(func() {
			Expect(golden.Write(path, saved, inFile)).To(Succeed())
		})).To(BeNumerically("<", 4<<20))
		Expect(allocated(func() {
			Expect(golden.Read(context.Background(), path)).NotTo(BeNil())
		})).To(BeNumerically("<", size+4<<20))
	})
})

// The benchmarks are 100 MB of float32 each way; testdata/bench.py has the real Polygraphy do the
// same with the file that BenchmarkSave leaves under $MODELPARITY_BENCH.

func BenchmarkSave(b *testing.B) {
	saved := sized(100e6)
	folder := os.Getenv("MODELPARITY_BENCH")
	if folder == "" {
		folder = b.TempDir()
	}
	b.SetBytes(100e6)
	for b.Loop() {
		if err := runs.WriteRuns(filepath.Join(folder, "run.json"), saved); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	path := filepath.Join(b.TempDir(), "run.json")
	if err := runs.WriteRuns(path, sized(100e6)); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(100e6)
	for b.Loop() {
		if _, err := runs.ReadRuns(context.Background(), path); err != nil {
			b.Fatal(err)
		}
	}
}

// sizes are typical of golden files' data.
var sizes = []struct {
	name  string
	bytes int
}{{"1MB", 1e6}, {"10MB", 10e6}, {"100MB", 100e6}, {"2GB", 2e9}}

// eachSize measures golden files with all data inside, and with the data in a file of its own.
func eachSize(b *testing.B, measure func(b *testing.B, size int, o golden.Options)) {
	for _, size := range sizes {
		for name, o := range map[string]golden.Options{"inside": inFile, "aside": small} {
			b.Run(size.name+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(size.bytes))
				measure(b, size.bytes, o)
			})
		}
	}
}

// BenchmarkCheck is a golden file from its first byte to the verdict.
func BenchmarkCheck(b *testing.B) {
	eachSize(b, func(b *testing.B, size int, o golden.Options) {
		now := sized(size)[0].Run
		path := filepath.Join(b.TempDir(), "run.json")
		if err := golden.Write(path, now, o); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			read, err := golden.ReadReference(b.Context(), path)
			if err != nil {
				b.Fatal(err)
			}
			report, err := compare.Runs(now.Outputs(), read.Run.Outputs(), compare.Options{
				Checks: []compare.Check{compare.Within(1e-5, 1e-5, compare.Elementwise)}})
			if err != nil || report.Verdict != compare.Pass {
				b.Fatal(report.Verdict, err)
			}
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	eachSize(b, func(b *testing.B, size int, o golden.Options) {
		now, folder := sized(size)[0].Run, filepath.Join(b.TempDir(), "golden")
		for b.Loop() {
			err := golden.Write(filepath.Join(folder, "run.json"), now, o)
			if err = errors.Join(err, os.RemoveAll(folder)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkFloor is the least that any program takes for as many bytes: SHA-256 on one core, and
// writing them, with fsync.
func BenchmarkFloor(b *testing.B) {
	for _, size := range sizes {
		data := make([]byte, size.bytes)
		b.Run(size.name+"/sha256", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				data[0] ^= sha256.Sum256(data)[0]
			}
		})
		b.Run(size.name+"/written", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			path := filepath.Join(b.TempDir(), "floor")
			for b.Loop() {
				file, err := os.Create(path)
				if err != nil {
					b.Fatal(err)
				}
				_, err = file.Write(data)
				if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
