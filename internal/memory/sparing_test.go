package memory_test

import (
	"runtime/debug"
	"runtime/metrics"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/memory"
)

func TestSparingCollectsMoreOften(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("GOGC", "")
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	percent := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	memory.Sparing()
	g.Expect(percent()).To(BeEquivalentTo(50))
	memory.Crowded()
	g.Expect(percent()).To(BeEquivalentTo(20))

	debug.SetGCPercent(100)
	t.Setenv("GOGC", "70")
	memory.Sparing()
	memory.Crowded()
	g.Expect(percent()).To(BeEquivalentTo(100), "as the environment has it")
}
