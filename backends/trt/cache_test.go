//go:build linux && cgo

package trt_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/trt"
)

const built = "mock: built a plan"

var _ = Describe("the engine cache", Label("mock"), func() {
	var folder string
	var text *log
	run := func(ctx context.Context, library string, constant float32, options ...trt.Option) error {
		_, err := trt.Run(ctx, chain("c", constant, 2), feed(floats([]int{2}, 1, 2)), on(library,
			append([]trt.Option{trt.EngineCache(folder), trt.Log(text, slog.LevelDebug)}, options...)...)...)
		return err
	}
	builds := func() int { return countOf(text.String(), built) }
	BeforeEach(func() { folder, text = GinkgoT().TempDir(), &log{} })

	It("builds an engine once", func(ctx SpecContext) {
		for range 3 {
			Expect(run(ctx, mock(10, 6), 1)).To(Succeed())
		}
		Expect(builds()).To(Equal(1))
	})

	DescribeTable("builds again for",
		func(ctx SpecContext, minor int, constant float32, options ...trt.Option) {
			Expect(run(ctx, mock(10, 6), 1)).To(Succeed())
			Expect(run(ctx, mock(10, minor), constant, options...)).To(Succeed())
			Expect(builds()).To(Equal(2))
		},
		Entry("another model", 6, float32(2)),
		Entry("another TensorRT", 12, float32(1)),
		Entry("another option", 6, float32(1), trt.FP16()),
		Entry("another profile", 6, float32(1), trt.Profile(trt.Range("x", nil, nil, nil))),
		Entry("a mark", 6, float32(1), trt.MarkOnly("r")),
		Entry("no cache", 6, float32(1), trt.NoEngineCache()),
	)

	It("does not build again for what does not change the engine", func(ctx SpecContext) {
		Expect(run(ctx, mock(10, 6), 1)).To(Succeed())
		Expect(run(ctx, mock(10, 6), 1, trt.WarmUp(2), trt.AllocateForShapes())).
			To(Succeed())
		Expect(builds()).To(Equal(1))
	})

	DescribeTable("builds again in the place of a damaged file",
		func(ctx SpecContext, damage func([]byte) []byte) {
			Expect(run(ctx, mock(10, 6), 1)).To(Succeed())
			files, err := filepath.Glob(filepath.Join(folder, "*.engine"))
			Expect(err).NotTo(HaveOccurred())
			Expect(files).To(HaveLen(1))
			data, err := os.ReadFile(files[0])
			Expect(err).NotTo(HaveOccurred())
			Expect(os.WriteFile(files[0], damage(data), 0o644)).To(Succeed())
			Expect(run(ctx, mock(10, 6), 1)).To(Succeed())
			Expect(builds()).To(Equal(2))
			Expect(run(ctx, mock(10, 6), 1)).To(Succeed())
			Expect(builds()).To(Equal(2))
		},
		Entry("cut short", func(b []byte) []byte { return b[:len(b)-1] }),
		Entry("a flipped bit", func(b []byte) []byte { b[len(b)/2] ^= 1; return b }),
		Entry("empty", func([]byte) []byte { return nil }),
		Entry("no head", func(b []byte) []byte { return []byte(strings.Repeat("x", 100)) }),
	)

	It("builds once for many goroutines", func(ctx SpecContext) {
		setenv("MOCK_TRT_SLOW_MS", "20")
		library := mock(10, 6)
		var wait sync.WaitGroup
		for range 6 {
			wait.Go(func() {
				defer GinkgoRecover()
				Expect(run(ctx, library, 1)).To(Succeed())
			})
		}
		wait.Wait()
		// All listen to the one logger of the process, so that one build is heard six times.
		Expect(builds()).To(BeNumerically("<=", 6))
		files, err := filepath.Glob(filepath.Join(folder, "*.engine"))
		Expect(err).NotTo(HaveOccurred())
		Expect(files).To(HaveLen(1))
	})

	It("waits for another process, and gives up when the spec does", func(ctx SpecContext) {
		Expect(run(ctx, mock(10, 6), 1)).To(Succeed())
		locks, err := filepath.Glob(filepath.Join(folder, "*.lock"))
		Expect(err).NotTo(HaveOccurred())
		Expect(locks).To(HaveLen(1))
		Expect(os.Remove(strings.TrimSuffix(locks[0], ".lock"))).To(Succeed())
		other := exec.CommandContext(ctx, "flock", locks[0], "sh", "-c", "echo locked; cat")
		stdin, err := other.StdinPipe()
		Expect(err).NotTo(HaveOccurred())
		stdout, err := other.StdoutPipe()
		Expect(err).NotTo(HaveOccurred())
		Expect(other.Start()).To(Succeed())
		_, err = stdout.Read(make([]byte, 7))
		Expect(err).NotTo(HaveOccurred())

		short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		Expect(run(short, mock(10, 6), 1)).To(MatchError(context.DeadlineExceeded))
		Expect(builds()).To(Equal(1))
		Expect(stdin.Close()).To(Succeed())
		Expect(other.Wait()).To(Succeed())
		Expect(run(ctx, mock(10, 6), 1)).To(Succeed())
		Expect(builds()).To(Equal(2))
	})

	It("keeps nothing of a build that failed", func(ctx SpecContext) {
		setenv("MOCK_TRT_FAIL", "build")
		Expect(run(ctx, mock(10, 6), 1)).NotTo(Succeed())
		files, err := filepath.Glob(filepath.Join(folder, "*.engine"))
		Expect(err).NotTo(HaveOccurred())
		Expect(files).To(BeEmpty())
	})

	It("lies where the variable says", func(ctx SpecContext) {
		setenv(trt.CacheVariable, filepath.Join(folder, "there"))
		_, err := trt.Run(ctx, chain("c", 1, 1), feed(floats([]int{1}, 1)),
			trt.Library(mock(10, 6)), trt.Driver(mockDriver()))
		Expect(err).NotTo(HaveOccurred())
		Expect(filepath.Glob(filepath.Join(folder, "there", "*.engine"))).To(HaveLen(1))
	})
})

var _ = Describe("cancelling a build", Label("mock"), func() {
	It("gives the build up at its next step", func(ctx SpecContext) {
		cancelled, cancel := context.WithCancelCause(ctx)
		why := errors.New("the spec had enough")
		text := &log{}
		_, err := trt.New(cancelled, chain("c", 1, 1), none, on(mock(10, 6),
			trt.Log(io.MultiWriter(text, seeing("mock: step 1", func() { cancel(why) })),
				slog.LevelDebug))...)
		Expect(err).To(MatchError(why))
		Expect(err).To(MatchError(ContainSubstring("the build was cancelled: the spec had enough")))
		Expect(text.String()).To(And(ContainSubstring("mock: step 1"),
			Not(ContainSubstring("mock: step 2"))))
	})

	It("does not begin one with a context that has ended", func(ctx SpecContext) {
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		text := &log{}
		_, err := trt.New(cancelled, chain("c", 1, 1), none,
			on(mock(10, 6), trt.Log(text, slog.LevelDebug))...)
		Expect(err).To(MatchError(context.Canceled))
		Expect(text.String()).To(BeEmpty())
	})
})

// seeing is a writer of TensorRT's log that calls do at every line with the given text.
func seeing(part string, do func()) io.Writer { return watching{part, do} }

type watching struct {
	part string
	do   func()
}

func (w watching) Write(p []byte) (int, error) {
	if strings.Contains(string(p), w.part) {
		w.do()
	}
	return len(p), nil
}
