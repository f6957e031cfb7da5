package precision_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/precision"
)

// search lists the steps of a search in which the given numbers of layers pass.
func search(mode precision.Mode, direction precision.Direction, layers int,
	passes func(marked int) bool) (steps []string, found string) {
	GinkgoHelper()
	m, err := precision.NewMarker(mode, direction, layers)
	Expect(err).NotTo(HaveOccurred())
	Expect(m.Run(context.Background(), func(_ context.Context, from, to int) (bool, error) {
		steps = append(steps, fmt.Sprintf("%d:%d", from, to))
		return passes(to - from), nil
	})).To(Succeed())
	Expect(m.Steps()).To(Equal(len(steps)))
	found = "none"
	if count, ok := m.Found(); ok {
		found = fmt.Sprint(count)
	}
	return steps, found
}

var _ = Describe("The search of debug precision", func() {
	from := func(least int) func(int) bool { return func(marked int) bool { return marked >= least } }

	It("bisects from all layers on, to the least number that passes", func() {
		steps, found := search(precision.Bisect, precision.Forward, 16, from(5))
		Expect(steps).To(HaveExactElements("0:16", "0:8", "0:4", "0:6", "0:5"))
		Expect(found).To(Equal("5"))
		steps, found = search(precision.Bisect, precision.Reverse, 16, from(5))
		Expect(steps).To(HaveExactElements("0:16", "8:16", "12:16", "10:16", "11:16"))
		Expect(found).To(Equal("5"))
	})

	It("adds layers one by one, from none on", func() {
		steps, found := search(precision.Linear, precision.Reverse, 4, from(2))
		Expect(steps).To(HaveExactElements("4:4", "3:4", "2:4"))
		Expect(found).To(Equal("2"))
	})

	It("ends with an error of the judge, and refuses what it does not know", func() {
		m, err := precision.NewMarker(precision.Linear, precision.Forward, 2)
		Expect(err).NotTo(HaveOccurred())
		Expect(m.Run(context.Background(), func(context.Context, int, int) (bool, error) {
			return false, errors.New("no engine")
		})).To(MatchError(ContainSubstring("layers 0 to 0 in higher precision: no engine")))
		_, err = precision.NewMarker("guess", precision.Forward, 2)
		Expect(err).To(MatchError(ContainSubstring(`unknown mode "guess": want one of [bisect linear]`)))
		_, err = precision.NewMarker(precision.Bisect, "up", 2)
		Expect(err).To(MatchError(ContainSubstring(`unknown direction "up"`)))
		_, err = precision.NewMarker(precision.Bisect, precision.Forward, 0)
		Expect(err).To(MatchError(ContainSubstring("0 layers")))
	})

	// Every search over up to 9 layers, and any set of numbers that pass, ordered or not.
	It("takes the steps of the real Polygraphy", func() {
		python := pythontest.With(GinkgoT(), "polygraphy.tools.debug.subtool.precision")
		var mine bytes.Buffer
		for layers := 1; layers <= 9; layers++ {
			for set := range 1 << (layers + 1) {
				for _, mode := range []precision.Mode{precision.Bisect, precision.Linear} {
					for _, direction := range []precision.Direction{precision.Forward, precision.Reverse} {
						steps, found := search(mode, direction, layers,
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
