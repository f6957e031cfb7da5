//go:build linux || darwin

package isolated_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/isolated"
)

// abandoned tells this test binary to open an engine, to say which process it has, and to wait for
// its own end.
const abandoned = "MODELPARITY_TEST_ABANDONED"

func abandon(fault string) {
	ctx := context.Background()
	RegisterTestingT(&testing.T{})
	b, err := isolated.Engine(faulty(fault)).Open(ctx, difference(), iterations(1))
	if err == nil {
		run, wrong := b.Run(ctx, iterations(1))
		if err = wrong; err == nil {
			fmt.Println(run.Provenance.Options["pid"])
			_, err = b.Run(ctx, iterations(1)) // hangs
		}
	}
	fmt.Println(err)
	os.Exit(1)
}

func TestNoProcessIsLeftWhereTheSuiteIsKilled(t *testing.T) {
	g := NewWithT(t)
	self, err := os.Executable()
	g.Expect(err).NotTo(HaveOccurred())
	suite := exec.Command(self)
	suite.Env = append(os.Environ(), abandoned+"=run 1: hang")
	out, err := suite.StdoutPipe()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(suite.Start()).To(Succeed())
	line, err := bufio.NewReader(out).ReadString('\n')
	g.Expect(err).NotTo(HaveOccurred())
	pid := strings.TrimSpace(line)
	g.Expect(pid).To(MatchRegexp(`^\d+$`))
	g.Expect(alive(pid)).To(BeTrue())
	g.Expect(suite.Process.Kill()).To(Succeed())
	_ = suite.Wait() // killed
	g.Eventually(func() bool { return alive(pid) }, "10s").Should(BeFalse())
}

// alive reports whether a process of that number runs; one that only waits to be reaped does not.
func alive(pid string) bool {
	state, err := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(state)), "Z")
}
