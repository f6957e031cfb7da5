package locate_test

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/internal/testing/usermodule"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

var _ = Describe("Fences", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("are written as a model, its inputs, and a spec that fails without them",
		func(ctx SpecContext) {
			skips.Long(GinkgoT())
			folder, err := usermodule.Folder("fenced-")
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(os.RemoveAll, folder)
			original, file := filepath.Join(folder, "net.onnx"), filepath.Join(folder, "fenced.onnx")
			actual := summed.subject()
			model := actual.Model.(*loaders.Model)
			Expect(model.Save(original)).To(Succeed())
			expected := actual
			expected.Engine = plain
			found, err := locate.Fence(ctx, actual, expected, absolute(1e-3))
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Fences).To(Equal([]string{"k"}))
			Expect(found.Engine).To(Equal(ort.Engine(
				ort.Config("optimization.disable_specified_optimizers", "ConvAddFusion"))))
			written, err := found.Save(file, original)
			Expect(err).NotTo(HaveOccurred())
			Expect(written).To(Equal([]string{file, file + ".inputs.json",
				filepath.Join(folder, "fenced_test.go")}))

			run, err := usermodule.Compile(ctx, folder,
				filepath.Join(GinkgoT().TempDir(), "fenced.test"))
			Expect(err).NotTo(HaveOccurred())
			said, err := run()
			Expect(err).NotTo(HaveOccurred(), said)
			Expect(said).To(And(ContainSubstring("--- PASS: TestFenced_"),
				ContainSubstring("--- PASS: TestWithoutPasses_")))
			Expect(model.Save(file)).To(Succeed())
			said, err = run()
			Expect(err).To(HaveOccurred())
			Expect(said).To(And(ContainSubstring("--- FAIL: TestFenced_"),
				ContainSubstring("elements mismatch"), ContainSubstring("--- PASS: TestWithoutPasses_")))
		})

	It("are only passes if no tensors heal", func(ctx SpecContext) {
		found, err := locate.Fence(ctx, scaled.subject(),
			scaled.subject(ort.OptimizationLevel(ort.OptimizeNone)), absolute(1e-3))
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Passes).To(Equal([]string{"MatMulScaleFusion"}))
		Expect(found.Fences).To(BeEmpty())
		file := filepath.Join(GinkgoT().TempDir(), "fenced.onnx")
		Expect(found.Save(file, "net.onnx")).To(Equal([]string{file + ".inputs.json",
			filepath.Join(filepath.Dir(file), "fenced_test.go")}))
		Expect(file).NotTo(BeAnExistingFile())
		Expect(found.Text()).To(ContainSubstring(
			"marking tensors as outputs does not make the original outputs agree"))
	})

	It("are none if the outputs agree, or if fusion is not the cause", func(ctx SpecContext) {
		actual, expected := side("actual", network(6)), side("expected", network(6))
		actual.Engine = ort.Engine()
		found, err := locate.Fence(ctx, actual, expected, absolute(1e-3))
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Engine).To(BeNil())
		Expect(found.Fences).To(BeEmpty())
		Expect(found.Save("unused.onnx", "net.onnx")).To(BeEmpty())
		Expect(found.Text()).To(HaveSuffix(": the outputs agree, so no fusion needs to be prevented\n"))
		wrong := network(6)
		initializer(&wrong, "b3").Raw[2] ^= 0x40
		actual.Model = side("actual", wrong).Model
		_, err = locate.Fence(ctx, actual, expected, absolute(1e-3))
		Expect(err).To(MatchError(locate.ErrNotFused))
	})
})
