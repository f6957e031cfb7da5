//go:build linux || darwin

package remote_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/remote"
	"github.com/modelparity/modelparity/internal/testing/faulty"
)

// machine is a shell with its own home, working folder and environment, which stands for another
// machine. It counts the bytes that it is sent.
type machine struct{ folder string }

// newMachine returns a machine. Its script may change what its programs are ($PATH begins with the
// folder "bin"), or what is sent.
func newMachine(lines ...string) machine {
	GinkgoHelper()
	m := machine{GinkgoT().TempDir()}
	Expect(os.MkdirAll(m.path("home"), 0o700)).To(Succeed())
	Expect(os.MkdirAll(m.path("bin"), 0o700)).To(Succeed())
	m.write("connect", append(lines, `cd '`+m.path("home")+`'`, `echo $$ >>../pids`,
		`exec env -i HOME="$PWD" TMPDIR="$PWD" PATH="`+m.path("bin")+`:$PATH" "$@"`)...)
	m.write("counted", `tee -a '`+m.path("sent")+`' | '`+m.path("connect")+`' "$@"`)
	return m
}

func (m machine) path(name string) string { return filepath.Join(m.folder, name) }

func (m machine) write(name string, lines ...string) {
	GinkgoHelper()
	script := "#!/bin/sh\n" + strings.Join(lines, "\n") + "\n"
	Expect(os.WriteFile(m.path(name), []byte(script), 0o700)).To(Succeed())
}

// connect is the command that starts programs there.
func (m machine) connect() string { return m.path("connect") }

// files are the names of what lies in the home folder, except folders.
func (m machine) files() (names []string) {
	GinkgoHelper()
	Expect(filepath.WalkDir(m.path("home"), func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, d.Name())
		}
		return err
	})).To(Succeed())
	return names
}

// run runs the engine there once.
func run(ctx context.Context, e backends.Engine) (*backends.Run, error) {
	return backends.RunIn(ctx, e, faulty.Model(), faulty.Inputs(3))
}

var _ = Describe("A third party's engine on another machine, as every engine,", Ordered,
	Serial, func() {
	var m machine
	BeforeAll(func() { m = newMachine() })
	for _, spec := range backendtest.Specs(faulty.Engine("")) {
		if spec.Name == "refuses an operator that it does not know" {
			continue // the reference reads no nodes
		}
		It(spec.Name, func(ctx SpecContext) {
			for _, there := range backendtest.Specs(remote.Engine(m.connect(), faulty.Engine(""))) {
				if there.Name == spec.Name {
					there.Run(ctx, GinkgoT())
				}
			}
		})
	}
})

var _ = Describe("A remote engine", func() {
	It("runs elsewhere, and says on which machine", func(ctx SpecContext) {
		there, err := run(ctx, remote.Engine(newMachine().connect(), faulty.Engine("")))
		Expect(err).NotTo(HaveOccurred())
		host, err := os.Hostname()
		Expect(err).NotTo(HaveOccurred())
		Expect(there.Provenance.Options).To(HaveKeyWithValue("machine",
			host+" "+runtime.GOOS+"/"+runtime.GOARCH))
		Expect(there.Provenance.Options).To(HaveKeyWithValue("main", "false"))
		Expect(there.Provenance.Options["pid"]).NotTo(Equal(strconv.Itoa(os.Getpid())))
		here, err := run(ctx, faulty.Engine(""))
		Expect(err).NotTo(HaveOccurred())
		here.Provenance.Options, there.Provenance.Options = nil, nil
		Expect(there.Provenance).To(Equal(here.Provenance))
		Expect(there.Len()).To(Equal(3))
	})

	It("fails one run if its process crashes there", func(ctx SpecContext) {
		m := newMachine()
		b, err := remote.Engine(m.connect(), faulty.Engine("run 1: exit")).Open(ctx, faulty.Model(),
			faulty.Inputs(1))
		Expect(err).NotTo(HaveOccurred())
		defer b.Close()
		_, err = b.Run(ctx, faulty.Inputs(2))
		Expect(err).To(MatchError(MatchRegexp(`^faulty on .* crashed while running iteration 1 of ` +
			`net.onnx: its process exited with status 3 \(only its own process ended\)\n` +
			`its last words:\n  the abacus was put away$`)))
		Expect(b.Run(ctx, faulty.Inputs(1))).NotTo(BeNil())
		_, err = run(ctx, remote.Engine(m.connect(), faulty.Engine("run 0: kill")))
		Expect(err).To(MatchError(ContainSubstring("SIGKILL (killed)")))
	})

	_ = exec.Command
	_ = errors.As
	_ = fmt.Sprint
	_ = time.Now
	_ = fake.Engine
	_ = isolated.Engine
})
