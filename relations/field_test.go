package relations_test

import (
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/relations"
)

// fieldModels are the models exported by `make field`.
func fieldModels() []string {
	folder := os.Getenv("MODELPARITY_FIELD")
	if folder == "" {
		return nil
	}
	all, _ := filepath.Glob(filepath.Join(folder, "*", "*.onnx"))
	return all
}

// `make relations` runs these specs. They print relations that do not apply, for example to a fixed
// batch, and models that an engine cannot open; these do not count as passed.
var _ = Describe("the engines on models of the field", Label("field"), func() {
	models := fieldModels()
	if len(models) == 0 {
		It("agree with themselves", func() {
			Skip("MODELPARITY_FIELD names no models; make relations sets it")
		})
	}
	for _, path := range models {
		for name, e := range engines {
			kind := filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
			It(name+" on "+kind, func(ctx SpecContext) {
				e.require(GinkgoT())
				model := loaders.ONNX(path)
				inputs := fixtures.Random(model)
				if saved := filepath.Join(filepath.Dir(path), "inputs.npz"); exists(saved) {
					inputs = fixtures.LoadFor(model, saved)
				}
				s := backends.Subject{Engine: e.engine, Model: model, Inputs: inputs}
				small := relations.Options{Sizes: []int{1, 2, 3, 7}}
				exact, err := relations.Check(ctx, s, small, relations.Repeat(2), relations.Rows())
				Expect(err).NotTo(HaveOccurred())
				small.Rule.Checks = []compare.Check{compare.Within(1e-5, 1e-5, compare.Elementwise)}
				near, err := relations.Check(ctx, s, small, relations.Batch(), relations.Order())
				Expect(err).NotTo(HaveOccurred())
				GinkgoWriter.Println(exact.Text() + near.Text())
				Expect(exact.Primary()).To(BeNil(), exact.Text())
				Expect(near.Primary()).To(BeNil(), near.Text())
			}, SpecTimeout(5*time.Minute))
		}
	}
})

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
