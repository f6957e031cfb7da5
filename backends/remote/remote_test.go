//go:build linux || darwin

package remote_test

import (
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
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/remote"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// inputs are n sets of inputs.
func inputs(n int) fixtures.Inputs {
	return fixtures.Random(difference(), fixtures.Seed(1), fixtures.Iterations(n),
		fixtures.Shape("minuend", 1, 3), fixtures.Shape("subtrahend", 1, 3))
}

// run runs the engine for three iterations.
func run(ctx context.Context, e backends.Engine) (*backends.Run, error) {
	return backends.RunIn(ctx, e, difference(), inputs(3))
}

// running reports whether the command line of a process contains the text.
func running(text string) bool {
	GinkgoHelper()
	found, err := exec.Command("ps", "ax", "-o", "stat=,args=").Output()
	Expect(err).NotTo(HaveOccurred())
	for line := range strings.Lines(string(found)) {
		if strings.Contains(line, text) && !strings.HasPrefix(line, "Z") {
			return true
		}
	}
	return false
}

// everySpec makes a spec of each that every engine must pass, over a connection.
func everySpec(connect func() string) {
	for i, spec := range backendtest.Specs(abacus("")) {
		if spec.Name == "refuses an operator that it does not know" {
			continue // the reference reads no nodes
		}
		It(spec.Name, func(ctx SpecContext) {
			backendtest.Specs(remote.Engine(connect(), abacus("")))[i].Run(ctx, GinkgoT())
		})
	}
}

var _ = Describe("An engine on another machine, as every engine,", Ordered, Serial, func() {
	var m machine
	BeforeAll(func() { m = newMachine() })
	everySpec(func() string { return m.connect() })
	AfterAll(func() {
		Expect(m.files()).To(ContainElement("program"))
		Expect(m.files()).NotTo(ContainElement(HavePrefix("new-")))
	})
})

var _ = Describe("A remote engine", func() {
	It("runs there, and its provenance says on which machine", func(ctx SpecContext) {
		there, err := run(ctx, remote.Engine(newMachine().connect(), abacus("")))
		Expect(err).NotTo(HaveOccurred())
		host, err := os.Hostname()
		Expect(err).NotTo(HaveOccurred())
		Expect(there.Provenance.Options).To(Equal(map[string]string{"folder": "home",
			"machine": host + " " + runtime.GOOS + "/" + runtime.GOARCH}))
		here, err := run(ctx, abacus(""))
		Expect(err).NotTo(HaveOccurred())
		here.Provenance.Options, there.Provenance.Options = nil, nil
		Expect(there.Provenance).To(Equal(here.Provenance))
		for i, set := range there.Outputs() {
			y, _ := set.Get("difference")
			expected, _ := here.Outputs()[i].Get("difference")
			Expect(y.Identical(expected)).To(BeTrue())
		}
	})

	It("runs a model with external data in a real engine, as here", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		m, model := newMachine(), large()
		m.install()
		in := fixtures.Random(model, fixtures.Seed(1))
		there, err := backends.RunIn(ctx, remote.Engine(m.connect(), ort.Engine()), model, in)
		Expect(err).NotTo(HaveOccurred())
		here, err := backends.RunIn(ctx, ort.Engine(), model, in)
		Expect(err).NotTo(HaveOccurred())
		Expect(there.Outputs()).To(Equal(here.Outputs()))
		delete(there.Provenance.Options, "machine")
		Expect(there.Provenance).To(Equal(here.Provenance))
	})

	It("sends the program and a model once", func(ctx SpecContext) {
		m := newMachine()
		m.script("counted", `tee -a '`+m.path("sent")+`' | exec '`+m.connect()+`' "$@"`)
		model := large()
		once := func(model *loaders.Model) int64 {
			GinkgoHelper()
			Expect(os.WriteFile(m.path("sent"), nil, 0o600)).To(Succeed())
			_, err := backends.RunIn(ctx, remote.Engine(m.path("counted"), fake.Engine(fake.Echo())), model,
				fixtures.Random(model, fixtures.Seed(1)))
			Expect(err).NotTo(HaveOccurred())
			info, err := os.Stat(m.path("sent"))
			Expect(err).NotTo(HaveOccurred())
			return info.Size()
		}
		self, err := os.Executable()
		Expect(err).NotTo(HaveOccurred())
		program, err := os.Stat(self)
		Expect(err).NotTo(HaveOccurred())
		Expect(once(model)).To(BeNumerically(">", program.Size()+10<<20))
		Expect(m.files()).To(ConsistOf("program", "large.onnx", "large.onnx.data"))
		Expect(once(model)).To(BeNumerically("<", 10<<10))
		By("sending one again that was damaged there")
		data, err := filepath.Glob(m.path("home/.cache/modelparity/remote/*/large.onnx.data"))
		Expect(err).NotTo(HaveOccurred())
		Expect(os.Truncate(data[0], 100)).To(Succeed())
		Expect(once(model)).To(And(BeNumerically(">", 10<<20), BeNumerically("<", 11<<20)))
		By("sending a marked one, which is in memory")
		marked, err := model.Mark()
		Expect(err).NotTo(HaveOccurred())
		once(marked)
		Expect(once(marked)).To(BeNumerically("<", 10<<10))
	})

	It("leaves nothing there if so asked", func(ctx SpecContext) {
		m := newMachine()
		e := remote.Engine(m.connect(), abacus(""), remote.Remove())
		b, err := e.Open(ctx, difference(), inputs(1))
		Expect(err).NotTo(HaveOccurred())
		Expect(m.files()).To(ConsistOf("program", "net.onnx"))
		Expect(b.Run(ctx, inputs(1))).NotTo(BeNil())
		Expect(b.Close()).To(Succeed())
		Eventually(m.files).Should(BeEmpty())
		_, err = run(ctx, remote.Engine(m.connect(), abacus("kill"), remote.Remove()))
		Expect(err).To(HaveOccurred())
		Eventually(m.files).Should(BeEmpty())
	})

	It("fails one run if its process ends there, and the next run runs", func(ctx SpecContext) {
		e := remote.Engine(newMachine().connect(), abacus("exit"))
		b, err := e.Open(ctx, difference(), inputs(1))
		Expect(err).NotTo(HaveOccurred())
		defer b.Close()
		_, err = b.Run(ctx, inputs(2))
		Expect(err).To(MatchError(MatchRegexp(`^abacus on .* crashed while running iteration 1 of ` +
			`net.onnx: its process exited with status 3 \(only the engine's process ended\)\n` +
			`its last output:\n  the abacus was put away$`)))
		Expect(b.Run(ctx, inputs(1))).NotTo(BeNil())
		_, err = run(ctx, remote.Engine(newMachine().connect(), abacus("kill")))
		Expect(err).To(MatchError(ContainSubstring("iteration 1 of net.onnx: SIGKILL (killed)")))
	})

	It("fails one run if the connection ends, leaves no process, and connects again",
		func(ctx SpecContext) {
			m := newMachine(`echo $$ >>"${0%connect}links"`)
			b, err := remote.Engine(m.connect(), abacus("hang 8765")).Open(ctx, difference(), inputs(1))
			Expect(err).NotTo(HaveOccurred())
			defer b.Close()
			failed := make(chan error)
			go func() {
				_, err := b.Run(ctx, inputs(3))
				failed <- err
			}()
			Eventually(running).WithArguments("sleep 8765").WithTimeout(10 * time.Second).Should(BeTrue())
			links, err := os.ReadFile(m.path("links")) // the second one copied the program
			Expect(err).NotTo(HaveOccurred())
			Expect(exec.Command("kill", "-9", strings.Fields(string(links))[0]).Run()).To(Succeed())
			Eventually(failed).WithTimeout(10 * time.Second).Should(Receive(&err))
			var crash *isolated.Crash
			Expect(errors.As(err, &crash)).To(BeTrue())
			Expect(crash.Lost).To(BeTrue())
			Expect(err).To(MatchError(MatchRegexp(`^abacus on .* was lost while running iteration 1 of ` +
				`net.onnx: .*connect ended: signal: killed$`)))
			Eventually(running).WithArguments("sleep 8765").WithTimeout(10 * time.Second).Should(BeFalse())
			Expect(b.Run(ctx, inputs(1))).NotTo(BeNil())
		})

	It("ends with the context, and with it what it started there", func(ctx SpecContext) {
		m := newMachine()
		enough := errors.New("enough")
		ending, cancel := context.WithCancelCause(ctx)
		go func() {
			defer cancel(enough)
			for !running("sleep 7654") && ctx.Err() == nil {
				time.Sleep(10 * time.Millisecond)
			}
		}()
		_, err := run(ending, remote.Engine(m.connect(), abacus("hang 7654")))
		Expect(err).To(MatchError(enough))
		Expect(err).To(MatchError(ContainSubstring("it did not stop in 1s, so its process was killed")))
		Eventually(running).WithArguments("sleep 7654").WithTimeout(10 * time.Second).Should(BeFalse())
		Expect(running(m.path("home"))).To(BeFalse())
		By("ending while it connects")
		slow := newMachine("sleep 60")
		ending, stop := context.WithTimeout(ctx, 200*time.Millisecond)
		defer stop()
		_, err = run(ending, remote.Engine(slow.connect(), abacus("")))
		Expect(err).To(MatchError(context.DeadlineExceeded))
		Expect(err).To(MatchError(ContainSubstring("while connecting")))
	})

	It("ends an engine that hangs", func(ctx SpecContext) {
		_, err := run(ctx, remote.Engine(newMachine().connect(), abacus("hang 6543"),
			isolated.Patience(2*time.Second)))
		var crash *isolated.Crash
		Expect(errors.As(err, &crash)).To(BeTrue(), "%v", err)
		Expect(crash.Cause).To(HavePrefix("it hung: no answer in 2s"))
	})

	It("says where an engine is missing", func(ctx SpecContext) {
		_, err := run(ctx, remote.Engine(newMachine().connect(), abacus("missing")))
		Expect(err).To(MatchError(MatchRegexp(
			`^abacus is missing: no beads; buy some \(on .*` + runtime.GOOS + "/" + runtime.GOARCH + `\)$`)))
		var missing *backends.Missing
		Expect(errors.As(err, &missing)).To(BeTrue())
	})

	DescribeTable("does not believe what the other side says",
		func(ctx SpecContext, says string, lines ...string) {
			m := newMachine(lines...)
			_, err := run(ctx, remote.Engine(m.connect(), abacus(""), isolated.Patience(5*time.Second)))
			Expect(err).To(MatchError(ContainSubstring(says)))
			Expect(running(m.connect())).To(BeFalse())
		},
		Entry("no end of garbage",
			`the command must start a shell; no shell answered. First output: "garbage\ngarbage\n`,
			"while echo garbage; do :; done"),
		Entry("nothing", "no answer in 5s", "sleep 60"),
		Entry("an end", "connect ended: exit status 255\nits last output:\n  no route to host",
			"echo no route to host >&2; exit 255"),
		Entry("half an answer", "connect is /, but this program is for", "echo modelparity; echo",
			`echo 'modelparity '; sleep 60`),
		Entry("garbage after the program has started",
			`invalid message: byte 0: expected a JSON object on one line, got "garbage"`,
			"read line; echo modelparity $(uname -s) $(uname -m) yes; read line; yes garbage"),
		Entry("a message that promises too much", "invalid message: byte 69: array 0, \"x\": an array "+
			"of 4611686018427387904 bytes",
			"read line; echo modelparity $(uname -s) $(uname -m) yes; read line; ",
			`echo '{"does":"hello","arrays":[{"name":"x","bytes":4611686018427387904}]}'; sleep 60`),
		Entry("a message of another "+
			"version", `comes from a different version of modelparity: its first message is "hi"`,
			"read line; echo modelparity $(uname -s) $(uname -m) yes; read line; ",
			`echo '{"does":"hi"}'; sleep 60`),
		Entry("a wish for a file that was not offered", `unexpected answer "want"`,
			"read line; echo modelparity $(uname -s) $(uname -m) yes; read line; ",
			`echo '{"does":"hello"}'`,
			`echo '{"does":"want","of":"passwd"}'; sleep 60`),
	)

	It("heeds no greeting of a shell", func(ctx SpecContext) {
		m := newMachine("echo Welcome to modelparity; echo", "echo modelparity? never heard")
		Expect(run(ctx, remote.Engine(m.connect(), abacus("")))).NotTo(BeNil())
	})

	Context("if the machine is of another kind", func() {
		// foreign is a machine that says it is a Jetson.
		foreign := func() machine {
			GinkgoHelper()
			m := newMachine()
			m.script("bin/uname", `case $1 in -s) echo Linux;; -m) echo aarch64;; esac`)
			return m
		}

		It("names both kinds, and copies nothing", func(ctx SpecContext) {
			if runtime.GOARCH == "arm64" {
				Skip("this machine is what the other one says it is")
			}
			m := foreign()
			_, err := run(ctx, remote.Engine(m.connect(), abacus("")))
			Expect(err).To(MatchError("remote: " + m.connect() + " is linux/arm64, but this program is " +
				"for " + runtime.GOOS + "/" + runtime.GOARCH + "; build the test binary for that " +
				"platform (GOOS=linux GOARCH=arm64 go test -c -o path) and pass remote.Binary(path)"))
			Expect(m.files()).To(BeEmpty())
		})

		It("copies the binary for it", func(ctx SpecContext) {
			self, err := os.Executable()
			Expect(err).NotTo(HaveOccurred())
			Expect(run(ctx, remote.Engine(newMachine().connect(), abacus(""), remote.Binary(self)))).NotTo(
				BeNil())
			By("having one for a machine that only says it is an arm64")
			m, path := foreign(), filepath.Join(GinkgoT().TempDir(), "suite.arm64")
			Expect(os.WriteFile(path+".go", []byte("package main\nfunc main() {}"), 0o600)).To(Succeed())
			build := exec.CommandContext(ctx, "go", "build", "-o", path, path+".go")
			build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
			said, err := build.CombinedOutput()
			Expect(err).NotTo(HaveOccurred(), string(said))
			_, err = run(ctx, remote.Engine(m.connect(), abacus(""), remote.Binary(path)))
			Expect(m.files()).To(ConsistOf("program"))
			Expect(err).To(MatchError(ContainSubstring("crashed while starting the program: its process " +
				"exited with status")))
			if runtime.GOARCH != "arm64" {
				_, err = run(ctx, remote.Engine(newMachine().connect(), abacus(""), remote.Binary(path)))
				Expect(err).To(MatchError(ContainSubstring(" is " + runtime.GOOS + "/" + runtime.GOARCH +
					", but " + path + " is for linux/arm64; build the test binary for that platform")))
			}
		})

		It("says what is no binary", func(ctx SpecContext) {
			_, err := run(ctx, remote.Engine("true", abacus(""), remote.Binary("remote_test.go")))
			Expect(err).To(MatchError(ContainSubstring("remote: remote.Binary: ")))
			Expect(err).To(MatchError(ContainSubstring("remote_test.go")))
		})
	})

	DescribeTable("rejects what cannot work", func(ctx SpecContext, e backends.Engine, says string) {
		_, err := run(ctx, e)
		Expect(err).To(MatchError(ContainSubstring(says)))
	},
		Entry("no command", remote.Engine(" ", abacus("")), "remote: the command is empty"),
		Entry("no such command", remote.Engine("no-such-command x", abacus("")),
			"remote: no-such-command: executable file not found in $PATH"),
		Entry("quotes", remote.Engine(`ssh "my jetson"`, abacus("")), "quotes are not supported"),
		Entry("no engine", remote.Engine("true", nil), "remote: no engine given"),
		Entry("an isolated engine", remote.Engine("true", isolated.Engine(abacus(""))),
			"remote: abacus, isolated is already isolated"),
		Entry("a remote engine", isolated.Engine(remote.Engine("true", abacus(""))),
			"isolated: abacus, remote over true is already remote"),
		Entry("a limit of memory", remote.Engine("true", abacus(""), isolated.Memory(1)),
			"remote: isolated.Memory cannot limit a process on another machine; drop the option"),
		Entry("its options in a process here", isolated.Engine(abacus(""), remote.Remove()),
			"isolated: remote.Binary and remote.Remove apply only to remote.Engine; drop them"),
	)

	It("is a value that prints itself", func() {
		e := remote.Engine("ssh jetson", fake.Engine(fake.Named("x")), remote.Remove(),
			isolated.Patience(time.Minute))
		Expect(e).To(BeIdenticalTo(remote.Engine("ssh jetson", fake.Engine(fake.Named("x")),
			isolated.Patience(time.Minute), remote.Remove())))
		Expect(e).NotTo(Equal(remote.Engine("ssh orin", fake.Engine(fake.Named("x")), remote.Remove(),
			isolated.Patience(time.Minute))))
		Expect(e.GoString()).To(Equal(`remote.Engine("ssh jetson", fake.Engine(fake.Named("x")), ` +
			`isolated.Patience(1 * time.Minute), remote.Remove())`))
		Expect(e.Text()).To(Equal(
			`remote {"patience":60000000000,"remove":true} "ssh jetson" fake {"name":"x"}`))
		Expect(e.String()).To(Equal("fake Named(x), remote Patience(1m0s), Remove over ssh jetson"))
	})
})

// large is a model with 10 MiB of external data.
func large() *loaders.Model {
	GinkgoHelper()
	const rows = 10 << 20 / 4 / 3
	data := make([]float32, 3*rows)
	for i := range data {
		data[i] = float32(i)
	}
	value := func(name string, rows int) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: 1, Dims: []any{rows, 3}}
	}
	model := loaders.ONNXBytes("large.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes:   []onnxtest.Node{{Op: "Add", In: []string{"x", "w"}, Out: []string{"y"}}},
		Inputs:  []onnxtest.Value{value("x", 1)},
		Outputs: []onnxtest.Value{value("y", rows)},
		Initializers: []onnxtest.Tensor{{Name: "w", Type: 1, Dims: []int64{rows, 3},
			Raw: tensor.Of(data...).Bytes()}}}}.Bytes())
	path := filepath.Join(GinkgoT().TempDir(), "large.onnx")
	_, err := model.SaveExternal(path, loaders.External{})
	Expect(err).NotTo(HaveOccurred())
	return loaders.ONNX(path)
}
