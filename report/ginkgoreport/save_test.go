package ginkgoreport

import (
	"context"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/report/plots"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Save", func() {
	set := func(name string, values ...float64) *tensor.Set {
		s, err := tensor.NewSet(tensor.Entry{Name: name, Tensor: tensor.Of(values...)})
		Expect(err).NotTo(HaveOccurred())
		return s
	}
	values := func(path string) []float64 {
		GinkgoHelper()
		saved, err := runs.ReadRuns(context.Background(), path)
		Expect(err).NotTo(HaveOccurred())
		Expect(saved).To(HaveLen(1))
		return saved[0].Run.Iterations()[0].Outputs.At(0).Tensor.Float64s()
	}

	It("saves both sides of each failed comparison under the name of the spec", func() {
		folder := GinkgoT().TempDir()
		m := matchers.MatchOutputs().Of(set("y", 1, 2)).ReportTo(Save(folder))
		Expect(set("y", 1, 2)).To(m)
		Expect(os.ReadDir(folder)).To(BeEmpty(), "nothing is kept of a match")

		Expect(set("y", 1, 3)).NotTo(m)
		Expect(set("y", 4, 5)).NotTo(m)
		const spec = "Save_saves_both_sides_of_each_failed_comparison_under_the_name_of_the_spec"
		Expect(values(filepath.Join(folder, spec, "actual.json"))).To(HaveExactElements(1.0, 3.0))
		Expect(values(filepath.Join(folder, spec, "expected.json"))).To(HaveExactElements(1.0, 2.0))
		Expect(values(filepath.Join(folder, spec+"-2", "actual.json"))).
			To(HaveExactElements(4.0, 5.0))
		entries := CurrentSpecReport().ReportEntries
		Expect(entries).To(HaveLen(2))
		Expect(entries[0].Value.String()).To(Equal(
			filepath.Join(folder, spec, "actual.json") + "\n" +
				filepath.Join(folder, spec, "expected.json")))
	})

	DescribeTable("follows no link out of its folder", func(link string) {
		elsewhere, folder := GinkgoT().TempDir(), GinkgoT().TempDir()
		victim := filepath.Join(elsewhere, "victim")
		Expect(os.WriteFile(victim, []byte("as it was"), 0o600)).To(Succeed())
		to, at := victim, filepath.Join(folder, folderName(CurrentSpecReport()), link)
		if link == "" {
			to = elsewhere
		}
		Expect(os.MkdirAll(filepath.Dir(at), 0o755)).To(Succeed())
		Expect(os.Symlink(to, at)).To(Succeed())
		var pair compare.Pair
		Expect(set("y", 1)).NotTo(matchers.MatchOutputs().Of(set("y", 2)).ReportTo(
			func(p compare.Pair) { pair = p }))
		_, err := save(folder, pair, plots.Draw)
		Expect(err).To(MatchError(ContainSubstring("a link leads out of the folder")))
		Expect(os.ReadFile(victim)).To(BeEquivalentTo("as it was"))
		Expect(os.ReadDir(elsewhere)).To(HaveLen(1))
	},
		Entry("for the spec", ""), Entry("for a side", "actual.json"),
		Entry("for the other side", "expected.json"),
		Entry("for a picture", "heatmap_y_absolute.png"))

	It("keeps the iterations apart", func() {
		folder := GinkgoT().TempDir()
		m := matchers.MatchOutputs().Of([]*tensor.Set{set("y", 1), set("y", 2)})
		Expect([]*tensor.Set{set("y", 3), set("y", 4)}).NotTo(m.ReportTo(Save(folder)))
		saved, err := runs.ReadRuns(context.Background(),
			filepath.Join(folder, "Save_keeps_the_iterations_apart", "actual.json"))
		Expect(err).NotTo(HaveOccurred())
		Expect([][]float64{
			saved[0].Run.Iterations()[0].Outputs.At(0).Tensor.Float64s(),
			saved[0].Run.Iterations()[1].Outputs.At(0).Tensor.Float64s(),
		}).To(HaveExactElements(HaveExactElements(3.0), HaveExactElements(4.0)))
	})

	It("adds pictures and lists them", func() {
		folder := GinkgoT().TempDir()
		drawn := ""
		draw := func(into string, pair compare.Pair) ([]string, error) {
			Expect(pair.Report.Outputs).To(HaveLen(1))
			drawn = filepath.Join(into, "picture.png")
			return []string{drawn}, nil
		}
		m := matchers.MatchOutputs().Of(set("y", 1)).ReportTo(Save(folder, draw))
		Expect(set("y", 1)).To(m)
		Expect(drawn).To(BeEmpty(), "nothing is drawn of a match")
		Expect(set("y", 2)).NotTo(m)
		Expect(filepath.Dir(filepath.Dir(drawn))).To(Equal(folder))
		entries := CurrentSpecReport().ReportEntries
		Expect(entries[0].Value.String()).To(HaveSuffix("expected.json\n" + drawn))
		Expect(entries[0].Value.GetRawValue()).To(HaveField("Pictures", HaveExactElements(drawn)))
	})

	It("saves nothing without a folder", func() {
		GinkgoT().Chdir(GinkgoT().TempDir())
		Expect(set("y", 1)).NotTo(matchers.MatchOutputs().Of(set("y", 2)).ReportTo(Save("")))
		Expect(os.ReadDir(".")).To(BeEmpty())
	})
})
