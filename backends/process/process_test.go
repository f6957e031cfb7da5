package process_test

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/internal/testing/enginetest"
	"github.com/modelparity/modelparity/tensor"
)

// one is a float32 tensor of one element.
var one = tensor.Of[float32](1)

// peers is how many programs of this suite run now.
func peers() int {
	self, err := os.Executable()
	Expect(err).NotTo(HaveOccurred())
	out, err := exec.Command("pgrep", "-f", "-P", "1,"+pid(), self).Output()
	if err != nil {
		return 0
	}
	return len(strings.Fields(string(out)))
}

var _ = Describe("A program that fails", func() {
	DescribeTable("during a run is one clear error, and the next run restarts it",
		func(ctx SpecContext, fault, want string, more ...process.Option) {
			b, err := process.Engine(peer("run "+fault, more...)...).Open(ctx, negation(), feed(one))
			Expect(err).NotTo(HaveOccurred())
			defer b.Close()
			_, err = b.Run(ctx, feed(one))
			Expect(err).NotTo(HaveOccurred())
			_, err = b.Run(ctx, feed(one, one)) // its first iteration is the program's second
			Expect(err).To(MatchError(And(HavePrefix("peer: iteration 0: "), ContainSubstring(want))))
			first, said, _ := strings.Cut(err.Error(), "\n")
			Expect(len(first)).To(BeNumerically("<", 300))
			Expect(said).To(ContainSubstring("\twords on standard output"))
			Eventually(peers).Should(BeZero())
			run, err := b.Run(ctx, feed(one))
			Expect(err).NotTo(HaveOccurred())
			Expect(run.Len()).To(Equal(1))
			Expect(b.Close()).To(Succeed())
			Eventually(peers).Should(BeZero())
		},
		Entry("by exiting", "exits", "the program ended before it answered (exit status 7)"),
		Entry("by exiting well", "says nothing", "the program ended before it answered (exit status 0)"),
		Entry("by crashing", "panics", "the program ended before it answered (exit status 2)"),
		Entry("by hanging", "hangs", "no answer within 200ms; to allow more time, set "+
			"process.Timeout; its last output was:",
			process.Timeout(200*time.Millisecond)),
		Entry("by closing its channel", "closes", "the program closed file descriptor 4 without an "+
			"answer"),
		Entry("by text instead of an answer", "hello world", "the program's answer on file "+
			`descriptor 4 is invalid: byte 374: expected a JSON object on one line, got "hello world"`),
		Entry("by another answer", `{"message":"description"}`,
			`the program answered "description", expected "outputs"`),
		Entry("by an answer without a name", `{}`, `the program answered "", expected "outputs"`),
		Entry("by half an answer and its end", `{"message":"outputs","arrays":[{"name":"y","bytes":`+
			`4611686018427387904}]}`, `array 0, "y": an array of 4611686018427387904 bytes`),
		Entry("by an array that is none", `{"message":"outputs","arrays":[{"name":"y","bytes":10}]}`+
			"\n0123456789", `array 0, "y": npy: byte 0: "012345" is not the magic number`),
	)

	DescribeTable("while it loads the model is an error with its name and the model's",
		func(ctx SpecContext, fault, want string, more ...process.Option) {
			_, err := process.Engine(peer("describe "+fault, more...)...).Open(ctx, negation(), feed(one))
			Expect(err).To(MatchError(And(HavePrefix("process.test: negation: "),
				ContainSubstring(want))))
			Eventually(peers).Should(BeZero())
		},
		Entry("by exiting", "exits", "the program ended before it answered (exit status 7); its "+
			"last output was:\n"+
			"\twords on standard output"),
		Entry("by hanging", "hangs", "no answer within 100ms",
			process.Timeout(100*time.Millisecond)),
		Entry("by another protocol",
			`{"message":"description","protocol":2,"name":"peer","version":"1"}`,
			"the program speaks protocol 2, expected 1"),
		Entry("by no name", `{"message":"description","protocol":1,"version":"1"}`,
			"the program's description lacks a name or a version"),
	)

	It("is shown with its own explanation, which is not its output", func() {
		refused := &process.Refusal{Reason: "no such layer", Detail: "a\nb"}
		Expect(refused).To(MatchError("no such layer; the program's explanation is:\n\ta\n\tb"))
	})

	It("is read to the end, even if it ends at once", func(ctx SpecContext) {
		if runtime.GOOS == "windows" {
			Skip("Windows has no process groups")
		}
		says := process.Engine(process.Command("/bin/sh", "-c", "echo hello >&4"))
		for range 50 {
			_, err := says.Open(ctx, negation(), feed(one))
			Expect(err).To(MatchError(ContainSubstring(`a JSON object on one line, got "hello"`)))
		}
	})

	It("is ended with the context in the middle of a run", func(ctx SpecContext) {
		b, err := process.Engine(peer("run hangs")...).Open(ctx, negation(), feed(one))
		Expect(err).NotTo(HaveOccurred())
		defer b.Close()
		enough := errors.New("enough")
		ending, cancel := context.WithCancelCause(ctx)
		time.AfterFunc(100*time.Millisecond, func() { cancel(enough) })
		_, err = b.Run(ending, feed(one, one))
		Expect(err).To(MatchError(enough))
		Eventually(peers).Should(BeZero())
		_, err = b.Run(ctx, feed(one))
		Expect(err).NotTo(HaveOccurred())
	}, NodeTimeout(time.Minute))

	It("and hangs is ended by Close, and its run gives ErrClosed", func(ctx SpecContext) {
		b, err := process.Engine(peer("run hangs")...).Open(ctx, negation(), feed(one))
		Expect(err).NotTo(HaveOccurred())
		done := make(chan error, 1)
		go func() {
			_, err := b.Run(ctx, feed(one, one))
			done <- err
		}()
		time.Sleep(50 * time.Millisecond)
		Expect(b.Close()).To(Succeed())
		var ended error
		Eventually(done).Should(Receive(&ended))
		Expect(ended).To(MatchError(backends.ErrClosed))
		Eventually(peers).Should(BeZero())
	}, NodeTimeout(time.Minute))

	It("by being another version once it is started again is not run", func(ctx SpecContext) {
		b, err := process.Engine(peer("changes its version")...).Open(ctx, negation(), feed(one))
		Expect(err).NotTo(HaveOccurred())
		defer b.Close()
		_, err = b.Run(ctx, feed(one))
		Expect(err).NotTo(HaveOccurred())
		out, err := exec.Command("pgrep", "-f", "-P", pid(), executable()).Output()
		Expect(err).NotTo(HaveOccurred())
		Expect(exec.Command("kill", "-KILL", strings.TrimSpace(string(out))).Run()).To(Succeed())
		_, err = b.Run(ctx, feed(one))
		Expect(err).To(MatchError(ContainSubstring("the program ended before it answered (signal: " +
			"killed)")))
		_, err = b.Run(ctx, feed(one))
		Expect(err).To(MatchError(MatchRegexp(
			`the program was peer \d+, but is peer \d+ after a restart`)))
	})

	It("in that it keeps the memory of its runs is noticed, though it is not the suite's", Serial,
		func(ctx SpecContext) {
			for _, spec := range backendtest.Specs(process.Engine(peer("keeps memory")...)) {
				if spec.Name == "frees the memory of its runs" {
					r := enginetest.Record(func(t *enginetest.Recorder) { spec.Run(ctx, t) })
					Expect(r.Failed + r.Skipped).To(Or(
						HavePrefix("memory grew in each of 12 rounds of 2000 steps"),
						Equal("resident memory can be measured only on Linux"),
						ContainSubstring("the race detector itself allocates memory")))
					return
				}
			}
			Fail("no spec asks for it")
		})

	It("to be found is missing, with what to do", func(ctx SpecContext) {
		options := process.Command("modelparity-no-such-program")
		_, err := process.Run(ctx, negation(), feed(one), options)
		var missing *backends.Missing
		Expect(errors.As(err, &missing)).To(BeTrue())
		Expect(missing.Backend).To(Equal("process"))
		Expect(err).To(MatchError(ContainSubstring(
			"modelparity-no-such-program: executable file not found in $PATH; install the program")))
		Expect(process.Available(options)).To(MatchError(ContainSubstring("process is missing")))
	})

	It("in a Python before 3.11, which cannot leave out the working folder, is missing",
		func(ctx SpecContext) {
			old := filepath.Join(GinkgoT().TempDir(), "python")
			Expect(os.WriteFile(old, []byte("#!/bin/sh\necho \"Unknown option: $1\" >&2; exit 2\n"),
				0o755)).To(Succeed())
			say := "python is missing: " + old + " is older than Python 3.11; set MODELPARITY_PYTHON"
			options := []process.Option{process.Script("net.py"), process.Python(old)}
			_, err := process.Run(ctx, negation(), feed(one), options...)
			Expect(err).To(MatchError(ContainSubstring(say)))
			Expect(process.Available(options...)).To(MatchError(ContainSubstring(say)))
			_, err = process.StartScript(ctx, "net.py", process.Python(old))
			Expect(err).To(MatchError(ContainSubstring(say)))
		})

	It("in a Python without NumPy says what to install", func(ctx SpecContext) {
		process.Require(GinkgoT(), python("reference.py"))
		bare := filepath.Join(GinkgoT().TempDir(), "python")
		Expect(os.WriteFile(bare, []byte("#!/bin/sh\nexec '"+
			cmp.Or(os.Getenv(process.PythonVariable), "python3")+"' -S \"$@\"\n"), 0o755)).To(Succeed())
		_, err := process.Run(ctx, negation(), feed(one), python("reference.py"), process.Python(bare))
		Expect(err).To(MatchError(And(MatchRegexp("has no NumPy; run `.* -m pip install numpy`"),
			Not(ContainSubstring("Traceback")))))
	})

	It("with an error of its own goes on", func(ctx SpecContext) {
		b, err := process.Engine(peer("none")...).Open(ctx,
			process.Model(executable(), peer("none")...), feed(one))
		Expect(err).NotTo(HaveOccurred())
		defer b.Close()
		cube, err := tensor.New(tensor.Shape{1, 2, 3}, make([]float32, 6))
		Expect(err).NotTo(HaveOccurred())
		_, err = b.Run(ctx, feed(cube))
		Expect(err).NotTo(HaveOccurred())
		_, err = b.Run(ctx, feed(one))
		Expect(err).To(MatchError(ContainSubstring(
			`input "x": expected x tensor(float32)[n,?,3], got float32[1]: the rank differs`)))
	})
})
