//go:build unix

package child_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/child"
)

// nested tells this test binary to start a program and then to wait for its own death.
const nested = "MODELPARITY_TEST_NESTED"

func TestMain(m *testing.M) {
	if script := os.Getenv(nested); script != "" {
		p, err := child.Start(child.Program{Args: []string{"/bin/sh", "-c", script}})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		line, err := bufio.NewReader(p.Out).ReadString('\n')
		fmt.Print(line, err, "\n")
		select {}
	}
	os.Exit(m.Run())
}

// sh starts a shell script.
func sh(t *testing.T, script string) *child.Process {
	t.Helper()
	p, err := child.Start(child.Program{Args: []string{"/bin/sh", "-c", script}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// alive reports whether a process of that number runs; one that only waits to be reaped does not.
func alive(pid string) bool {
	state, err := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(state)), "Z")
}

func TestAProgramTalksOverItsOwnChannels(t *testing.T) {
	g := NewWithT(t)
	p := sh(t, `echo noise; echo more >&2; while read line <&3; do echo "got $line" >&4; done; exit 3`)
	_, err := io.WriteString(p.In, "one\ntwo\n")
	g.Expect(err).NotTo(HaveOccurred())
	out := bufio.NewReader(p.Out)
	for _, want := range []string{"got one\n", "got two\n"} {
		g.Expect(out.ReadString('\n')).To(Equal(want))
	}
	g.Expect(p.Stop(10 * time.Second)).To(BeTrue())
	g.Expect(p.State().String()).To(Equal("exit status 3"))
	g.Expect(p.Said()).To(Equal("noise\nmore"))
	g.Expect(child.Quoted(p.Said())).To(Equal("; its last output was:\n\tnoise\n\tmore"))
	p.Kill() // again
}

func TestTheLastThatAProgramPrintsIsKept(t *testing.T) {
	g := NewWithT(t)
	p := sh(t, `i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done`)
	g.Eventually(p.Ended(), "20s").Should(BeClosed())
	g.Expect(p.Said()).To(And(HavePrefix("…"), HaveSuffix("line 2999")))
	g.Expect(len(p.Said())).To(BeNumerically("<", 4200))
	quiet := sh(t, "exit 0")
	g.Expect(quiet.State().String()).To(Equal("exit status 0"))
	g.Expect(child.Quoted(quiet.Said())).To(Equal("; it printed nothing"))
}

func TestNothingOfAProgramIsLeft(t *testing.T) {
	for name, script := range map[string]string{
		"that hangs": `sleep 1000 & echo $! >&4; wait`,
		"that ignores its end": `trap '' TERM INT HUP; sleep 1000 & echo $! >&4
			while :; do sleep 1; done`,
		"that left another there": `sleep 1000 & echo $! >&4`,
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			p := sh(t, script)
			line, err := bufio.NewReader(p.Out).ReadString('\n')
			g.Expect(err).NotTo(HaveOccurred())
			pid := strings.TrimSpace(line)
			g.Expect(p.Stop(100 * time.Millisecond)).To(Equal(name == "that left another there"))
			g.Eventually(func() bool { return alive(pid) }, "10s").Should(BeFalse())
		})
	}
}

func TestNothingOfAProgramIsLeftWhereThisProcessIsKilled(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT, syscall.SIGQUIT} {
		t.Run(signal.String(), func(t *testing.T) {
			g := NewWithT(t)
			self, err := os.Executable()
			g.Expect(err).NotTo(HaveOccurred())
			parent := exec.Command(self)
			parent.Env = append(os.Environ(), "GOTRACEBACK=none",
				nested+`=trap '' HUP INT; sleep 1000 & echo $$ $! >&4; while :; do sleep 1; done`)
			out, err := parent.StdoutPipe()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(parent.Start()).To(Succeed())
			line, err := bufio.NewReader(out).ReadString('\n')
			g.Expect(err).NotTo(HaveOccurred())
			pids := strings.Fields(line)
			g.Expect(pids).To(HaveLen(2))
			for _, pid := range pids {
				g.Expect(alive(pid)).To(BeTrue())
			}
			g.Expect(parent.Process.Signal(signal)).To(Succeed())
			g.Expect(parent.Wait()).NotTo(Succeed())
			for _, pid := range pids {
				g.Eventually(func() bool { return alive(pid) }, "10s").Should(BeFalse())
			}
		})
	}
}

func TestItsChannelsEndWithAProgram(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	g := NewWithT(t)
	p := sh(t, `setsid sh -c 'echo up >&4; exec sleep 10' & read line <&3`)
	out := bufio.NewReader(p.Out)
	g.Expect(out.ReadString('\n')).To(Equal("up\n"))
	_, err := io.WriteString(p.In, "end\n")
	g.Expect(err).NotTo(HaveOccurred())
	started := time.Now()
	_, err = out.ReadString('\n')
	g.Expect(err).To(MatchError(os.ErrClosed))
	g.Expect(time.Since(started)).To(BeNumerically("<", 8*time.Second))
	_, err = io.WriteString(p.In, "more\n")
	g.Expect(err).To(MatchError(os.ErrClosed))
}

func TestAProgramThatCannotBeStarted(t *testing.T) {
	g := NewWithT(t)
	_, err := child.Start(child.Program{Args: []string{"modelparity-no-such-program"}})
	g.Expect(err).To(MatchError("modelparity-no-such-program: executable file not found in $PATH"))
	g.Expect(os.IsNotExist(err)).To(BeFalse())
	_, err = child.Start(child.Program{})
	g.Expect(err).To(MatchError("no program to start"))
	file := filepath.Join(t.TempDir(), "plain")
	g.Expect(os.WriteFile(file, []byte("text"), 0o600)).To(Succeed())
	_, err = child.Start(child.Program{Args: []string{file}})
	g.Expect(err).To(MatchError(ContainSubstring("permission denied")))
}

func TestProgramsLeaveNoGuardBehind(t *testing.T) {
	g := NewWithT(t)
	p := sh(t, "read line <&3")
	g.Expect(p.Stop(10 * time.Second)).To(BeTrue())
	left, err := exec.Command("ps", "-o", "args=", "--ppid", strconv.Itoa(os.Getpid())).Output()
	if err == nil {
		g.Expect(string(left)).NotTo(ContainSubstring("modelparity-guard"))
	}
}
