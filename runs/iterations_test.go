package runs_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/cli/accuracy"
	"github.com/modelparity/modelparity/internal/cli/pairs"
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/internal/testing/peak"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// long is a run of so many iterations of 200 kB each. Iteration i begins with i+off.
func long(iterations int, off float32) *backends.Run {
	run := &backends.Run{Provenance: backends.Provenance{Backend: "made"}}
	for i := range iterations {
		values := make([]float32, 50_000)
		for k := range values {
			values[k] = float32(i) + off + float32(k%97)
		}
		run.Append(backends.Iteration{Outputs: must("y", tensor.Of(values...)), Runtime: -1})
	}
	return run
}

var _ = Describe("Many iterations", func() {
	within := compare.Options{Checks: []compare.Check{
		compare.Within(0.5, 0, compare.Elementwise)}}
	inline := golden.Options{Layout: golden.Layout{Inline: -1}}
	compared := func(ctx context.Context, a, b *backends.Run) {
		GinkgoHelper()
		pairs, err := pairs.Compare(ctx, []runs.Named{{Name: "a", Run: a},
			{Name: "b", Run: b}}, within)
		Expect(err).NotTo(HaveOccurred())
		Expect(pairs[0].Report.Verdict).To(Equal(compare.Pass))
		Expect(pairs[0].Report.Outputs).To(HaveLen(a.Len()))
		runtime.KeepAlive(pairs)
	}
	saved := func(path string, run *backends.Run) string {
		GinkgoHelper()
		Expect(runs.WriteRuns(path, []runs.Named{{Name: "made", Run: run}})).To(Succeed())
		return path
	}

	// Each does its work on a run of 80 MB in a folder, and holds one to three such runs.
	for what, work := range map[string]func(ctx context.Context, folder string, run *backends.Run){
		"are compared": func(ctx context.Context, _ string, run *backends.Run) {
			compared(ctx, run, long(run.Len(), 0.25))
		},
		"are saved, loaded and compared": func(ctx context.Context, folder string,
			run *backends.Run) {
			loaded, err := runs.ReadAll(ctx, []string{saved(filepath.Join(folder, "run.json"), run)})
			Expect(err).NotTo(HaveOccurred())
			compared(ctx, run, loaded[0].Run)
		},
		"are saved to a folder, and loaded": func(ctx context.Context, folder string,
			run *backends.Run) {
			loaded, err := runs.ReadAll(ctx, []string{saved(filepath.Join(folder, "run"), run)})
			Expect(err).NotTo(HaveOccurred())
			compared(ctx, run, loaded[0].Run)
		},
		"are a golden file": func(ctx context.Context, folder string, run *backends.Run) {
			path := filepath.Join(folder, "run.json")
			Expect(golden.Write(path, run, inline)).To(Succeed())
			reference, err := golden.ReadReference(ctx, path)
			Expect(err).NotTo(HaveOccurred())
			compared(ctx, run, reference.Run)
		},
		"are a golden file with its data next to it": func(ctx context.Context, folder string,
			run *backends.Run) {
			path := filepath.Join(folder, "run.json")
			Expect(golden.Write(path, run, golden.Options{})).To(Succeed())
			reference, err := golden.ReadReference(ctx, path)
			Expect(err).NotTo(HaveOccurred())
			compared(ctx, run, reference.Run)
		},
		"update a golden file": func(_ context.Context, folder string, run *backends.Run) {
			path := filepath.Join(folder, "run.json")
			Expect(golden.Write(path, run, inline)).To(Succeed())
			p, err := golden.Prepare(golden.All, path, long(run.Len(), 0.25), inline)
			Expect(err).NotTo(HaveOccurred())
			change, err := p.Commit()
			Expect(err).NotTo(HaveOccurred())
			Expect(change.Kind).To(Equal(golden.Rewritten))
			Expect(change.Moved).To(HaveLen(run.Len()))
		},
		"are judged again from files": func(ctx context.Context, folder string, run *backends.Run) {
			a := saved(filepath.Join(folder, "a.json"), run)
			b := saved(filepath.Join(folder, "b.json"), long(run.Len(), 0.25))
			pairs, err := accuracy.Judge(ctx, []string{a, b}, true, within)
			Expect(err).NotTo(HaveOccurred())
			Expect(pairs[0].Report.Verdict).To(Equal(compare.Pass))
		},
		"are joined from files": func(ctx context.Context, folder string, run *backends.Run) {
			a := saved(filepath.Join(folder, "a.json"), run)
			Expect(runs.Concat(ctx, filepath.Join(folder, "joined.json"), a, a)).To(Succeed())
		},
		"are merged into inputs": func(ctx context.Context, folder string, run *backends.Run) {
			a := saved(filepath.Join(folder, "a.json"), run)
			merged, err := runs.Merge(ctx, a)
			Expect(err).NotTo(HaveOccurred())
			Expect(fixtures.Save(filepath.Join(folder, "merged.json"), merged)).To(Succeed())
		},
	} {
		It("take bounded memory when they "+what, func(ctx SpecContext) {
			skips.Long(GinkgoT())
			folder, saved := GinkgoT().TempDir(), 2
			switch what {
			case "update a golden file":
				saved = 3
			case "are merged into inputs":
				saved = 1
			}
			n := peak.Of(func() { work(ctx, folder, long(400, 0)) })
			Expect(n).To(BeNumerically("<", saved*spill.Bound+40<<20), "of %d runs of 80 MB", saved)
		})
	}

	DescribeTable("of another number than a file holds are a failure that names both numbers",
		func(ctx SpecContext, inFile int) {
			one := func(float32) (*tensor.Tensor, error) { return tensor.Of[float32](1), nil }
			live, err := ran(ctx, "live", counted(12), one)
			Expect(err).NotTo(HaveOccurred())
			inTheFile, err := ran(ctx, "saved.json", counted(inFile), one)
			Expect(err).NotTo(HaveOccurred())
			pairs, err := pairs.Compare(ctx, []runs.Named{live, inTheFile}, within)
			Expect(err).NotTo(HaveOccurred())
			Expect(pairs[0].Report.Verdict).To(Equal(compare.Fail))
			Expect(pairs[0].Report.Reason).To(Equal(
				fmt.Sprintf("the number of iterations is 12, expected %d", inFile)))
		},
		Entry("fewer in the file", 9), Entry("more in the file", 15))
})
