package pages_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2/reporters"
	. "github.com/onsi/gomega"

	onnxruntime "github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	strange "github.com/modelparity/modelparity/internal/testing/hostile"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/report/internal/kept"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// reported is a package whose tests fail.
const reported = "./testdata/reported"

// event is a line of `go test -json`.
type event struct{ Action, Test, Key, Value, Path string }

// run runs the tests of package reported, which fail, and returns the events.
func run(t *testing.T, g Gomega, flags ...string) (events []event) {
	t.Helper()
	skips.Long(t)
	onnxruntime.Require(t)
	command := exec.CommandContext(t.Context(), "go",
		append([]string{"test", "-count=1", "-json", reported}, flags...)...)
	out, err := command.Output()
	g.Expect(err).To(MatchError("exit status 1"), "%s", out)
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var e event
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			return events
		} else {
			g.Expect(err).NotTo(HaveOccurred())
		}
		events = append(events, e)
	}
}

func attributes(events []event, test string) (all []string) {
	for _, e := range events {
		if e.Action == "attr" && e.Test == test {
			all = append(all, e.Key+" "+e.Value)
		}
	}
	return all
}

func TestGoTestFindsAttributesAndArtifacts(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	junit := filepath.Join(folder, "junit.xml")
	events := run(t, g, "-artifacts", "-outputdir="+folder, "-ginkgo.junit-report="+junit)
	kept := map[string]string{}
	for _, e := range events {
		if e.Action == "artifacts" {
			kept[e.Test] = e.Path
		}
	}

	plain := filepath.Join(kept["TestPlain"], "comparison-1")
	text, err := os.ReadFile(filepath.Join(plain, "report.json"))
	g.Expect(err).NotTo(HaveOccurred())
	var report compare.Document
	g.Expect(json.Unmarshal(text, &report)).To(Succeed())
	worst, err := json.Marshal(report.Pairs[0].Report.Outputs[2].Statistics().Abs.Max)
	g.Expect(err).NotTo(HaveOccurred())
	saved, err := runs.ReadRuns(t.Context(), filepath.Join(plain, "actual.json"))
	g.Expect(err).NotTo(HaveOccurred())
	version := strings.Fields(saved[0].Name)[1] // "onnxruntime 1.31.1 (CPUExecutionProvider), …"
	described := []string{"engine onnxruntime", "version " + version, "model digits.onnx",
		"worst-error " + string(worst)}
	equal, another := []string{"worst-error 0"}, []string{"engine fake"}
	g.Expect(attributes(events, "TestPlain")).To(Equal(append(equal, described...)))
	g.Expect(attributes(events, "TestSuite")).To(Equal(append(another, described...)))

	const spec = "pictures/A_suite_differs/"
	for _, path := range []string{plain + "/report.html", plain + "/expected.json",
		plain + "/heatmap_probabilities_absolute.png", kept["TestSuite"] + "/page.html",
		kept["TestSuite"] + "/" + spec + "actual.json",
		kept["TestSuite"] + "/" + spec + "error_metrics_probabilities.png"} {
		g.Expect(filepath.FromSlash(path)).To(BeARegularFile())
	}
	page, err := os.ReadFile(filepath.Join(kept["TestSuite"], "page.html"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(bytes.Count(page, []byte("data:image/png;base64,"))).To(Equal(3))
	g.Expect(os.ReadDir(reported)).To(HaveLen(1), "nothing is written into the package's folder")

	text, err = os.ReadFile(junit)
	g.Expect(err).NotTo(HaveOccurred())
	var suites reporters.JUnitTestSuites
	g.Expect(xml.Unmarshal(text, &suites)).To(Succeed())
	cases := map[string]reporters.JUnitTestCase{}
	for _, c := range suites.TestSuites[0].TestCases {
		name, _, _ := strings.Cut(c.Name, " [")
		cases[strings.TrimPrefix(name, "[It] ")] = c
	}
	var properties []string
	for _, p := range cases["A suite differs"].Properties.Properties {
		if !strings.HasPrefix(p.Name, "modelparity: ") {
			properties = append(properties, p.Name+" "+strings.Trim(p.Value, `"`))
		}
	}
	g.Expect(properties).To(Equal(append(another, described...)))
	g.Expect(cases["A suite runs in this version"].Status).To(Equal("passed"))
	g.Expect(cases["A suite waits for another version"].Skipped.Message).To(ContainSubstring(
		"onnxruntime " + version + " is installed; this spec needs >= 90"))
}

func TestAttributesAreEscapedInOneLine(t *testing.T) {
	g := NewWithT(t)
	for _, name := range strange.Names {
		described := 0
		kept.Describe(func(key, value string) {
			described++
			g.Expect(key).NotTo(ContainSubstring(" "))
			g.Expect(value).NotTo(ContainSubstring("\n"))
			g.Expect(strange.Found(value)).To(BeEmpty(), "%q", value)
		}, name, name, name, new(0.5))
		g.Expect(described).To(Equal(4))
	}
}

func TestSavedRunsOmitAnEmptySide(t *testing.T) {
	g := NewWithT(t)
	nothing, err := tensor.NewSet()
	g.Expect(err).NotTo(HaveOccurred())
	set, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: tensor.Of(1.)})
	g.Expect(err).NotTo(HaveOccurred())
	folder := t.TempDir()
	m := matchers.MatchOutputs().Of(set).ReportTo(func(pair compare.Pair) {
		saved, err := kept.Save(folder, pair)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(saved).To(Equal(kept.Saved{Expected: filepath.Join(folder, "expected.json")}))
	})
	g.Expect(nothing).NotTo(m)
}
