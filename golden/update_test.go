package golden_test

import (
	"flag"
	"math"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/tensor"
)

func asked(mode string) {
	GinkgoHelper()
	Expect(flag.Set("golden.update", mode)).To(Succeed())
}

var _ = Describe("Asking for an update", func() {
	DescribeTable("by the flag and the variable", func(flagged, env, ci string, want golden.Mode) {
		if flagged != "-" {
			asked(flagged)
		}
		GinkgoT().Setenv(golden.EnvUpdate, env)
		GinkgoT().Setenv("CI", ci)
		Expect(golden.Updating()).To(Equal(want))
	},
		Entry("nobody asks", "-", "", "", golden.Off),
		Entry("the bare flag", "true", "", "", golden.Rewrite),
		Entry("the flag with a mode", "missing", "", "", golden.Missing),
		Entry("the variable", "-", "1", "", golden.Rewrite),
		Entry("the variable with a mode", "-", "clean", "", golden.Clean),
		Entry("the variable says no", "-", "0", "", golden.Off),
		Entry("the flag wins over the variable", "false", "1", "", golden.Off),
		Entry("always, on CI", "-", "always", "true", golden.Always),
		Entry("nobody asks, on CI", "-", "", "true", golden.Off),
		Entry("CI that is not one", "-", "1", "false", golden.Rewrite),
	)

	It("on CI is refused, unless always", func() {
		GinkgoT().Setenv("CI", "true")
		asked("1")
		_, err := golden.Updating()
		Expect(err).To(MatchError(HavePrefix(
			"golden: -golden.update asks for golden files to be written, but CI is set")))
		Expect(err.Error()).To(HaveSuffix("GOLDEN_UPDATE=always"))
	})

	It("in an unknown mode is an error", func() {
		Expect(flag.Set("golden.update", "yes")).To(MatchError(ContainSubstring("want 1, missing")))
		GinkgoT().Setenv(golden.EnvUpdate, "yes")
		_, err := golden.Updating()
		Expect(err).To(MatchError(
			`golden: GOLDEN_UPDATE: "yes" is no mode: want 1, missing, clean or always`))
	})

	It("stands alone on the command line", func() {
		value := flag.Lookup("golden.update").Value
		Expect(value.(interface{ IsBoolFlag() bool }).IsBoolFlag()).To(BeTrue())
	})

	It("is heard from a -update that somebody else defined", func() {
		golden.RegisterUpdateFlag()
		golden.RegisterUpdateFlag() // a second call does not panic
		Expect(golden.Updating()).To(Equal(golden.Off))
		Expect(flag.Set("update", "true")).To(Succeed())
		DeferCleanup(flag.Set, "update", "false")
		Expect(golden.Updating()).To(Equal(golden.Rewrite))
	})
})

var _ = Describe("Updating a golden file", func() {
	old := runOf(must("logits", tensor.Of[float32](1, 2)))
	var path string
	BeforeEach(func() {
		path = temporary("digits.json")
		Expect(golden.Write(path, old, golden.Options{})).To(Succeed())
	})

	It("does nothing unless asked", func() {
		before := contents(path)
		change, err := golden.Update(path, runOf(must("logits", tensor.Of[float32](5))), golden.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(change.Kind).To(Equal(golden.Untouched))
		Expect(change.Wrote()).To(BeFalse())
		Expect(contents(path)).To(Equal(before))
	})

	It("says how far each output moved", func() {
		asked("1")
		now := set("logits", tensor.Of[float32](1, 2.25), "labels", tensor.Of[int64](1))
		change, err := golden.Update(path, runOf(now), golden.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(change.Wrote()).To(BeTrue())
		Expect(change.String()).To(Equal(
			"golden rewritten: " + path + ", max abs change 0.25 (logits), labels new"))
		read, err := golden.Read(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(read.Outputs()[0].String()).To(Equal(now.String()))
	})

	It("says what else changed", func() {
		asked("1")
		now := runOf(must("logits", tensor.Of[float64](1, 2)),
			must("probabilities", tensor.Of[float32](1)))
		Expect(golden.Update(path, now, golden.Options{})).To(HaveField("String()", Equal(
			"golden rewritten: "+path+", logits of iteration 0 was float32[2], is float64[2], "+
				"probabilities of iteration 1 new")))
		golden.ForgetAll()
		asked("1")
		change, err := golden.Update(path, old, golden.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(change.String()).To(ContainSubstring("probabilities of iteration 1 gone"))
	})

	It("counts a NaN that came as no number", func() {
		asked("1")
		change, err := golden.Update(path, runOf(must("logits", tensor.Of(1, float32(math.NaN())))),
			golden.Options{AllowNonFinite: true})
		Expect(err).NotTo(HaveOccurred())
		Expect(change.String()).To(HaveSuffix("max abs change NaN (logits)"))
	})

	It("leaves the same bytes alone", func() {
		asked("1")
		change, err := golden.Update(path, old, golden.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(change.String()).To(Equal("golden unchanged: " + path))
	})

	It("in mode missing writes only what is missing", func() {
		asked("missing")
		before := contents(path)
		Expect(golden.Update(path, runOf(every()), golden.Options{})).To(
			HaveField("Kind", golden.Untouched))
		Expect(contents(path)).To(Equal(before))
		absent := filepath.Join(filepath.Dir(path), "new", "x.json")
		Expect(golden.Update(absent, old, golden.Options{})).To(
			HaveField("String()", "golden created: "+absent))
		Expect(absent).To(BeAnExistingFile())
	})

	It("in mode missing leaves a damaged file for a person to look at", func() {
		Expect(os.WriteFile(path, []byte("{"), 0o600)).To(Succeed())
		asked("missing")
		Expect(golden.Update(path, old, golden.Options{})).To(HaveField("Kind", golden.Untouched))
		Expect(contents(path)).To(Equal("{"))
	})

	It("replaces a damaged file, and says that it was", func() {
		Expect(os.WriteFile(path, []byte(contents(path)[:500]), 0o600)).To(Succeed())
		asked("1")
		change, err := golden.Update(path, old, golden.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(change.String()).To(ContainSubstring("the old file could not be read: byte 500"))
		_, err = golden.Read(path)
		Expect(err).NotTo(HaveOccurred())
	})

	It("does not replace a folder", func() {
		asked("1")
		_, err := golden.Update(filepath.Dir(path), old, golden.Options{})
		Expect(err).To(MatchError(HaveSuffix("it is a folder")))
	})

	It("does not replace a file of several runs", func() {
		several := contents("testdata/polygraphy/fp32_gemm/outputs.json")
		Expect(os.WriteFile(path, []byte(several), 0o600)).To(Succeed())
		asked("1")
		_, err := golden.Update(path, old, golden.Options{})
		Expect(err).To(MatchError(ContainSubstring("holds 2 runs")))
		Expect(contents(path)).To(Equal(several))
	})

	It("does not write a broken run", func() {
		asked("1")
		before := contents(path)
		_, err := golden.Update(path, runOf(must("logits", tensor.Of(math.Inf(1)))), golden.Options{})
		Expect(err).To(MatchError(ContainSubstring("is +Inf at [0]")))
		_, err = golden.Update(path, runOf(), golden.Options{})
		Expect(err).To(MatchError(ContainSubstring("no iterations")))
		Expect(contents(path)).To(Equal(before))
	})

	It("refuses two different runs under one name", func() {
		asked("1")
		for range 2 {
			_, err := golden.Update(path, old, golden.Options{})
			Expect(err).NotTo(HaveOccurred())
		}
		_, err := golden.Update(path, runOf(must("logits", tensor.Of[float32](1, 3))), golden.Options{})
		Expect(err).To(MatchError(ContainSubstring("two specs share the name")))
	})
})
