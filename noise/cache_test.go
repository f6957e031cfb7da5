package noise_test

import (
	"context"
	"crypto/sha256"
	"os"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/noise"
)

var _ = Describe("Cached noise", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	It("is measured once for the same model, inputs and engine", func(ctx SpecContext) {
		model, inputs := digits()
		dir := noise.CacheIn(GinkgoT().TempDir())
		reference := run(ctx, ort.Engine(), model, inputs)
		first, err := noise.Of(reference, dir)
		Expect(err).NotTo(HaveOccurred())

		canceled, cancel := context.WithCancel(ctx)
		again := run(canceled, ort.Engine(), model, inputs)
		cancel() // any further run of the model fails
		Expect(noise.Of(again, dir)).To(Equal(first))
		_, err = noise.Of(again, dir, noise.Seed(7))
		Expect(err).To(MatchError(context.Canceled))
	})

	It("measures again if the cache is damaged", func(ctx SpecContext) {
		model, inputs := digits()
		dir := GinkgoT().TempDir()
		reference := run(ctx, ort.Engine(), model, inputs)
		first, err := noise.Of(reference, noise.CacheIn(dir))
		Expect(err).NotTo(HaveOccurred())
		files, err := os.ReadDir(dir)
		Expect(err).NotTo(HaveOccurred())
		Expect(files).To(HaveLen(1))
		path := dir + "/" + files[0].Name()
		whole, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		negative := slices.Clone(whole)
		negative[len(negative)-1-sha256.Size] |= 0x80
		greater := slices.Clone(whole)
		greater[len(greater)-1-sha256.Size] = 0x7e // the exponent of the last σ
		summed := func(text []byte) []byte {       // as if written by another version
			sum := sha256.Sum256(text)
			return slices.Concat(text, sum[:])
		}
		for _, damaged := range [][]byte{{}, []byte("{"), whole[:len(whole)-1],
			append(slices.Clone(whole), 0), negative, greater, summed(nil), summed([]byte("{}\n")),
			summed(whole[:len(whole)/2])} {
			Expect(os.WriteFile(path, damaged, 0o600)).To(Succeed())
			Expect(noise.Of(reference, noise.CacheIn(dir))).To(Equal(first))
		}
	})
})
