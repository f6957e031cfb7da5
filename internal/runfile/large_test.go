package runfile_test

import (
	"math"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A file beyond 256 MiB", func() {
	const beyond = spill.Large + 1

	It("is in memory where it is a golden file and a quarter of what is free takes it", func() {
		path := filepath.Join(GinkgoT().TempDir(), "net.json")
		Expect(golden.Write(path, runOf(tensor.Of[float32](1)), golden.Options{})).To(Succeed())
		text, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		free := memory.Free()
		if free == math.MaxUint64 {
			Expect(runfile.InMemory(string(text), beyond)).To(BeZero(), "what is free is not known")
			return
		}
		Expect(runfile.InMemory(string(text), beyond)).To(And(BeNumerically(">", free/8),
			BeNumerically("<", free/2)))
		Expect(runfile.InMemory(string(text), spill.Large)).To(BeZero(), "it fits anyway")
	})

	It("is read in parts where it is no golden file", func() {
		path := filepath.Join(GinkgoT().TempDir(), "run.json")
		run := runs.Named{Name: "r", Run: runOf(tensor.Of[float32](1))}
		Expect(runs.WriteRuns(path, []runs.Named{run})).To(Succeed())
		text, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(runfile.InMemory(string(text), beyond)).To(BeZero(), "saved runs")
		Expect(runfile.InMemory(`{"lst": []}`, beyond)).To(BeZero(), "another's file")
		Expect(runfile.InMemory(`{"modelparity": {"format": 1, "kind"`, beyond)).To(BeZero(), "damaged")
	})
})
