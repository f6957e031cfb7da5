package sample

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/report/shards"
)

var _ = It("is a spec at the top, in a file before the line that shards", func() { ran() })

var _ = shards.Take()

// ran logs that the spec's body ran, or hangs if SAMPLE_HANGS is set.
func ran() {
	GinkgoHelper()
	if os.Getenv("SAMPLE_HANGS") != "" {
		fmt.Println("hangs")
		time.Sleep(time.Hour)
	}
	note(CurrentSpecReport().FullText())
}

// note appends a line to the file named by SAMPLE_LOG.
func note(line string) {
	path := os.Getenv("SAMPLE_LOG")
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	Expect(err).NotTo(HaveOccurred())
	_, err = f.WriteString(line + "\n")
	Expect(err).NotTo(HaveOccurred())
	Expect(f.Close()).To(Succeed())
}

// prepared is set by the outermost BeforeEach. Without it the AfterEach panics.
var prepared *int

var _ = BeforeEach(func() {
	prepared = new(int)
	note("setup of " + CurrentSpecReport().FullText())
})

var _ = AfterEach(func() {
	*prepared++
	prepared = nil
})

var _ = Describe("models", func() {
	for i := range 20 {
		It(fmt.Sprintf("number %d matches", i), func() { ran() })
	}
	It("of one name, here", func() { ran() })
	It("of one name, here", func() { ran() })
	It("is slow", Label("slow"), func() { ran() })
	It("is alone", Serial, func() { ran() })
	It("lacks its engine", func() { Skip("no GPU") })
	PIt("is pending", func() { ran() })
	DescribeTable("rows", func(int) { ran() },
		Entry("first", 1), Entry("second", 2), Entry("of one name", 3), Entry("of one name", 4))
})

var _ = Describe("a flaky one", func() {
	var attempts atomic.Int32
	It("passes the second time", FlakeAttempts(2), func() {
		Expect(attempts.Add(1)).To(BeNumerically(">", 1))
		ran()
	})
})

// order makes an Ordered container whose specs depend on their predecessors.
func order(name string) {
	Describe(name, Ordered, func() {
		step := 0
		BeforeAll(func() { step = 1; note("all of " + name) })
		AfterAll(func() { step = 0 })
		for i := range 4 {
			It(fmt.Sprintf("step %d", i+1), func() {
				step++
				Expect(step).To(Equal(i + 2))
				ran()
			})
		}
		Context("deeper", func() {
			It("still follows", func() { Expect(step).To(Equal(5)); ran() })
		})
	})
}

var _ = Describe("orders", func() {
	for _, name := range []string{"one", "two", "three", "twins", "twins"} {
		order(name)
	}
})

func TestSample(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "sample")
}

func TestPlain(t *testing.T) { notePlain(t, "plain") }
func TestOther(t *testing.T) { notePlain(t, "other") }

func notePlain(t *testing.T, name string) {
	NewWithT(t)
	RegisterTestingT(t)
	note(name)
}
