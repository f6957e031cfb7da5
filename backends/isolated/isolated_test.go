//go:build linux || darwin

package isolated_test

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/enginetest"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// difference is y = minuend − subtrahend and its opposite, as backendtest's reference computes it.
func difference() *loaders.Model {
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: 1, Dims: []any{"n", 3}}
	}
	return loaders.ONNXBytes("net.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{{Op: "Sub", In: []string{"minuend", "subtrahend"},
			Out: []string{"difference"}}},
		Inputs:  []onnxtest.Value{value("minuend"), value("subtrahend")},
		Outputs: []onnxtest.Value{value("difference")}}}.Bytes())
}

// iterations are n sets of inputs.
func iterations(n int) fixtures.Inputs {
	GinkgoHelper()
	sets := make([]*tensor.Set, n)
	for i := range sets {
		m, err := tensor.New(tensor.Shape{1, 3}, []float32{float32(i), 2, 3})
		Expect(err).NotTo(HaveOccurred())
		sets[i], err = tensor.NewSet(tensor.Entry{Name: "minuend", Tensor: m},
			tensor.Entry{Name: "subtrahend", Tensor: m})
		Expect(err).NotTo(HaveOccurred())
	}
	return fixtures.Of(sets...)
}

var _ = Describe("A third party's engine in a process of its own, as every engine,", func() {
	for _, spec := range backendtest.Specs(isolated.Engine(faulty(""))) {
		if spec.Name == "refuses an operator that it does not know" {
			continue // the reference reads no nodes
		}
		It(spec.Name, Serial, func(ctx SpecContext) { spec.Run(ctx, GinkgoT()) })
	}
})

var _ = Describe("An isolated engine", func() {
	It("that keeps the memory of its runs is noticed, though it is not the suite's", Serial,
		func(ctx SpecContext) {
			for _, spec := range backendtest.Specs(isolated.Engine(faulty("every run: keep"))) {
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

	It("runs in another process, which has the engine's provenance", func(ctx SpecContext) {
		run, err := isolated.Run(ctx, faulty(""), difference(), iterations(3))
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Provenance.Options["pid"]).NotTo(Equal(strconv.Itoa(syscall.Getpid())))
		Expect(run.Provenance.Options["main"]).To(Equal("false"))
		here, err := backends.RunIn(ctx, faulty(""), difference(), iterations(3))
		Expect(err).NotTo(HaveOccurred())
		Expect(here.Provenance.Options["main"]).To(Equal("true"))
		run.Provenance.Options, here.Provenance.Options = nil, nil
		Expect(run.Provenance).To(Equal(here.Provenance))
		Expect(run.Len()).To(Equal(3))
		Expect(run.Subject().Engine).To(Equal(isolated.Engine(faulty(""))))
	})

	It("shows the tensors inside where the engine does", func(ctx SpecContext) {
		e := isolated.Engine(faulty(""))
		b, err := e.Open(ctx, difference(), iterations(1))
		Expect(err).NotTo(HaveOccurred())
		defer b.Close()
		run, err := backends.CapabilitiesOf(e).RunWithTensors(ctx, b, iterations(2),
			[]string{"minuend"})
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Outputs()[1].Names()).To(ContainElement("minuend"))
		Expect(run.Len()).To(Equal(2))
	})

	It("sends large tensors", func(ctx SpecContext) {
		const rows = 1 << 20
		m, err := tensor.New(tensor.Shape{rows, 3}, make([]float32, 3*rows))
		Expect(err).NotTo(HaveOccurred())
		inputs, err := tensor.NewSet(tensor.Entry{Name: "minuend", Tensor: m},
			tensor.Entry{Name: "subtrahend", Tensor: m})
		Expect(err).NotTo(HaveOccurred())
		run, err := isolated.Run(ctx, faulty(""), difference(), fixtures.Of(inputs, inputs))
		Expect(err).NotTo(HaveOccurred())
		y, ok := run.Outputs()[1].Get("difference")
		Expect(ok).To(BeTrue())
		Expect(y.Shape()).To(Equal(tensor.Shape{rows, 3}))
	})

	It("shows what the process prints to who asks for it", func(ctx SpecContext) {
		log := gbytes.NewBuffer()
		e := isolated.Engine(faulty("run 0: exit"), isolated.Log(log, false))
		_, err := backends.RunIn(ctx, e, difference(), iterations(1))
		Expect(err).To(MatchError(ContainSubstring("the abacus was put away")))
		Expect(log).To(gbytes.Say("^the abacus was put away\n"))
		Expect(e.GoString()).To(ContainSubstring("left out: isolated.Log(a writer)"))
		_, err = isolated.Run(ctx, faulty(""), difference(), iterations(1), isolated.Log(nil, false))
		Expect(err).To(MatchError(ContainSubstring("the writer is nil")))
	})

	DescribeTable("tells a crash as one failure, and the next run runs",
		func(ctx SpecContext, fault, doing, cause, words string, options ...isolated.Option) {
			e := isolated.Engine(faulty(fault), options...)
			_, err := backends.RunIn(ctx, e, difference(), iterations(3))
			var crash *isolated.Crash
			Expect(errors.As(err, &crash)).To(BeTrue(), "%v", err)
			Expect(crash.Doing).To(Equal(doing))
			Expect(crash.Cause).To(MatchRegexp(cause))
			Expect(crash.Words).To(Equal(words))
			Expect(err).To(MatchError(HavePrefix("faulty crashed while " + doing + ": " + crash.Cause)))
			Expect(isolated.Run(ctx, faulty(""), difference(), iterations(1))).NotTo(BeNil())
		},
		Entry("a nil pointer", "run 1: panic", "running iteration 1 of net.onnx",
			`^SIGSEGV \(segmentation violation\)$`, "the beads are loose"),
		Entry("an exit", "run 0: exit", "running iteration 0 of net.onnx",
			`^its process exited with status 3$`, "the abacus was put away"),
		Entry("a signal", "run 2: kill", "running iteration 2 of net.onnx",
			`^SIGKILL \(killed\); the system sends it if memory runs out$`, ""),
		Entry("garbage", "run 0: garbage", "running iteration 0 of net.onnx",
			`^invalid message: byte \d+: expected a JSON object on one line, got "Loading`, ""),
		Entry("a hang", "run 1: hang", "running iteration 1 of net.onnx",
			`^it hung: no answer in 500ms \(isolated.Patience sets how long to wait\)$`, "",
			isolated.Patience(500*time.Millisecond)),
		Entry("a hang while opening", "open: hang", "opening net.onnx", `^it hung: `, "",
			isolated.Patience(500*time.Millisecond)),
		Entry("a crash while opening", "open: exit", "opening net.onnx", `status 3$`,
			"the abacus was put away"),
		Entry("a crash while closing", "close: exit", "closing net.onnx", `status 3$`,
			"the abacus was put away"),
	)

	It("ends an engine that takes more memory than it may", func(ctx SpecContext) {
		if runtime.GOOS != "linux" {
			Skip("memory is limited on Linux only")
		}
		_, err := isolated.Run(ctx, faulty("run 1: leak"), difference(), iterations(3),
			isolated.Memory(512<<20))
		Expect(err).To(MatchError(MatchRegexp(`^faulty crashed while running iteration 1 of net.onnx: ` +
			`out of memory: it used \d+ MiB, but isolated.Memory allows 512 MiB`)))
		Expect(isolated.Run(ctx, faulty(""), difference(), iterations(1))).NotTo(BeNil())
	})

	It("ends a process that exceeds the limit, however fast it answers", func(ctx SpecContext) {
		if runtime.GOOS != "linux" {
			Skip("memory is limited on Linux only")
		}
		for range 30 {
			_, err := isolated.Run(ctx, faulty(""), difference(), iterations(1), isolated.Memory(1<<20))
			Expect(err).To(MatchError(ContainSubstring("but isolated.Memory allows 1 MiB")))
		}
	})

	It("runs again on the same backend after a crash", func(ctx SpecContext) {
		b, err := isolated.Engine(faulty("run 1: exit")).Open(ctx, difference(), iterations(1))
		Expect(err).NotTo(HaveOccurred())
		defer b.Close()
		Expect(b.Run(ctx, iterations(1))).NotTo(BeNil())
		_, err = b.Run(ctx, iterations(1))
		Expect(err).To(BeAssignableToTypeOf(&isolated.Crash{}))
		Expect(b.Run(ctx, iterations(1))).NotTo(BeNil())
	})

	It("ends with the context, also where the engine does not heed it", func(ctx SpecContext) {
		enough := errors.New("enough")
		ending, cancel := context.WithCancelCause(ctx)
		time.AfterFunc(200*time.Millisecond, func() { cancel(enough) })
		start := time.Now()
		_, err := isolated.Run(ending, faulty("run 1: hang"), difference(), iterations(3))
		Expect(err).To(MatchError(enough))
		Expect(err).To(MatchError(ContainSubstring("while running iteration 1 of net.onnx: enough; " +
			"it did not stop in 1s, so its process was killed")))
		Expect(time.Since(start)).To(BeNumerically("<", 10*time.Second))
	})

	It("leaves no process behind that the engine started", func(ctx SpecContext) {
		_, err := isolated.Run(ctx, faulty("run 0: spawn 9876"), difference(), iterations(1))
		Expect(err).To(MatchError(ContainSubstring("exited with status 4")))
		Eventually(func() string {
			found, _ := exec.Command("ps", "ax", "-o", "args").Output()
			return string(found)
		}, 5*time.Second).ShouldNot(ContainSubstring("sleep 9876"))
	})

	DescribeTable("rejects what cannot be sent to another process",
		func(ctx SpecContext, e backends.Engine, says string) {
			_, err := e.Open(ctx, difference(), iterations(1))
			Expect(err).To(MatchError(ContainSubstring(says)))
		},
		Entry("no engine", isolated.Engine(nil), "no engine given"),
		Entry("a function", isolated.Engine(fake.Engine(fake.Func(backendtest.Reference))),
			"isolated: fake.Func(a function) cannot be written as text, so it cannot be sent to "+
				"another process"),
		Entry("an isolated engine", isolated.Engine(isolated.Engine(faulty(""))),
			"is already isolated"),
		Entry("an engine that nothing registers", isolated.Engine(stranger{}),
			`isolated: stranger: no opener is registered for "stranger", the first word of an `+
				`engine or model written as text; registered words: `),
		Entry("wrong options of its own", isolated.Engine(faulty(""), isolated.Memory(0)),
			"isolated: isolated.Memory(0): the limit must be more than 0 bytes"),
		Entry("wrong options of the engine", isolated.Engine(fake.Engine(fake.Opens(nil))),
			"fake: fake.Opens(a function): the function is nil"),
	)

	It("is a value that prints itself", func() {
		e := isolated.Engine(fake.Engine(fake.Named("x")), isolated.Memory(1<<30))
		Expect(e).To(BeIdenticalTo(isolated.Engine(fake.Engine(fake.Named("x")),
			isolated.Memory(1<<30))))
		Expect(e.GoString()).To(Equal(
			`isolated.Engine(fake.Engine(fake.Named("x")), isolated.Memory(1073741824))`))
		Expect(e.Text()).To(Equal(`isolated {"memory":1073741824} fake {"name":"x"}`))
		Expect(e.String()).To(Equal("fake Named(x), isolated Memory(1073741824)"))
		Expect(isolated.Engine(fake.Engine()).GoString()).To(Equal("isolated.Engine(fake.Engine())"))
	})

	It("runs a fake, as far as it has a text", func(ctx SpecContext) {
		run, err := isolated.Run(ctx, fake.Engine(fake.Echo(), fake.NaN("minuend")), nil, iterations(2))
		Expect(err).NotTo(HaveOccurred())
		y, _ := run.Outputs()[1].Get("minuend")
		Expect(y.Text(0)).To(Equal("NaN"))
	})
})

// stranger is an engine whose package registers nothing.
type stranger struct{ faulty }

func (stranger) Text() string   { return "stranger {}" }
func (stranger) String() string { return "stranger" }
