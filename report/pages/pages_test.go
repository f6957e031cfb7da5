package pages_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/reportfile"
	"github.com/modelparity/modelparity/internal/schema"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/report/pages"
	"github.com/modelparity/modelparity/tensor"
)

func TestPages(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Pages")
}

var _ = skips.Announce("no browser: ", "a browser")

// day is when the reports of specs start.
var day = time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)

// compared is a comparison of one output.
func compared(actual, expected, output string, a, e []float64) compare.Document {
	GinkgoHelper()
	o, err := compare.Tensors(tensor.Of(a...), tensor.Of(e...), compare.Options{
		Checks: []compare.Check{compare.Within(1e-3, 0, compare.Elementwise)}})
	Expect(err).NotTo(HaveOccurred())
	o.Name, o.ExpectedName = output, output
	return compare.Document{Pairs: []compare.Pair{{Actual: actual, Expected: expected,
		Report: compare.Report{Verdict: o.Verdict, Reason: o.Reason, Outputs: []compare.Output{o}}}}}
}

// spec is the report of one.
func spec(text string, state types.SpecState, entries ...any) types.SpecReport {
	GinkgoHelper()
	s := types.SpecReport{LeafNodeType: types.NodeTypeIt, LeafNodeText: text, State: state,
		RunTime: 12 * time.Millisecond, StartTime: day,
		ContainerHierarchyTexts: []string{"models"}, LeafNodeLabels: []string{"engine:ort"}}
	for _, e := range entries {
		name := reportfile.Comparison
		if _, saved := e.(map[string][]string); saved {
			name = "modelparity: saved"
		}
		s.ReportEntries = append(s.ReportEntries, types.ReportEntry{Name: name,
			Value: types.WrapEntryValue(e), Visibility: types.ReportEntryVisibilityAlways})
	}
	return s
}

// report writes the report of a suite as Ginkgo does.
func report(folder, name string, start time.Time, specs ...types.SpecReport) string {
	GinkgoHelper()
	text, err := json.Marshal([]types.Report{{SuitePath: filepath.Join(folder, "suite"),
		SuiteDescription: "Field", StartTime: start, RunTime: time.Second, SuiteSucceeded: true,
		SpecReports: specs}})
	Expect(err).NotTo(HaveOccurred())
	path := filepath.Join(folder, name)
	Expect(os.WriteFile(path, text, 0o600)).To(Succeed())
	return path
}

// page is the page about reports.
func page(paths ...string) string {
	GinkgoHelper()
	var first, second bytes.Buffer
	Expect(pages.Write(context.Background(), &first, paths...)).To(Succeed())
	Expect(pages.Write(context.Background(), &second, paths...)).To(Succeed())
	Expect(second.String()).To(Equal(first.String()))
	return first.String()
}

// visible is the text of a page, without tags.
func visible(page string) string {
	text := regexp.MustCompile(`(?s)<(style|script)>.*?</(style|script)>|<[^>]*>`).
		ReplaceAllString(page, " ")
	return strings.Join(strings.Fields(html.UnescapeString(text)), " ")
}

const (
	ort  = "onnxruntime 1.24.4 (CPU), model resnet18.onnx, sha256 0011"
	vino = "openvino 2026.1 (CPU), model resnet18.onnx, sha256 0011"
	tiny = "onnxruntime 1.24.4 (CPU), model tiny.onnx, sha256 2233"
)

var _ = Describe("a page", func() {
	var folder string
	BeforeEach(func() { folder = GinkgoT().TempDir() })

	It("has a grid of models and engines, each cell with its worst comparison", func() {
		text := visible(page(report(folder, "r.json", day,
			spec("a", types.SpecStatePassed, compared(ort, "the file x", "y", []float64{1}, []float64{1})),
			spec("b", types.SpecStateFailed, compared(vino, ort, "y", []float64{1.5}, []float64{1})),
			spec("c", types.SpecStatePassed, compared(vino, ort, "z", []float64{1}, []float64{1})),
			spec("d", types.SpecStatePassed, compared(tiny, ort, "y", []float64{2}, []float64{2})))))
		Expect(text).To(ContainSubstring("model onnxruntime 1.24.4 (CPU) openvino 2026.1 (CPU) " +
			"resnet18.onnx passed 1 of 1 failed 1 of 2, rel 0.5 tiny.onnx passed 1 of 1 not compared"))
		Expect(text).To(ContainSubstring("1 failed , 3 passed , 0 skipped , 0 pending"))
	})

	It("goes down to outputs, statistics and worst elements", func() {
		text := visible(page(report(folder, "r.json", day, spec("b", types.SpecStateFailed,
			compared(ort, vino, "logits", []float64{1, 2, 30}, []float64{1, 2, 3})))))
		for _, part := range []string{"logits failed float64[3] 0 27 9 1 of 3",
			"Worst elements index actual expected abs rel [2] 30 3 27 9", "absolute 27 [2] 9",
			"engine:ort", "12ms", "r.json Field pass 2026-11-20 08:00:00 UTC"} {
			Expect(text).To(ContainSubstring(part))
		}
	})

	It("tells failures, and why specs were skipped", func() {
		failure, absent := spec("f", types.SpecStateFailed), spec("s", types.SpecStateSkipped)
		failure.Failure = types.Failure{Message: "\x1b[31mExpected\x1b[0m\n  <b>this</b>"}
		absent.Failure = types.Failure{Message: "no GPU: install one"}
		filtered := spec("filtered out", types.SpecStateSkipped)
		text := visible(page(report(folder, "r.json", day, failure, absent, filtered)))
		Expect(text).To(ContainSubstring("Expected <b>this</b>"))
		Expect(text).To(ContainSubstring("Skipped, and why Reasons specs reason 1 no GPU: install one"))
		Expect(text).NotTo(ContainSubstring("filtered out"))
	})

	It("has the history of specs over the reports, and shows the latest", func() {
		before := spec("b", types.SpecStatePassed,
			compared(ort, vino, "y", []float64{1.0005}, []float64{1}))
		now := spec("b", types.SpecStateFailed, compared(ort, vino, "y", []float64{3}, []float64{1}))
		alone := spec("only once", types.SpecStatePassed)
		text := visible(page(report(folder, "new.json", day.Add(24*time.Hour), now),
			report(folder, "old.json", day, before, alone)))
		Expect(text).To(ContainSubstring("2026-11-20 08:00:00 UTC 2026-11-21 08:00:00 UTC " +
			"models b passed 0.0005 failed 2"))
		Expect(text).To(ContainSubstring("1 failed , 1 passed"))
		Expect(text).NotTo(ContainSubstring("models only once absent"))
	})

	It("takes in the pictures next to a report, and no other file", func() {
		var picture bytes.Buffer
		Expect(png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2)))).To(Succeed())
		inside := filepath.Join(folder, "reports")
		Expect(os.MkdirAll(filepath.Join(inside, "suite", "artifacts"), 0o700)).To(Succeed())
		for name, data := range map[string][]byte{"reports/suite/artifacts/a.png": picture.Bytes(),
			"reports/b.png": picture.Bytes(), "outside.png": picture.Bytes(),
			"reports/secret.png": []byte("a secret"), "reports/huge.png": make([]byte, 5<<20)} {
			Expect(os.WriteFile(filepath.Join(folder, name), data, 0o600)).To(Succeed())
		}
		Expect(os.Symlink("../outside.png", filepath.Join(inside, "link.png"))).To(Succeed())
		text := page(report(inside, "r.json", day, spec("s", types.SpecStateFailed,
			map[string][]string{"pictures": {"artifacts/a.png", filepath.Join(inside, "b.png"),
				"../outside.png", filepath.Join(folder, "outside.png"), "link.png", "secret.png", "huge.png",
				"absent.png", "/etc/passwd"}})))
		encoded := base64.StdEncoding.EncodeToString(picture.Bytes())
		Expect(strings.Count(text, `src="data:image/png;base64,`+
			strings.ReplaceAll(encoded, "+", "&#43;"))).To(Equal(2))
		Expect(strings.Count(text, "<img")).To(Equal(2))
		Expect(text).NotTo(ContainSubstring("a secret"))
		Expect(visible(text)).To(ContainSubstring("link.png (not found below the report's folder)"))
		Expect(visible(text)).To(ContainSubstring("secret.png (not a PNG picture)"))
		Expect(visible(text)).To(ContainSubstring("huge.png (too large to embed in the page)"))
	})

	It("shows every kind of report that commands write", func() {
		write := func(name string, content any) string {
			text, err := json.Marshal(content)
			Expect(err).NotTo(HaveOccurred())
			path := filepath.Join(folder, name)
			Expect(os.WriteFile(path, text, 0o600)).To(Succeed())
			return path
		}
		found := locate.Finding{Actual: "a", Expected: "b", Cause: "the Conv node parts", Verdict: "fail",
			Tensors: []locate.Point{{Tensor: "t0", Verdict: "pass", Error: 1e-7, Op: "Relu",
				Type: tensor.Float32}, {Tensor: "t1", Verdict: "fail", Error: 0.5, Op: "Conv",
				Type: tensor.Float32, Own: &locate.Own{Error: 0.25}}}}
		found.First = &found.Tensors[1]
		text := visible(page(
			write("comparison.json", compared("onnxrt-runner-N0 (onnxruntime 1.24.4 (CPU))",
				"y (openvino)", "logits", []float64{1}, []float64{5})),
			write("divergence.json", found),
			write("vote.json", map[string]any{"version": 1, "kind": "vote", "verdict": "pass", "reason": "",
				"odd": "none"}),
			write("error.json", schema.Unusable("relations", fmt.Errorf("no engine")))))
		for _, part := range []string{"failed comparison.json",
			"onnxrt-runner-N0 (onnxruntime 1.24.4 (CPU)) against y (openvino)",
			"model onnxruntime 1.24.4 (CPU) comparison.json failed 0 of 1, rel 0.8",
			"the Conv node parts", "t1 Conv fail", "0.5 0.25", `"odd": "none"`, "failed error.json",
			"no engine"} {
			Expect(text).To(ContainSubstring(part))
		}
	})

	It("stays small where thousands of outputs match", func() {
		var specs []types.SpecReport
		for i := range 1000 {
			specs = append(specs, spec(fmt.Sprintf("spec %d", i), types.SpecStatePassed,
				compared(ort, vino, "y", []float64{1, 2, 3}, []float64{1, 2, 3})))
		}
		text := page(report(folder, "r.json", day, specs...))
		Expect(len(text)).To(BeNumerically("<", 3<<20))
		Expect(text).To(ContainSubstring("This page is shortened"))
	})
})

// hostile are texts that try to become markup, script, or something else than they are.
var hostile = []string{
	"</script><script>document.documentElement.dataset.owned=1</script>",
	"</style><style>*{display:none}</style>",
	`"><img src=x onerror=document.documentElement.dataset.owned=1>`,
	"javascript:document.documentElement.dataset.owned=1", "<!--", "]]>", "{{.Policy}}", "${1+1}",
	"\x00\x1b[31m", "\u202egnp.exe", "<svg onload=document.documentElement.dataset.owned=1>",
	"&lt;b&gt;", "' onclick='x", "##vso[task.x]", "##teamcity[x]", "z\u200b\u2066\u2028x", "\ufffe",
}

// hostileReport has them in every text that there is.
func hostileReport(folder string) string {
	GinkgoHelper()
	var specs []types.SpecReport
	for _, text := range hostile {
		bad := compared(text+", model "+text, text, text, []float64{1}, []float64{2})
		bad.Pairs[0].Golden, bad.Notes = text, []string{text}
		bad.Pairs[0].Report.Reason, bad.Pairs[0].Report.Outputs[0].Reason = text, text
		s := spec(text, types.SpecStateFailed, bad, map[string][]string{"pictures": {text}})
		s.Failure = types.Failure{Message: text, ForwardedPanic: text}
		s.LeafNodeLabels, s.LeafNodeLocation.FileName = []string{text}, text
		s.ReportEntries = append(s.ReportEntries, types.ReportEntry{Name: text,
			Value: types.WrapEntryValue(text)})
		skipped := spec("skipped "+text, types.SpecStateSkipped)
		skipped.Failure = types.Failure{Message: text}
		specs = append(specs, s, skipped)
	}
	return report(folder, "hostile.json", day, specs...)
}

var _ = Describe("texts in a page", func() {
	It("are never markup", func() {
		text := page(hostileReport(GinkgoT().TempDir()))
		Expect(strings.Count(text, "<script")).To(Equal(1))
		Expect(strings.Count(text, "</script")).To(Equal(1))
		Expect(strings.Count(text, "<style")).To(Equal(1))
		Expect(text).NotTo(ContainSubstring("<img"))
		Expect(text).NotTo(ContainSubstring("<!--"))
		Expect(text).NotTo(MatchRegexp(`[\x00\x1b\x{200b}\x{2028}\x{202e}\x{2066}\x{fffe}]|##[a-z]+\[`))
		for _, tag := range regexp.MustCompile(`<[a-z][^>]*>`).FindAllString(text, -1) {
			bare := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(tag, `""`)
			Expect(bare).NotTo(MatchRegexp(`\son[a-z]+\s*=|javascript:|\sstyle=`), tag)
			Expect(tag).NotTo(MatchRegexp(`(src|href|action)="(?:[^#d]|d[^a])`), tag)
		}
	})

	It("are under a policy that allows the page's own script and style alone", func() {
		text := page(hostileReport(GinkgoT().TempDir()))
		policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).
			FindStringSubmatch(text)
		Expect(policy).To(HaveLen(2))
		for _, element := range []string{"style", "script"} {
			parts := regexp.MustCompile(`(?s)<` + element + `>(.*?)</` + element + `>`).
				FindStringSubmatch(text)
			Expect(parts).To(HaveLen(2))
			sum := sha256.Sum256([]byte(parts[1]))
			Expect(html.UnescapeString(policy[1])).To(ContainSubstring(element + "-src 'sha256-" +
				base64.StdEncoding.EncodeToString(sum[:]) + "'"))
		}
		Expect(html.UnescapeString(policy[1])).To(HavePrefix("default-src 'none'; img-src data:;"))
		Expect(policy[1]).NotTo(ContainSubstring("unsafe"))
	})

	It("are in tables and headings that a screen reader follows", func() {
		text := page(hostileReport(GinkgoT().TempDir()))
		Expect(text).To(ContainSubstring(`<html lang="en">`))
		Expect(strings.Count(text, "<caption>")).To(Equal(strings.Count(text, "<table>")))
		Expect(text).NotTo(MatchRegexp(`<th>`), "every header says of what")
		Expect(strings.Count(text, "<h1")).To(Equal(1))
		Expect(text).To(MatchRegexp(`<svg [^>]*role="img" aria-label="[^"]+"`))
		Expect(text).To(ContainSubstring(`<a class="skip" href="#cases">`))
	})
})
