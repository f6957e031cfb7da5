package gpuqueue_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/gpuqueue"
)

const (
	total = 10 << 30
	// asHolder is the argument under which this test binary takes a GPU, says so, and keeps it
	// until its input ends; with asParent it has a child do the same first.
	asHolder, asParent = "hold-the-gpu", "parent-of-a-holder"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && (os.Args[1] == asHolder || os.Args[1] == asParent) {
		place, err := gpuqueue.Take(context.Background(), os.Args[2], total)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		if os.Args[1] == asParent {
			child := exec.Command(os.Args[0], asHolder, os.Args[2])
			child.Stdout = os.Stdout
			if err := child.Run(); err != nil { // its input is empty
				fmt.Println(err)
			}
		}
		fmt.Println("in", gpuqueue.TakeWaits())
		_, _ = io.Copy(io.Discard, os.Stdin)
		place.Release()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// holder is another process that takes a GPU.
type holder struct {
	*exec.Cmd
	stdin io.Closer
	lines chan string
}

// start starts a process that counts for some memory.
func start(t *testing.T, as, gpu, memory string) *holder {
	t.Helper()
	h := &holder{Cmd: exec.Command(os.Args[0], as, gpu), lines: make(chan string, 9)}
	h.Env = append(os.Environ(), gpuqueue.Variable+"="+memory)
	stdin, err := h.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.stdin = stdin
	out, err := h.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			h.lines <- lines.Text()
		}
		close(h.lines)
	}()
	t.Cleanup(func() {
		_ = h.Process.Kill()
		_ = h.Wait() // it was killed
	})
	return h
}

// queued waits until n processes are in the queue of a GPU.
func queued(t *testing.T, gpu string, n int) {
	t.Helper()
	NewWithT(t).Eventually(func() int {
		found, _ := filepath.Glob(filepath.Join(folder(t), gpu, "0*"))
		return len(found)
	}).WithTimeout(20 * time.Second).Should(Equal(n))
}

// folder is where queues lie.
func folder(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(cache, "modelparity", "gpu")
}

// alone gives the test queues of its own.
func alone(t *testing.T) *WithT {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(20 * time.Second)
	g.SetDefaultConsistentlyDuration(300 * time.Millisecond)
	return g
}

func TestProcessesTakeTurnsInTheOrderOfTheirComing(t *testing.T) {
	g := alone(t)
	first := start(t, asHolder, "0", "all")
	g.Eventually(first.lines).Should(Receive(Equal("in []")))
	second := start(t, asHolder, "0", "1G") // would fit beside a later one, but not beside the first
	queued(t, "0", 2)
	third := start(t, asHolder, "0", "all")
	queued(t, "0", 3)
	fourth := start(t, asHolder, "0", "1G")
	queued(t, "0", 4)
	other := start(t, asHolder, "1", "all")
	g.Eventually(other.lines).Should(Receive(Equal("in []")))
	g.Consistently(second.lines).ShouldNot(Receive())

	g.Expect(first.stdin.Close()).To(Succeed())
	g.Eventually(second.lines).Should(Receive(HavePrefix("in [waited ")))
	g.Consistently(fourth.lines).ShouldNot(Receive(), "a small process overtook a large one")
	g.Expect(second.stdin.Close()).To(Succeed())
	g.Eventually(third.lines).Should(Receive(HavePrefix("in [waited ")))
	g.Consistently(fourth.lines).ShouldNot(Receive())
	g.Expect(third.stdin.Close()).To(Succeed())
	g.Eventually(fourth.lines).Should(Receive(HavePrefix("in [waited ")))
}

func TestAsManyAreInAsFitTheMemory(t *testing.T) {
	g := alone(t)
	var in []*holder
	for range 2 {
		h := start(t, asHolder, "0", "4G")
		g.Eventually(h.lines).Should(Receive(Equal("in []")))
		in = append(in, h)
	}
	third := start(t, asHolder, "0", "4G")
	g.Consistently(third.lines).ShouldNot(Receive())
	g.Expect(in[1].stdin.Close()).To(Succeed())
	g.Eventually(third.lines).Should(Receive(HavePrefix("in [waited ")))
}

func TestAPlaceEndsWithItsProcess(t *testing.T) {
	g := alone(t)
	first := start(t, asHolder, "0", "all")
	g.Eventually(first.lines).Should(Receive(Equal("in []")))
	waiting := start(t, asHolder, "0", "all")
	queued(t, "0", 2)
	last := start(t, asHolder, "0", "all")
	queued(t, "0", 3)
	g.Expect(waiting.Process.Kill()).To(Succeed())
	g.Expect(first.Process.Kill()).To(Succeed())
	g.Eventually(last.lines).Should(Receive(HavePrefix("in [waited ")))
	queued(t, "0", 1)
}

func TestAFamilyIsOne(t *testing.T) {
	g := alone(t)
	parent := start(t, asParent, "0", "all")
	g.Eventually(parent.lines).Should(Receive(Equal("in []"))) // the child's
	g.Eventually(parent.lines).Should(Receive(Equal("in []")))
}

func TestAProcessHasOnePlaceOnAGPU(t *testing.T) {
	g := alone(t)
	t.Setenv(gpuqueue.Variable, "all")
	a, err := gpuqueue.Take(t.Context(), "GPU-0/x", total)
	g.Expect(err).NotTo(HaveOccurred())
	b, err := gpuqueue.Take(t.Context(), "GPU-0/x", total)
	g.Expect(err).NotTo(HaveOccurred())
	other := start(t, asHolder, "GPU-0/x", "1G")
	queued(t, "GPU-0_x", 2)
	a.Release()
	a.Release()
	g.Consistently(other.lines).ShouldNot(Receive())
	b.Release()
	g.Eventually(other.lines).Should(Receive(HavePrefix("in [waited ")))
	(*gpuqueue.Place)(nil).Release()
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	g := alone(t)
	first := start(t, asHolder, "0", "all")
	g.Eventually(first.lines).Should(Receive(Equal("in []")))
	t.Setenv(gpuqueue.Variable, "all")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := gpuqueue.Take(ctx, "0", total)
	g.Expect(err).To(MatchError(ContainSubstring(
		"gave up waiting for GPU 0 with 1 processes ahead: context deadline exceeded")))
	queued(t, "0", 1)
}

func TestNobodyQueuesUnlessAsked(t *testing.T) {
	g := alone(t)
	t.Setenv(gpuqueue.Variable, "")
	place, err := gpuqueue.Take(t.Context(), "0", total)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(place).To(BeNil())
	g.Expect(folder(t)).NotTo(BeADirectory())
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	g := alone(t)
	t.Setenv(gpuqueue.Variable, "half")
	_, err := gpuqueue.Take(t.Context(), "0", total)
	g.Expect(err).To(MatchError(gpuqueue.Variable + "=half: want bytes such as 8G, or all"))

	t.Setenv(gpuqueue.Variable, "1G")
	g.Expect(os.MkdirAll(filepath.Dir(folder(t)), 0o700)).To(Succeed())
	g.Expect(os.WriteFile(folder(t), nil, 0o600)).To(Succeed()) // where nothing can be made
	_, err = gpuqueue.Take(t.Context(), "0", total)
	g.Expect(err).To(MatchError(HavePrefix(gpuqueue.Variable + ": mkdir ")))
}

func TestTheNameOfAGPUIsTheMachines(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("CUDA_VISIBLE_DEVICES", "")
	g.Expect(gpuqueue.Name(1)).To(Equal("1"))
	t.Setenv("CUDA_VISIBLE_DEVICES", "3, GPU-abc")
	g.Expect([]string{gpuqueue.Name(0), gpuqueue.Name(1), gpuqueue.Name(2)}).To(
		HaveExactElements("3", "GPU-abc", "2"))
	g.Expect(strings.TrimSpace(gpuqueue.Wait{GPU: "0", Waited: 1500 * time.Millisecond}.String())).
		To(Equal("waited 1.5s for GPU 0"))
}
