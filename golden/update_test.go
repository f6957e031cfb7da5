package golden_test

import (
	"context"
	"flag"
	"math"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
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
		GinkgoT().Setenv(goldentree.EnvUpdate, env)
		GinkgoT().Setenv("CI", ci)
		Expect(golden.Updating()).To(Equal(want))
	},
		Entry("no request", "-", "", "", golden.Off),
		Entry("the bare flag", "true", "", "", golden.Rewrite),
		Entry("the flag with a mode", "missing", "", "", golden.Missing),
		Entry("the variable", "-", "1", "", golden.Rewrite),
		Entry("the variable with a mode", "-", "diff", "", golden.Diff),
		Entry("the variable says no", "-", "0", "", golden.Off),
		Entry("the flag wins over the variable", "false", "1", "", golden.Off),
		Entry("always, on CI", "-", "always", "true", golden.Rewrite),
		Entry("all, on CI too", "all,always", "", "true", golden.All),
		Entry("the order does not matter", "-", "always,missing", "true", golden.Missing),
		Entry("no request, on CI", "-", "", "true", golden.Off),
		Entry("a review, on CI too", "-", "diff", "true", golden.Diff),
		Entry("CI that is not one", "-", "1", "false", golden.Rewrite),
	)

	It("on CI is refused, unless always", func() {
		GinkgoT().Setenv("CI", "true")
		asked("1")
		_, err := golden.Updating()
		Expect(err).To(MatchError(HavePrefix(
			"golden: -golden.update would write golden files, but CI is set")))
		Expect(err.Error()).To(HaveSuffix("GOLDEN_UPDATE=always"))
	})

	It("in an unknown mode is an error", func() {
		Expect(flag.Set("golden.update", "yes")).To(MatchError(ContainSubstring("want 1, all")))
		GinkgoT().Setenv(goldentree.EnvUpdate, "yes")
		_, err := golden.Updating()
		Expect(err).To(MatchError(`golden: GOLDEN_UPDATE: unknown mode "yes": ` +
			`want 1, all, missing or diff; append ",always" to permit it on CI`))
	})

	DescribeTable("in modes that contradict each other, or with a word too many, is an error",
		func(text string) {
			Expect(flag.Set("golden.update", text)).NotTo(Succeed())
			GinkgoT().Setenv(goldentree.EnvUpdate, text)
			_, err := golden.Updating()
			Expect(err).To(HaveOccurred())
		},
		Entry(nil, "all,missing"), Entry(nil, "1,diff"), Entry(nil, "clean"), Entry(nil, "0,always"),
		Entry(nil, "all,"), Entry(nil, ",always"), Entry(nil, "false,1"),
	)

	It("on CI names the text that asks for the same mode there", func() {
		GinkgoT().Setenv("CI", "1")
		asked("all")
		_, err := golden.Updating()
		Expect(err).To(MatchError(HaveSuffix("GOLDEN_UPDATE=all,always")))
	})

	It("stands alone on the command line", func() {
		value := flag.Lookup("golden.update").Value
		Expect(value.(interface{ IsBoolFlag() bool }).IsBoolFlag()).To(BeTrue())
	})

	It("obeys a -update flag that another package defined", func() {
		flag.Bool("update", false, "as another package defines it")
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
		read, err := golden.Read(context.Background(), path)
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

	Describe("whose old outputs the spec still takes", func() {
		now := runOf(must("logits", tensor.Of[float32](1, 2.25)))
		now.Provenance.Version = "1.32.0"
		takes := golden.Options{Judge: passes}

		It("keeps the file, and says how far the outputs moved", func() {
			asked("1")
			before := contents(path)
			change, err := golden.Update(path, now, takes)
			Expect(err).NotTo(HaveOccurred())
			Expect(change.Kind).To(Equal(golden.Kept))
			Expect(change.Wrote()).To(BeFalse())
			Expect(change.Notable()).To(BeTrue())
			Expect(change.String()).To(Equal(
				"golden kept: " + path + ": within tolerance, moved by at most 0.25 (logits)"))
			Expect(contents(path)).To(Equal(before))
		})

		It("keeps it without a word where only the provenance changed", func() {
			asked("1")
			before := contents(path)
			same := runOf(must("logits", tensor.Of[float32](1, 2)))
			same.Provenance.Version = "1.32.0"
			change, err := golden.Update(path, same, takes)
			Expect(err).NotTo(HaveOccurred())
			Expect(change.Kind).To(Equal(golden.Kept))
			Expect(change.Notable()).To(BeFalse())
			Expect(contents(path)).To(Equal(before))
		})

		It("rewrites it in mode all", func() {
			asked("all")
			Expect(golden.Update(path, now, takes)).To(HaveField("Kind", golden.Rewritten))
			Expect(golden.Read(context.Background(), path)).To(HaveField("Provenance.Version", "1.32.0"))
		})

		It("asks about the file, and rewrites it where the spec does not take it", func() {
			asked("1")
			var heard *backends.Run
			Expect(golden.Update(path, now, golden.Options{Judge: func(_, old *backends.Run) (
				compare.Report, error) {
				heard = old
				return compare.Report{Verdict: compare.Fail}, nil
			}})).To(HaveField("Kind", golden.Rewritten))
			Expect(heard.Outputs()[0].String()).To(Equal(old.Outputs()[0].String()))
		})

		It("lets two engines share a file that is within the tolerance of both", func() {
			asked("all")
			Expect(golden.Update(path, now, takes)).To(HaveField("Kind", golden.Rewritten))
			other := runOf(must("logits", tensor.Of[float32](1, 2.5)))
			Expect(golden.Update(path, other, takes)).To(HaveField("Kind", golden.Kept))
			Expect(golden.Update(path, now, takes)).To(HaveField("Kind", golden.Kept))
		})

		It("refuses two different runs under one name, kept or not", func() {
			asked("1")
			Expect(golden.Update(path, now, takes)).To(HaveField("Kind", golden.Kept))
			_, err := golden.Update(path, runOf(must("logits", tensor.Of[float32](9, 9))),
				golden.Options{})
			Expect(err).To(MatchError(ContainSubstring("an unnamed spec already produced different")))
		})
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
		_, err = golden.Read(context.Background(), path)
		Expect(err).NotTo(HaveOccurred())
	})

	DescribeTable("does not replace a file that is no damaged golden file", func(text string) {
		Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
		asked("all")
		_, err := golden.Update(path, old, golden.Options{})
		Expect(err).To(MatchError(SatisfyAll(ContainSubstring(
			path+": it is not a golden file and is left unchanged: "),
			HaveSuffix("; to write a golden file here, delete it first"))))
		Expect(contents(path)).To(Equal(text))
	},
		Entry("labels", `{"cat": 1}`), Entry("a list", `["cat"]`), Entry("a model", "\b\nnet"),
		Entry("half of another tool's run", `{"lst": [["A", [`),
		Entry("half of a saved run", `{"modelparity": {"format": 2, "kind": "run", "runs": [`),
	)

	DescribeTable("replaces a golden file of which only the beginning is left", func(text string) {
		Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
		asked("1")
		Expect(golden.Update(path, old, golden.Options{})).To(HaveField("Damage", Not(BeEmpty())))
	},
		Entry(nil, ""), Entry(nil, "\n"), Entry(nil, "{\r\n"), Entry(nil, "{\n\"modelparity\": {"),
		Entry(nil, "{\n\"modelparity\": {\n  \"format\": 2,\n  \"ki"),
		Entry(nil, "\ufeff{\"modelparity\": {\"kind\": \"golden\""),
	)

	It("does not replace a folder", func() {
		asked("1")
		_, err := golden.Update(filepath.Dir(path), old, golden.Options{})
		Expect(err).To(MatchError(HaveSuffix("not a regular file but a folder")))
	})

	It("does not replace a file of several runs", func() {
		several := contents("testdata/polygraphy/fp32_gemm/outputs.json")
		Expect(os.WriteFile(path, []byte(several), 0o600)).To(Succeed())
		asked("1")
		_, err := golden.Update(path, old, golden.Options{})
		Expect(err).To(MatchError(ContainSubstring("contains 2 runs")))
		Expect(contents(path)).To(Equal(several))
	})

	It("does not write a broken run", func() {
		asked("1")
		before := contents(path)
		_, err := golden.Update(path, runOf(must("logits", tensor.Of(math.Inf(1)))), golden.Options{})
		Expect(err).To(MatchError(ContainSubstring("has 1 +Inf at [0]")))
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
		Expect(err).To(MatchError(HaveSuffix("digits.json was not written: an unnamed spec already " +
			"produced different outputs in this test run; give each case its own golden file, or find " +
			"out why the run is not deterministic")))
	})
})

var _ = Describe("a golden file of a sequence of maps", func() {
	It("says how far each part moved", func() {
		zip := func(cat float32) *backends.Run {
			keys, err := tensor.FromStrings(tensor.Shape{2}, []string{"cat", "dog"})
			Expect(err).NotTo(HaveOccurred())
			set, err := tensor.NewSet(
				tensor.Entry{Name: "p.length", Tensor: tensor.Scalar[int64](1)},
				tensor.Entry{Name: "p[0].key", Tensor: keys.AsKeys()},
				tensor.Entry{Name: "p[0].value", Tensor: tensor.Of(cat, 1-cat)})
			Expect(err).NotTo(HaveOccurred())
			return backends.NewRun(backends.Provenance{Backend: "fake"},
				backends.Iteration{Outputs: set, Runtime: -1})
		}
		path := filepath.Join(GinkgoT().TempDir(), "p.json")
		Expect(golden.Write(path, zip(0.25), golden.Options{})).To(Succeed())
		read, err := golden.ReadReference(context.Background(), path)
		Expect(err).NotTo(HaveOccurred())
		Expect(read.Run.Outputs()[0].Values()).To(HaveExactElements(HaveField("Name", "p")))
		asked("all")
		change, err := golden.Update(path, zip(0.5), golden.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(change.String()).To(HaveSuffix("p.json, p.length unchanged, p[0].key unchanged, " +
			"max abs change 0.25 (p[0].value)"))
	})
})
