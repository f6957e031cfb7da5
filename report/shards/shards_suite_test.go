package shards

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestShards(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "report/shards")
}

// program is the test binary of the sample suite, and ginkgoCommand is Ginkgo's command.
var program, ginkgoCommand string

var _ = BeforeSuite(func(ctx SpecContext) {
	program = filepath.Join(GinkgoT().TempDir(), "sample.test")
	out, err := exec.CommandContext(ctx, "go", "test", "-c", "-o", program, "./internal/sample").
		CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(out))
	Expect(os.Stat(program)).NotTo(BeNil())
	ginkgoCommand = filepath.Join(filepath.Dir(program), "ginkgo")
	out, err = exec.CommandContext(ctx, "go", "build", "-o", ginkgoCommand,
		"github.com/onsi/ginkgo/v2/ginkgo").CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(out))
})
