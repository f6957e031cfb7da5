//go:build linux || darwin

package remote_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gexec"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/remote"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/skips"
)

// noServer is the start of the skip message without OpenSSH's server. The other specs of this
// package then run over a shell alone.
const noServer = "sshd: "

var _ = skips.Announce(noServer, "make remote")

// ssh starts OpenSSH's server with keys and a home of its own. It returns the machine, with a
// command that connects to it, and the server's process id.
func ssh() (machine, string, int) {
	GinkgoHelper()
	path, err := exec.LookPath("sshd")
	if err != nil {
		path = "/usr/sbin/sshd"
	}
	_, missing := os.Stat(path)
	me, err := user.Current()
	Expect(err).NotTo(HaveOccurred())
	_, noUser := user.Lookup("sshd")
	_, noFolder := os.Stat("/run/sshd")
	if me.Uid == "0" && (noUser != nil || noFolder != nil) {
		missing = errors.Join(missing, errors.New("run by root, sshd needs a user sshd and /run/sshd"))
	}
	if missing != nil {
		Expect(os.Getenv("MODELPARITY_REQUIRE")).NotTo(ContainSubstring("sshd"), missing.Error())
		Skip(noServer + missing.Error())
	}
	m := newMachine()
	for _, name := range []string{"host", "key"} {
		said, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
			m.path(name)).CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(said))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	address := listener.Addr().(*net.TCPAddr)
	Expect(listener.Close()).To(Succeed())
	write := func(name, text string, arguments ...any) string {
		Expect(os.WriteFile(m.path(name), fmt.Appendf(nil, text, arguments...), 0o600)).To(Succeed())
		return m.path(name)
	}
	public, err := os.ReadFile(m.path("host.pub"))
	Expect(err).NotTo(HaveOccurred())
	write("known", "[127.0.0.1]:%d %s", address.Port, public)
	server := write("sshd_config", "ListenAddress 127.0.0.1\nPort %d\nHostKey %s\nPidFile none\n"+
		"AuthorizedKeysFile %s\nStrictModes no\nPasswordAuthentication no\n"+
		"KbdInteractiveAuthentication no\nPermitRootLogin yes\nSetEnv HOME=%s TMPDIR=%s\n", address.Port,
		m.path("host"), m.path("key.pub"), m.path("home"), m.path("temp"))
	client := write("ssh_config", "Host far\n\tHostName 127.0.0.1\n\tPort %d\n\tUser %s\n"+
		"\tIdentityFile %s\n\tIdentitiesOnly yes\n\tUserKnownHostsFile %s\n\tBatchMode yes\n",
		address.Port, me.Username, m.path("key"), m.path("known"))
	sshd, err := gexec.Start(exec.Command(path, "-D", "-e", "-f", server), GinkgoWriter, GinkgoWriter)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { sshd.Kill().Wait() })
	Eventually(func() error {
		c, err := net.Dial("tcp", address.String())
		if err == nil {
			err = c.Close()
		}
		return err
	}, "10s").Should(Succeed())
	return m, "ssh -F " + client + " far", sshd.Command.Process.Pid
}

// children are the processes that a process has started.
func children(of int) (pids []string) {
	GinkgoHelper()
	found, err := exec.Command("ps", "ax", "-o", "ppid=,pid=").Output()
	Expect(err).NotTo(HaveOccurred())
	for line := range strings.Lines(string(found)) {
		if words := strings.Fields(line); len(words) == 2 && words[0] == strconv.Itoa(of) {
			pids = append(pids, words[1])
		}
	}
	return pids
}

var _ = Describe("Over ssh, an engine, as every engine,", Ordered, Serial, func() {
	var command string
	BeforeAll(func() { _, command, _ = ssh() })
	everySpec(func() string { return command })
})

var _ = Describe("Over ssh, a remote engine", Serial, func() {
	It("runs as here, and leaves nothing if so asked", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		m, command, _ := ssh()
		m.install()
		model := large()
		in := fixtures.Random(model, fixtures.Seed(1))
		there, err := backends.RunIn(ctx, remote.Engine(command, ort.Engine(), remote.Remove()), model,
			in)
		Expect(err).NotTo(HaveOccurred())
		here, err := backends.RunIn(ctx, ort.Engine(), model, in)
		Expect(err).NotTo(HaveOccurred())
		Expect(there.Outputs()).To(Equal(here.Outputs()))
		left, err := filepath.Glob(m.path("temp/*"))
		Expect(err).NotTo(HaveOccurred())
		Expect(left).To(BeEmpty())
	})

	It("fails one run if the connection is killed, leaves no process, and connects again",
		func(ctx SpecContext) {
			m, command, server := ssh()
			b, err := remote.Engine(command, abacus("hang 5432"), remote.Remove()).Open(ctx, difference(),
				inputs(1))
			Expect(err).NotTo(HaveOccurred())
			defer b.Close()
			failed := make(chan error)
			go func() {
				_, err := b.Run(ctx, inputs(3))
				failed <- err
			}()
			Eventually(running, "10s").WithArguments("sleep 5432").Should(BeTrue())
			for _, session := range children(server) {
				for _, pid := range append(children(must(strconv.Atoi(session))), session) {
					if kind, _ := exec.Command("ps", "-o", "args=", "-p", pid).Output(); strings.HasPrefix(
						string(kind), "sshd") {
						Expect(exec.Command("kill", "-9", pid).Run()).To(Succeed())
					}
				}
			}
			Eventually(failed, "10s").Should(Receive(&err))
			var crash *isolated.Crash
			Expect(errors.As(err, &crash)).To(BeTrue())
			Expect(crash.Lost).To(BeTrue())
			Expect(err).To(MatchError(MatchRegexp(`^abacus on .* was lost while running iteration 1 of ` +
				`net.onnx: ssh -F .* far ended: exit status 255\nits last output:\n  .*(closed|reset)`)))
			Eventually(running, "10s").WithArguments("sleep 5432").Should(BeFalse())
			Eventually(m.files, "10s").Should(BeEmpty())
			Expect(b.Run(ctx, inputs(1))).NotTo(BeNil())
		})

	It("says why there is no connection", func(ctx SpecContext) {
		_, command, server := ssh()
		Expect(exec.Command("kill", "-9", strconv.Itoa(server)).Run()).To(Succeed())
		time.Sleep(100 * time.Millisecond)
		_, err := run(ctx, remote.Engine(command, abacus("")))
		Expect(err).To(MatchError(MatchRegexp(`^abacus over ssh -F .* far was lost while connecting: ` +
			`ssh .* ended: exit status 255\nits last output:\n  .*Connection refused`)))
	})
})

func must[T any](v T, err error) T {
	GinkgoHelper()
	Expect(err).NotTo(HaveOccurred())
	return v
}
