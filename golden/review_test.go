package golden_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("A review", func() {
	const path = "testdata/golden/digits.json"
	old := runOf(must("logits", tensor.Of[float32](1, 2)))
	now := runOf(set("logits", tensor.Of[float32](1, 2.5), "label", tensor.Of[int64](7)))
	now.Provenance.Version = "1.32.0"
	now.Provenance.ModelSHA256 = "cdef"
	now.Provenance.Options = map[string]string{"threads": "4", "optimization": "all"}

	// A module with a package, in which the process runs as under go test.
	BeforeEach(func() {
		GinkgoT().Chdir(GinkgoT().TempDir())
		Expect(os.WriteFile("go.mod", []byte("module example.com/user\n"), 0o600)).To(Succeed())
		Expect(os.Mkdir("pkg", 0o755)).To(Succeed())
		Expect(os.Chdir("pkg")).To(Succeed())
		Expect(golden.Write(path, old, golden.Options{})).To(Succeed())
		asked("diff")
	})
	within := func(atol float64, run *backends.Run) golden.Options {
		check := compare.Within(atol, 0, compare.Max)
		return golden.Options{By: "digits_test.go:9", Tolerance: check.String(),
			Judge: func(_, old *backends.Run) (compare.Report, error) {
				return compare.Runs(run.Outputs(), old.Outputs(),
					compare.Options{Checks: []compare.Check{check}})
			}}
	}
	propose := func(name string, run *backends.Run, atol float64) golden.Change {
		GinkgoHelper()
		golden.ForgetAll() // as another run of the tests
		asked("diff")
		change, err := golden.Update("testdata/golden/"+name+".json", run, within(atol, run))
		Expect(err).NotTo(HaveOccurred())
		return change
	}
	states := func(paths ...string) map[string]golden.State {
		GinkgoHelper()
		all, err := golden.Review(context.Background(), paths...)
		Expect(err).NotTo(HaveOccurred())
		found := map[string]golden.State{}
		for _, p := range all {
			found[filepath.Base(p.File)] = p.State
		}
		return found
	}

	It("writes nothing, and says how far, by what tolerance, and what made either run", func() {
		before := contents(path)
		change := propose("digits", now, 0.1)
		Expect(contents(path)).To(Equal(before))
		Expect(change.Wrote()).To(BeFalse())
		Expect(change.Notable()).To(BeTrue())
		Expect(change.String()).To(HavePrefix("golden would be rewritten: " + path +
			", max abs change 0.5 (logits), label new"))
		Expect(change.Text()).To(Equal(`golden would be rewritten: testdata/golden/digits.json
  by          the assertion at digits_test.go:9
  tolerance   max: max abs ≤ 0.1 or max rel ≤ 0
  verdict     fail: 2 of 2 outputs differ
  made by     onnxruntime 1.31.1 (CPUExecutionProvider) → ` +
			"onnxruntime 1.32.0 " + `(CPUExecutionProvider)
  model       digits.onnx (sha256 ab12) → digits.onnx (sha256 cdef)
  option      threads 1 → 4
  output      logits max abs 0.5, max rel 0.25: fail: ` +
			`max error: abs 0.5 and rel 0.25 exceed their tolerances
  output      label new: fail
`))
		found, err := filepath.Glob("testdata/golden/*")
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(ConsistOf(path))
	})

	It("is accepted to the byte that an update would have written", func() {
		propose("digits", now, 0.1)
		Expect(states()).To(Equal(map[string]golden.State{"digits.json": golden.Differs}))
		changes, err := golden.Accept(context.Background(), false)
		Expect(err).NotTo(HaveOccurred())
		Expect(changes).To(HaveExactElements(And(HaveField("Wrote()", true),
			HaveField("Moved", HaveLen(2)))))
		accepted := contents(path)
		Expect(states()).To(Equal(map[string]golden.State{"digits.json": golden.Accepted}))
		Expect(golden.Write(path, now, golden.Options{})).To(Succeed())
		Expect(contents(path)).To(Equal(accepted))
		Expect(golden.Accept(context.Background(), false)).To(BeEmpty(), "a second time")
	})

	It("creates files that are missing, in folders that are missing", func() {
		propose("new/digits", now, 0.1)
		Expect("testdata/golden/new").NotTo(BeADirectory())
		Expect(golden.Accept(context.Background(), false, "testdata/golden/new/digits.json")).To(
			HaveExactElements(HaveField("Kind", golden.Created)))
		Expect(golden.Read(context.Background(), "testdata/golden/new/digits.json")).To(
			HaveField("Provenance.Version", "1.32.0"))
	})

	It("keeps what passes within the tolerance, unless all is accepted", func() {
		near := runOf(must("logits", tensor.Of[float32](1, 2.5)))
		Expect(propose("digits", near, 1)).To(HaveField("Kind", golden.Kept))
		before := contents(path)
		Expect(states()).To(Equal(map[string]golden.State{"digits.json": golden.Moved}))
		Expect(golden.Accept(context.Background(), false)).To(BeEmpty())
		Expect(contents(path)).To(Equal(before))
		Expect(golden.Accept(context.Background(), true)).To(
			HaveExactElements(HaveField("Kind", golden.Rewritten)))
		Expect(contents(path)).NotTo(Equal(before))
	})

	DescribeTable("pairs outputs of other names, and so does what accepts it",
		func(layout golden.Layout, under compare.Options) {
			Expect(golden.Write(path, runOf(set("a", tensor.Of[float32](1, 2), "b",
				tensor.Of[float32](4, 5))), golden.Options{Layout: layout})).To(Succeed())
			renamed := runOf(set("x", tensor.Of[float32](1, 2.5), "y", tensor.Of[float32](4, 5)))
			change, err := golden.Update(path, renamed, golden.Options{Under: under, Layout: layout,
				Judge: func(now, old *backends.Run) (compare.Report, error) {
					under.Checks = []compare.Check{compare.Within(0.1, 0, compare.Max)}
					return compare.Runs(now.Outputs(), old.Outputs(), under)
				}})
			Expect(err).NotTo(HaveOccurred())
			Expect(change.Text()).To(ContainSubstring("output      a max abs 0.5, max rel 0.25: fail: "))
			changes, err := golden.Accept(context.Background(), false)
			Expect(err).NotTo(HaveOccurred())
			Expect(changes).To(HaveLen(1))
			Expect(changes[0].String()).To(HaveSuffix(", max abs change 0.5 (a), b unchanged"))
			r, err := golden.ReadReference(context.Background(), path)
			Expect(err).NotTo(HaveOccurred())
			Expect(r.Run.Outputs()[0].Names()).To(Equal([]string{"a", "b"}))
		},
		Entry("by name", golden.Layout{},
			compare.Options{Names: map[string]string{"x": "a", "y": "b"}}),
		Entry("by position", golden.Layout{}, compare.Options{ByPosition: true}),
		Entry("in a sample", golden.Layout{Sample: 1}, compare.Options{ByPosition: true}))

	It("says what holds, and what no run asked for", func() {
		Expect(golden.Write("testdata/golden/other.json", old, golden.Options{})).To(Succeed())
		propose("digits", old, 0)
		Expect(states()).To(Equal(map[string]golden.State{
			"digits.json": golden.Holds, "other.json": golden.Unjudged}))
		Expect(states("testdata/golden/other.json")).To(Equal(map[string]golden.State{
			"other.json": golden.Unjudged}))
		Expect(states("../...")).To(HaveLen(2))
	})

	It("of which there is none is an error to accept, not a pass", func() {
		_, err := golden.Accept(context.Background(), false)
		Expect(err).To(MatchError("golden: nothing was accepted: " +
			"no run with -golden.update=diff has used a golden file under " +
			".; first run go test ./... -golden.update=diff"))
		_, err = golden.Accept(context.Background(), false, "nowhere")
		Expect(err).To(MatchError(ContainSubstring("golden: nowhere: no such file")))
	})

	It("is replaced by a later run's review, with what was kept for it", func() {
		propose("digits", now, 0.1)
		propose("digits", old, 0.1)
		Expect(states()).To(Equal(map[string]golden.State{"digits.json": golden.Holds}))
		Expect(filepath.Glob(os.Getenv(goldentree.EnvReview) + "/files/*")).To(BeEmpty())
	})

	It("is refused where the golden file changed in between, and then nothing is written", func() {
		propose("digits", now, 0.1)
		propose("new", now, 0.1)
		Expect(golden.Write(path, runOf(must("logits", tensor.Of[float32](9))), golden.Options{})).
			To(Succeed())
		Expect(states()).To(HaveKeyWithValue("digits.json", golden.Stale))
		_, err := golden.Accept(context.Background(), false)
		Expect(err).To(MatchError(ContainSubstring(path +
			" has changed since the run you are accepting; repeat the review: ")))
		Expect("testdata/golden/new.json").NotTo(BeAnExistingFile())
		Expect(golden.Accept(context.Background(), false, "testdata/golden/new.json")).To(
			HaveLen(1), "which did not change")
	})

	Describe("that was tampered with", func() {
		review := func(pattern string) string {
			GinkgoHelper()
			found, err := filepath.Glob(filepath.Join(os.Getenv(goldentree.EnvReview), pattern))
			Expect(err).NotTo(HaveOccurred())
			Expect(found).To(HaveLen(1))
			return found[0]
		}
		rewrite := func(file string, change func(string) string) {
			GinkgoHelper()
			Expect(os.WriteFile(file, []byte(change(contents(file))), 0o600)).To(Succeed())
		}
		refused := func(says string) {
			GinkgoHelper()
			before := contents(path)
			_, err := golden.Accept(context.Background(), false)
			Expect(err).To(MatchError(ContainSubstring(says)))
			Expect(contents(path)).To(Equal(before))
		}
		BeforeEach(func() { propose("digits", now, 0.1) })

		It("is refused where what was kept is damaged", func() {
			rewrite(review("files/*.json"), func(text string) string { return text + " " })
			refused("it is damaged, or was edited by hand")
		})
		It("is refused where what was kept is gone", func() {
			Expect(os.Remove(review("files/*.json"))).To(Succeed())
			refused("the content that the run proposed is missing")
		})
		DescribeTable("is refused where an entry would write elsewhere", func(file string) {
			rewrite(review("entries/*.json"), func(text string) string {
				return strings.ReplaceAll(text, "pkg/"+path, file)
			})
			refused("cannot be a golden file")
		},
			Entry(nil, "../../elsewhere.json"), Entry(nil, "/etc/elsewhere.json"),
			Entry(nil, "pkg/main.go"), Entry(nil, ""),
		)
		It("is refused where a link would lead it out of the tree", func() {
			outside := GinkgoT().TempDir()
			Expect(os.Symlink(outside, "testdata/golden/out")).To(Succeed())
			rewrite(review("entries/*.json"), func(text string) string {
				return strings.NewReplacer("golden/digits.json", "golden/out/x.json").Replace(text)
			})
			rewrite(review("entries/*.json"), func(text string) string {
				var e map[string]any
				Expect(json.Unmarshal([]byte(text), &e)).To(Succeed())
				e["was"] = ""
				edited, err := json.Marshal(e)
				Expect(err).NotTo(HaveOccurred())
				return string(edited)
			})
			refused("its path contains a symbolic link")
			Expect(os.ReadDir(outside)).To(BeEmpty())
		})
		It("is refused where what was kept is not a golden file", func() {
			file := review("files/*.json")
			Expect(os.WriteFile(file, []byte("{}"), 0o600)).To(Succeed())
			const empty = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
			sum := strings.TrimSuffix(filepath.Base(file), ".json")
			Expect(os.Rename(file, filepath.Join(filepath.Dir(file), empty+".json"))).To(Succeed())
			rewrite(review("entries/*.json"), func(text string) string {
				return strings.ReplaceAll(text, sum, empty)
			})
			refused("candidate ")
		})
		It("is an error where an entry is not one", func() {
			rewrite(review("entries/*.json"), func(string) string { return "[" })
			refused("unexpected end of JSON input")
		})
	})

	It("of a file that is damaged says so, and accepts the new run in its place", func() {
		Expect(os.Truncate(path, 100)).To(Succeed())
		change := propose("digits", now, 0.1)
		Expect(change.Damage).NotTo(BeEmpty())
		Expect(golden.Accept(context.Background(), false)).To(HaveLen(1))
		Expect(golden.Read(context.Background(), path)).NotTo(BeNil())
	})

	It("keeps two specs apart that share a name", func() {
		propose("digits", now, 0.1)
		other := runOf(must("logits", tensor.Of[float32](5, 5)))
		_, err := golden.Update(path, other, within(0.1, other))
		Expect(err).To(MatchError(ContainSubstring(
			"already produced different outputs in this test run")))
	})

	It("fails the spec whose file an update would write, once all else has passed", func() {
		spec := golden.Begin("digits still match")
		p, err := golden.Prepare(golden.Diff, path, now, within(0.1, now))
		Expect(err).NotTo(HaveOccurred())
		Expect(p.Expected().Run).To(BeIdenticalTo(now), "so that the rest of the spec runs")
		Expect(spec.Stage(p)).To(Succeed())
		changes, err := spec.End(true)
		Expect(changes).To(HaveLen(1))
		Expect(err).To(MatchError("golden: " + path + " does not match: 2 of 2 outputs differ; " +
			"to accept the change: modelparity golden accept pkg/" + path))

		Expect(golden.Begin("fails").End(false)).To(BeEmpty())
	})

	It("marshals whatever the numbers are", func() {
		nan := runOf(must("logits", tensor.Of(1, float32(math.NaN()))))
		golden.ForgetAll()
		asked("diff")
		change, err := golden.Update(path, nan, golden.Options{AllowNonFinite: true})
		Expect(err).NotTo(HaveOccurred())
		text, err := json.Marshal(change)
		Expect(err).NotTo(HaveOccurred())
		Expect(text).To(ContainSubstring(
			`{"output":"logits","iteration":0,"max_abs":"NaN","max_rel":"NaN"}`))
	})
})

var _ = Describe("The summary of an update", func() {
	BeforeEach(func() {
		GinkgoT().Chdir(GinkgoT().TempDir())
		Expect(os.WriteFile("go.mod", []byte("module example.com/user\n"), 0o600)).To(Succeed())
		asked("1")
	})
	update := func(name string, values ...float32) {
		GinkgoHelper()
		_, err := golden.Update("testdata/golden/"+name+".json",
			runOf(must("log|its", tensor.Of(values...))), golden.Options{By: "a_test.go:1"})
		Expect(err).NotTo(HaveOccurred())
	}

	It("is Markdown for a pull request, of all files that the run wrote and of no other run", func() {
		update("a", 1, 2)
		golden.ForgetAll()
		golden.NextRun()
		asked("1")
		update("a", 1, 2.5)
		update("b", 3)
		Expect(goldentree.Summary()).To(HavePrefix(os.Getenv(goldentree.EnvReview)))
		_, table, found := strings.Cut(contents(goldentree.Summary()), "\n")
		Expect(found).To(BeTrue())
		Expect(table).To(Equal("### Golden files\n\n" +
			"| golden file | output | max abs | max rel | verdict within the spec's tolerance " +
			"| made by |\n" +
			"|---|---|---|---|---|---|\n" +
			"| `testdata/golden/a.json` | rewritten | | |  | " +
			"onnxruntime 1.31.1 (CPUExecutionProvider) |\n" +
			"| | log\\|its | 0.5 | 0.25 |  | |\n" +
			"| `testdata/golden/b.json` | created | | |  | onnxruntime 1.31.1 (CPUExecutionProvider)" +
			"<br>model digits.onnx (sha256 ab12)<br>inputs random, seed 7 |\n"))
	})

	It("has no say in whether the file is written", func() {
		GinkgoT().Setenv(goldentree.EnvReview, "go.mod")
		change, err := golden.Update("testdata/golden/a.json", runOf(must("x", tensor.Of[int8](1))),
			golden.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(change.Wrote()).To(BeTrue())
		Expect(goldentree.Summary()).To(BeEmpty())
	})
})
