package memory_test

import (
	"runtime"
	"runtime/debug"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/memory"
)

func TestSparingWaitsForTheFirstCollection(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("GOGC", "")
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	percent := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
	memory.Sparing()
	g.Expect(percent()).To(Equal(200))
	runtime.GC()
	g.Eventually(percent).Should(Equal(50))

	debug.SetGCPercent(100)
	t.Setenv("GOGC", "70")
	memory.Sparing()
	g.Expect(percent()).To(Equal(100), "as the environment has it")
}
