package golden_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/tensor"
)

// writerArgument makes this test binary a process that writes golden files until it is killed.
const writerArgument = "write-golden-files"

// large is a run whose file takes a while to write: every value is the same.
func large(value float32) *backends.Run {
	values := make([]float32, 1<<16)
	for i := range values {
		values[i] = value
	}
	return backends.NewRun(backends.Provenance{},
		backends.Iteration{Outputs: must("y", tensor.Of(values...))})
}

func writeForEver(path string) {
	options := golden.Options{}
	if strings.HasSuffix(path, "aside.json") {
		options.Inline = 1
	}
	for i := 0; ; i++ {
		if err := golden.Write(path, large(float32(i%1000)), options); err != nil {
			panic(err)
		}
		os.Stdout.WriteString("written\n")
	}
}

// writer starts a process that writes path for ever, and returns when it has written once.
func writer(path string) *exec.Cmd {
	GinkgoHelper()
	self, err := os.Executable()
	Expect(err).NotTo(HaveOccurred())
	process := exec.Command(self, writerArgument, path)
	process.Stderr = GinkgoWriter
	out, err := process.StdoutPipe()
	Expect(err).NotTo(HaveOccurred())
	Expect(process.Start()).To(Succeed())
	_, err = bufio.NewReader(out).ReadString('\n')
	Expect(err).NotTo(HaveOccurred())
	return process
}

var _ = Describe("Killing the writer", func() {
	It("leaves the old file or the new one, whole", func() {
		path := temporary("y.json")
		for i := range 8 {
			process := writer(path)
			time.Sleep(time.Duration(i) * 7 * time.Millisecond)
			Expect(process.Process.Kill()).To(Succeed()) // SIGKILL: nothing can be tidied up
			process.Wait()
			_, err := golden.Read(context.Background(), path)
			Expect(err).NotTo(HaveOccurred())
		}
	})

	It("leaves the old file with its data or the new one with its own", func() {
		path := temporary("aside.json")
		for i := range 8 {
			process := writer(path)
			time.Sleep(time.Duration(i) * 5 * time.Millisecond)
			Expect(process.Process.Kill()).To(Succeed())
			process.Wait()
			_, err := golden.Read(context.Background(), path)
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(golden.Write(path, large(1), golden.Options{Layout: golden.Layout{Inline: 1}})).
			To(Succeed(), "whatever was left there")
	})

	DescribeTable("is harmless to parallel readers, as are parallel writers", func(name string) {
		path := temporary(name)
		first, second := writer(path), writer(path)
		for range 40 {
			_, err := golden.Read(context.Background(), path)
			Expect(err).NotTo(HaveOccurred())
		}
		for _, process := range []*exec.Cmd{first, second} {
			Expect(process.Process.Kill()).To(Succeed())
			process.Wait()
		}
		_, err := golden.Read(context.Background(), path)
		Expect(err).NotTo(HaveOccurred())
	},
		Entry("of a file with all its data", "y.json"),
		Entry("of a file with data next to it", "aside.json"),
	)
})
