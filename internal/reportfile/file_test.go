package reportfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/reportfile"
	"github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// ginkgos is a report as Ginkgo writes it.
func ginkgos(reports ...types.Report) []byte {
	text, err := json.MarshalIndent(reports, "", "  ")
	if err != nil {
		panic(err)
	}
	return text
}

// digits is a suite with a spec of each kind, one of which has a comparison.
func digits(outcome any) types.Report {
	r := types.Report{SuitePath: "/src/digits", SuiteDescription: "digits", SuiteSucceeded: false,
		SuiteConfig:                types.SuiteConfig{RandomSeed: 7, LabelFilter: "!slow"},
		SpecialSuiteFailureReasons: []string{"Interrupted by User"},
		PreRunStats:                types.PreRunStats{TotalSpecs: 4, SpecsThatWillRun: 3},
		RunTime:                    3 * time.Second}
	spec := func(text string, state types.SpecState, message string) types.SpecReport {
		return types.SpecReport{ContainerHierarchyTexts: []string{"the model", ""},
			ContainerHierarchyLabels: [][]string{{"onnx"}, {}}, LeafNodeLabels: []string{"ort", "onnx"},
			LeafNodeType: types.NodeTypeIt, LeafNodeText: text, State: state, RunTime: time.Second,
			LeafNodeLocation: types.CodeLocation{FileName: "digits_test.go", LineNumber: 12},
			Failure:          types.Failure{Message: message}}
	}
	matched := spec("matches", types.SpecStatePassed, "")
	matched.ReportEntries = types.ReportEntries{
		{Name: "other", Value: types.WrapEntryValue("text")},
		{Name: reportfile.Comparison, Value: types.WrapEntryValue(outcome)}}
	r.SpecReports = types.SpecReports{
		{LeafNodeType: types.NodeTypeBeforeSuite, State: types.SpecStatePassed},
		matched, spec("differs", types.SpecStateFailed, "Expected"),
		spec("is filtered", types.SpecStateSkipped, ""),
		spec("lacks a GPU", types.SpecStateSkipped, "no GPU")}
	return r
}

var _ = Describe("A Ginkgo report", func() {
	var text []byte
	BeforeEach(func() {
		var outcome compare.Pair
		m := matchers.MatchOutputs().Of(tensor.Of(1, math.Inf(1))).
			ReportTo(func(o compare.Pair) { outcome = o })
		Expect(tensor.Of(math.NaN(), 2)).NotTo(m)
		text = ginkgos(digits(compare.Document{Pairs: []compare.Pair{outcome}}))
	})

	It("is read with its specs and what matchers put into them", func() {
		f, err := reportfile.Decode(bytes.NewReader(text))
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Document).To(BeNil())
		Expect(f.Suites).To(HaveLen(1))
		s := f.Suites[0]
		Expect(s.SuiteDescription).To(Equal("digits"))
		Expect(s.SuiteConfig.LabelFilter).To(Equal("!slow"))
		Expect(s.SpecialSuiteFailureReasons).To(HaveExactElements("Interrupted by User"))
		Expect(s.PreRunStats.TotalSpecs).To(Equal(4))
		Expect(s.Count()).To(Equal(4))
		Expect(s.Specs[0].IsSpec()).To(BeFalse())

		spec := s.Specs[1]
		Expect(spec.FullText()).To(Equal("the model matches"))
		Expect(spec.Labels()).To(HaveExactElements("onnx", "ort"))
		Expect(spec.RunTime).To(Equal(time.Second))
		Expect(spec.LeafNodeLocation).To(Equal(reportfile.Location{FileName: "digits_test.go",
			LineNumber: 12}))
		found, err := spec.Comparisons()
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(HaveLen(1))
		Expect(found[0].Pairs[0].Report.Outputs[0].Statistics().Actual.NaN).To(Equal(1))

		Expect(s.Specs[2].Failed()).To(BeTrue())
		Expect(s.Specs[2].Failure.Message).To(Equal("Expected"))
		Expect(s.Specs[3].Reason()).To(BeEmpty())
		Expect(s.Specs[4].Reason()).To(Equal("no GPU"))
	})

	It("is written again with all that it had, including unknown members", func() {
		text = bytes.Replace(text, []byte(`"SuitePath"`), []byte(`"Later": {"a": [1]}, "SuitePath"`), 1)
		f, err := reportfile.Decode(bytes.NewReader(text))
		Expect(err).NotTo(HaveOccurred())
		var back bytes.Buffer
		Expect(reportfile.Write(&back, append(f.Suites, f.Suites...))).To(Succeed())
		Expect(back.Bytes()).To(MatchJSON("[" + strings.Trim(string(text), "[]") + "," +
			strings.Trim(string(text), "[]") + "]"))
		var read []types.Report
		Expect(json.Unmarshal(back.Bytes(), &read)).To(Succeed())

		changed, err := f.Suites[0].With(f.Suites[0].Specs[:1], map[string]any{"SuiteSucceeded": true})
		Expect(err).NotTo(HaveOccurred())
		Expect(changed.SuiteSucceeded).To(BeTrue())
		back.Reset()
		Expect(reportfile.Write(&back, []reportfile.Suite{changed})).To(Succeed())
		Expect(json.Unmarshal(back.Bytes(), &read)).To(Succeed())
		Expect(read[0].SuiteSucceeded).To(BeTrue())
		Expect(read[0].SpecReports).To(HaveLen(1))
	})
})

var _ = Describe("A modelparity report", func() {
	It("is read by its kind", func() {
		text, err := json.Marshal(compare.Document{Err: errors.New("no such file")})
		Expect(err).NotTo(HaveOccurred())
		path := filepath.Join(GinkgoT().TempDir(), "report.json")
		Expect(os.WriteFile(path, text, 0o600)).To(Succeed())
		f, err := reportfile.Read(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Path).To(Equal(path))
		Expect(f.Document.Comparison.Err).To(MatchError("no such file"))
		Expect(f.Document.Verdict).To(Equal("error"))

		f, err = reportfile.Decode(strings.NewReader(`{"version":1,"kind":"vote","verdict":"pass"}`))
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Document.Kind).To(Equal("vote"))
		Expect(f.Document.Comparison).To(BeNil())
	})
})

var _ = DescribeTable("An invalid report is a located error", func(text, want string) {
	_, err := reportfile.Decode(strings.NewReader(text))
	Expect(err).To(MatchError(ContainSubstring(want)))
},
	Entry("nothing", "", "byte 0: the document ends too early"),
	Entry("half a report", `[{"SuitePath":"/a","SpecReports":[{"LeafNodeTy`,
		"suite 0: spec 0: byte 46: the document ends too early: unexpected EOF: its writer was"),
	Entry("a word", `"report"`, "a string is neither a Ginkgo report"),
	Entry("no suite", `[]`, "no suite"),
	Entry("no specs", `[{"SuitePath":"/a"}]`, "suite 0: byte 19: not a Ginkgo report"),
	Entry("specs twice", `[{"SpecReports":[],"SpecReports":[]}]`, "occurs twice"),
	Entry("text for a list", `[{"SpecReports":[{"ContainerHierarchyTexts":"a"}]}]`,
		"spec 0: byte 17: json"),
	Entry("an unknown state", `[{"SpecReports":[{"State":"happy"}]}]`, `unknown state "happy"`),
	Entry("an entry without JSON in it",
		`[{"SpecReports":[{"State":"passed","ReportEntries":[{"Value":7}]}]}]`, "spec 0: byte 17: json"),
	Entry("NaN, which Ginkgo never writes", `[{"RunTime":NaN,"SpecReports":[]}]`,
		"suite 0: not a Ginkgo report"),
	Entry("more after the end", `[{"SpecReports":[]}] x`, "after the end"),
	Entry("another object", `{"a":1}`,
		"neither a modelparity report, which has a kind and a verdict, nor a Ginkgo report"),
	Entry("a later version", `{"version":9,"kind":"vote","verdict":"pass"}`, "reads 1 to 1"),
	Entry("an unknown verdict", `{"version":1,"kind":"vote","verdict":"yes"}`,
		`unknown verdict "yes"`),
	Entry("an output of no pair",
		`{"version":1,"kind":"comparison","verdict":"fail","outputs":[{"name":"y"}]}`,
		"belongs to none of its 0 pairs"),
	Entry("a deep one", strings.Repeat("[", 5000), "expected an object"),
	Entry("a deep member", `[{"a":`+strings.Repeat("[", 5000), "nested more than 1000 deep"),
	Entry("millions of empty specs", `[{"SpecReports":[`+strings.Repeat(`{},`, 3e6),
		"unknown state"),
	Entry("millions of small specs",
		`[{"SpecReports":[`+strings.Repeat(`{"State":"passed"},`, 1e6), "too many objects"),
)

var _ = Describe("ReadAll", func() {
	It("wants files, each once", func(ctx SpecContext) {
		_, err := reportfile.ReadAll(ctx, nil)
		Expect(err).To(MatchError(ContainSubstring("name at least one report")))
		path := filepath.Join(GinkgoT().TempDir(), "a.json")
		Expect(os.WriteFile(path, []byte(`[{"SpecReports":[]}]`), 0o600)).To(Succeed())
		Expect(reportfile.ReadAll(ctx, []string{path})).To(HaveLen(1))
		_, err = reportfile.ReadAll(ctx, []string{path, path})
		Expect(err).To(MatchError(path + " is named twice"))
		_, err = reportfile.ReadAll(ctx, []string{path + ".none"})
		Expect(err).To(MatchError(path + ".none: no such file or directory"))
	})
})

func FuzzDecode(f *testing.F) {
	f.Add(ginkgos(digits(nil)))
	f.Add([]byte(`{"version":1,"kind":"comparison","verdict":"pass","pairs":[],"outputs":[]}`))
	f.Add([]byte(`[{"SpecReports":[{"State":"passed","LeafNodeLabels":["shard:1-of-2"],` +
		`"ReportEntries":[{"Name":"modelparity: shard","Value":{"AsJSON":"{\"total\":2}"}}]}]}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		read, err := reportfile.Decode(bytes.NewReader(text))
		if err != nil {
			return
		}
		if (read.Document == nil) == (len(read.Suites) == 0) {
			t.Fatal("neither suites nor a document, or both")
		}
		for _, s := range read.Suites {
			if share, sharded, err := s.Share(); sharded && err == nil {
				_ = share.String()
			}
			for _, spec := range s.Specs {
				_, _ = spec.Comparisons() // an error where the entry holds none
				if share, ok := spec.Shard(); ok && share.Label() == "" {
					t.Fatal("a shard without a label")
				}
				_ = spec.FullText() + spec.Reason()
			}
		}
		if read.Document != nil {
			return
		}
		var again bytes.Buffer
		if err := reportfile.Write(&again, read.Suites); err != nil {
			t.Fatal(err)
		}
		if _, err := reportfile.Decode(&again); err != nil {
			t.Fatalf("what was read is written as no report: %v", err)
		}
	})
}
