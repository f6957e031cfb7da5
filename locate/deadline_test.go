package locate_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// stopping is a subject whose engine calls stop when it is opened for the n-th time.
func stopping(s backends.Subject, n int, stop func()) backends.Subject {
	opened := 0
	return by(s, func(ctx context.Context, m *loaders.Model, in fixtures.Inputs) (
		backends.Backend, error) {
		if opened++; opened == n {
			stop()
		}
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		return plain.Open(ctx, m, in)
	})
}

var _ = Describe("A search that is stopped", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	DescribeTable("gives what it found", func(ctx SpecContext, n int, cause, incomplete string) {
		faulty := network(6)
		faulty.Nodes[1].Op = "Sub"
		stopped, cancel := context.WithCancelCause(ctx)
		a := stopping(side("actual", faulty), n, func() { cancel(errors.New("enough")) })
		found, err := locate.Divergence(stopped, a, side("expected", network(6)), strict())
		Expect(err).To(MatchError("locate: " + incomplete + ": enough"))
		Expect(found).NotTo(BeNil())
		Expect(found.Cause).To(Equal(cause))
		Expect(found.Incomplete).To(Equal(incomplete + ": enough"))
		Expect(found.Text()).To(And(ContainSubstring("\nincomplete: "+incomplete),
			HavePrefix("actual    actual in ")))
	},
		Entry("at once", 1, "no tensor had been compared yet",
			"stopped while running the original models"),
		Entry("before the fault", 3, "none of the first 1 tensors is out of tolerance",
			"stopped while comparing inner tensors, with 1 of 18 tensors compared and 0 nodes tested alone"),
		Entry("behind the fault", 4, `"a0" is the first tensor out of tolerance, computed by Sub "add0" `+
			`(node 1; Add on the expected side): its inputs agree; `+
			`the node did not run alone, so nothing confirms that it is at fault`,
			"stopped while comparing inner tensors, with 5 of 18 tensors compared and 0 nodes tested alone"),
		Entry("among nodes alone", 6,
			`"a0" is the first tensor out of tolerance, computed by Sub "add0" `+
				`(node 1; Add on the expected side): its inputs agree; `+
				`the node did not run alone, so nothing confirms that it is at fault`,
			"stopped while running nodes alone, with 18 of 18 tensors compared and 1 nodes tested alone"),
	)
})

// TestSearchEndsBeforeGoTestDoes runs this test binary again with a short -timeout and an engine
// that hangs.
func TestSearchEndsBeforeGoTestDoes(t *testing.T) {
	if os.Getenv("MODELPARITY_TEST_HANG") != "" {
		s := side("model", network(2))
		opened := 0
		hanging := by(s, func(ctx context.Context, m *loaders.Model, in fixtures.Inputs) (
			backends.Backend, error) {
			if opened++; opened > 2 {
				<-ctx.Done()
				return nil, context.Cause(ctx)
			}
			return plain.Open(ctx, m, in)
		})
		found, err := locate.Divergence(t.Context(), s, hanging, strict())
		fmt.Println(found.Text(), err)
		return
	}
	ort.Require(t)
	g := NewWithT(t)
	again := exec.Command(os.Args[0], "-test.run=^TestSearchEndsBeforeGoTestDoes$",
		"-test.timeout=8s")
	again.Env = append(os.Environ(), "MODELPARITY_TEST_HANG=1")
	began := time.Now()
	out, err := again.CombinedOutput()
	g.Expect(err).NotTo(HaveOccurred(), "%s", out)
	g.Expect(time.Since(began)).To(BeNumerically("<", 8*time.Second))
	g.Expect(string(out)).To(And(
		ContainSubstring("incomplete: stopped while comparing inner tensors, with 1 of 6 tensors "),
		ContainSubstring("go test stops this process 8s after its start: raise -timeout")))
}
