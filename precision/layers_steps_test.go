package precision

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/pythontest"
)

// stepping lists the steps of a search in which the given numbers of layers pass.
func stepping(linear, reverse bool, layers int, passes func(marked int) bool) (steps []string,
	found string) {
	GinkgoHelper()
	m, err := Layers{Linear: linear, Reverse: reverse}.search(context.Background(), layers,
		func(_ context.Context, from, to int) (bool, error) {
			steps = append(steps, fmt.Sprintf("%d:%d", from, to))
			return passes(to - from), nil
		})
	Expect(err).NotTo(HaveOccurred())
	Expect(m.Steps).To(Equal(len(steps)))
	found = "none"
	if m.Found {
		found = fmt.Sprint(m.Count)
	}
	return steps, found
}

var _ = Describe("The search of debug precision", func() {
	from := func(least int) func(int) bool { return func(marked int) bool { return marked >= least } }

	It("bisects from all layers on, to the least number that passes", func() {
		steps, found := stepping(false, false, 16, from(5))
		Expect(steps).To(HaveExactElements("0:16", "0:8", "0:4", "0:6", "0:5"))
		Expect(found).To(Equal("5"))
		steps, found = stepping(false, true, 16, from(5))
		Expect(steps).To(HaveExactElements("0:16", "8:16", "12:16", "10:16", "11:16"))
		Expect(found).To(Equal("5"))
	})

	It("adds layers one by one, from none on", func() {
		steps, found := stepping(true, true, 4, from(2))
		Expect(steps).To(HaveExactElements("4:4", "3:4", "2:4"))
		Expect(found).To(Equal("2"))
	})

	It("needs a layer", func() {
		_, err := Layers{}.search(context.Background(), 0, nil)
		Expect(err).To(MatchError(ContainSubstring("0 layers")))
	})

	// Every search over up to 9 layers, and any set of numbers that pass, ordered or not.
	It("takes the steps of the real Polygraphy", func() {
		python := pythontest.With(GinkgoT(), "polygraphy.tools.debug.subtool.precision")
		var mine bytes.Buffer
		for layers := 1; layers <= 9; layers++ {
			for set := range 1 << (layers + 1) {
				for _, mode := range []string{"bisect", "linear"} {
					for _, direction := range []string{"forward", "reverse"} {
						steps, found := stepping(mode == "linear", direction == "reverse", layers,
							func(marked int) bool { return set>>marked&1 == 1 })
						fmt.Fprintln(&mine, layers, set, mode, direction, strings.Join(steps, " "), found)
					}
				}
			}
		}
		command := exec.Command(python, "-I", "testdata/debug_precision.py", "9")
		command.Stderr = os.Stderr
		theirs, err := command.Output()
		Expect(err).NotTo(HaveOccurred())
		ours := strings.Split(mine.String(), "\n")
		for i, line := range strings.Split(string(theirs), "\n") {
			if line != ours[i] {
				Fail(fmt.Sprintf("Polygraphy: %s\nours:       %s", line, ours[i]))
			}
		}
		Expect(len(ours)).To(BeNumerically(">", 4000))
	})
})
