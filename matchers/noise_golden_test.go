package matchers_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/noise"
)

var _ = Describe("MatchWithinNoise with files", func() {
	var model *loaders.Model
	var inputs fixtures.Inputs
	var path, cache string
	var notices *gbytes.Buffer
	BeforeEach(func() {
		ort.Require(GinkgoT())
		file, err := filepath.Abs("../example_test/digits/testdata/digits.onnx")
		Expect(err).NotTo(HaveOccurred())
		model = loaders.ONNX(file)
		inputs = fixtures.Random(model, fixtures.Shape("image", 2, 1, 8, 8))
		GinkgoT().Chdir(GinkgoT().TempDir())
		Expect(os.WriteFile("go.mod", nil, 0o600)).To(Succeed())
		GinkgoT().Setenv("CI", "")
		GinkgoT().Setenv("GOLDEN_UPDATE", "")
		cache = GinkgoT().TempDir()
		GinkgoT().Setenv(noise.CacheVariable, cache)
		path = filepath.Join("testdata", "golden", "digits.json")
		notices = gbytes.NewBuffer()
		DeferCleanup(AnnounceTo(notices))
	})
	runOf := func(ctx SpecContext, options ...ort.Option) *backends.Run {
		GinkgoHelper()
		run, err := ort.Run(ctx, model, inputs, options...)
		Expect(err).NotTo(HaveOccurred())
		return run
	}
	measurements := func() int {
		GinkgoHelper()
		files, err := os.ReadDir(cache)
		Expect(err).NotTo(HaveOccurred())
		return len(files)
	}
	update := func(mode string) { GinkgoT().Setenv("GOLDEN_UPDATE", mode) }
	written := func(ctx SpecContext) string {
		GinkgoHelper()
		update("1")
		Expect(runOf(ctx)).To(MatchWithinNoise().OfGolden("digits"))
		update("")
		text, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		return string(text)
	}

	It("writes the noise into the golden file, and then measures it no more", func(ctx SpecContext) {
		text := written(ctx)
		Expect(text).To(ContainSubstring(`"notes": {"noise"`))
		Expect(string(notices.Contents())).To(HavePrefix("golden created: "))
		before := measurements()
		Expect(before).To(Equal(1))
		GinkgoT().Setenv(noise.CacheVariable, GinkgoT().TempDir())
		other := runOf(ctx, ort.OptimizationLevel(ort.OptimizeNone))
		Expect(other).To(MatchWithinNoise().OfGolden("digits"))
		files, err := os.ReadDir(os.Getenv(noise.CacheVariable))
		Expect(err).NotTo(HaveOccurred())
		Expect(files).To(BeEmpty())
		Expect(other).To(MatchWithinNoise().OfFile(path))
		Expect(other).To(MatchGolden("digits").Within(1e-4, 1e-4, Elementwise))
	})

	It("keeps a file that holds within its own noise", func(ctx SpecContext) {
		text := written(ctx)
		update("1")
		Expect(runOf(ctx, ort.OptimizationLevel(ort.OptimizeNone))).To(
			MatchWithinNoise().OfGolden("digits"))
		now, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(now)).To(Equal(text))
	})

	It("writes a file without noise again when it is updated", func(ctx SpecContext) {
		run := runOf(ctx)
		Expect(golden.Write(path, run, golden.Options{})).To(Succeed())
		Expect(run).To(MatchWithinNoise().OfGolden("digits")) // measured in the actual engine
		Expect(measurements()).To(Equal(1))
		Expect(written(ctx)).To(ContainSubstring(`"notes": {"noise"`))
	})

	It("refuses another model's numbers by the noise of the file", func(ctx SpecContext) {
		tract.Require(GinkgoT())
		written(ctx)
		half, err := tract.Run(ctx, model, inputs, tract.FP16())
		Expect(err).NotTo(HaveOccurred())
		m := MatchWithinNoise().OfGolden("digits")
		Expect(m.Match(half)).To(BeFalse())
		Expect(m.FailureMessage(half)).To(MatchRegexp(
			`noise of \d+ runs in onnxruntime OptimizationLevel\(none\) with sums in random orders, ` +
				`kept in the expected file`))
		_, err = MatchWithinNoise().MeasuredIn(tract.Engine(tract.FP16())).Of(half).Match(half)
		Expect(err).To(MatchError(ContainSubstring("computes in lower precision than the model")))
	})

	It("measures again in another engine, and refuses noise that belongs elsewhere",
		func(ctx SpecContext) {
			written(ctx)
			before := measurements()
			Expect(runOf(ctx)).To(
				MatchWithinNoise().MeasuredIn(ort.Engine(ort.Threads(2))).OfGolden("digits"))
			Expect(measurements()).To(Equal(before + 1))

			file, err := golden.ReadReference(context.Background(), path)
			Expect(err).NotTo(HaveOccurred())
			old := file.Run
			note := string(old.Notes()["noise"])
			for replaced, says := range map[[2]string]string{
				{old.Provenance.ModelSHA256, strings.Repeat("0", 64)}:  "measured on a different model",
				{old.Provenance.InputsSHA256, strings.Repeat("0", 64)}: "measured on different inputs",
				{`"sigma":"`, `"sigma":"AAAA`}:                         "does not match its checksum",
				{`"power":[`, `"power":[{"constant":"w"},`}:            "does not match its checksum",
				{`"runs":`, `"runs":"8","r":`}:                         "stored noise",
				{`"prior":`, `"prior":-`}:                              "does not match its checksum",
			} {
				damaged := strings.Replace(note, replaced[0], replaced[1], 1)
				Expect(damaged).NotTo(Equal(note))
				bad := old.WithNotes(map[string]json.RawMessage{"noise": json.RawMessage(damaged)})
				_, err := noise.Between(nil, bad)
				Expect(err).To(MatchError(ContainSubstring(says)), replaced[1])
			}
		})
})
