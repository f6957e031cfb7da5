package precision_test

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/internal/testing/usermodule"
)

var _ = Describe("What a repair writes", func() {
	// The written spec lies within this module, as it would within a user's.
	It("is a spec that compiles, passes, and fails for the model that was not repaired",
		func(ctx SpecContext) {
			skips.Long(GinkgoT())
			ort.Require(GinkgoT())
			model, inputs := digits(2)
			repaired, err := repair(ctx, model, inputs, 5e-3)
			Expect(err).NotTo(HaveOccurred())
			rounded, err := repair(ctx, model, inputs, 1e-1)
			Expect(err).NotTo(HaveOccurred())
			Expect(rounded.Computing).To(BeZero())
			folder, err := usermodule.Folder("repaired-")
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(os.RemoveAll, folder)
			file := filepath.Join(folder, "fixed.onnx")
			written, err := repaired.Save(file, model.Path(),
				ort.Engine(ort.OptimizationLevel(ort.OptimizeNone)))
			Expect(err).NotTo(HaveOccurred())
			Expect(written).To(Equal([]string{file, file + ".inputs.json",
				filepath.Join(folder, "fixed_test.go")}))

			moved, err := repaired.Save(filepath.Join(GinkgoT().TempDir(), "fixed.onnx"), model.Path(),
				ort.Engine(ort.CustomOps("written_test.go")))
			Expect(err).NotTo(HaveOccurred())
			Expect(os.ReadFile(moved[2])).To(ContainSubstring("/precision/written_test.go"))

			run, err := usermodule.Compile(ctx, folder,
				filepath.Join(GinkgoT().TempDir(), "fixed.test"))
			Expect(err).NotTo(HaveOccurred())
			said, err := run()
			Expect(err).NotTo(HaveOccurred(), said)
			Expect(said).To(And(ContainSubstring("--- PASS: TestRepaired"),
				ContainSubstring("--- PASS: TestKept1")))

			worse, err := rounded.Lowered()
			Expect(err).NotTo(HaveOccurred())
			Expect(worse.Save(file)).To(Succeed())
			said, err = run()
			Expect(err).To(HaveOccurred())
			Expect(said).To(And(ContainSubstring("--- FAIL: TestRepaired"),
				ContainSubstring("elements mismatch")))
		})
})
