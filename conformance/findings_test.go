package conformance_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/locate"
)

// versions are the versions described in docs/evidence/findings.md.
var versions = map[string]string{"ort": engines.ONNXRuntime.Version,
	"openvino": engines.OpenVINO.Version, "tract": engines.Tract.Version, evaluator: "1.22.0"}

// TestFindings compares every engine with findings_list_test.go.
func TestFindings(t *testing.T) {
	ort.Require(t)
	openvino.Require(t)
	tract.Require(t)
	for name, f := range findings() {
		t.Run(name, func(t *testing.T) {
			for _, on := range voters {
				g := NewWithT(t)
				got, err := backends.RunIn(t.Context(), on.engine, f.model, fixtures.Of(f.inputs))
				expected, runs := f.gives[on.name]
				if !runs {
					g.Expect(err).To(HaveOccurred(), "%s is listed as rejecting it", on.title)
					continue
				}
				g.Expect(err).NotTo(HaveOccurred(), on.title)
				if version := got.Provenance.Version; version != versions[on.name] {
					t.Skipf("docs/evidence/findings.md is about %s %s, and this is %s", on.title,
						versions[on.name], version)
				}
				y := got.Outputs()[0].At(0).Tensor.GomegaString()
				g.Expect(alike(y, expected)).To(BeTrue(), "%s returns %s, expected %s", on.title, y, expected)
			}
		})
	}
}

// TestFindingsOfTheEvaluator compares ONNX's reference evaluator with the same list.
func TestFindingsOfTheEvaluator(t *testing.T) {
	g := NewWithT(t)
	python := pythontest.With(t, "onnx", "numpy")
	asked := findings()
	maps.DeleteFunc(asked, func(_ string, f finding) bool { return f.gives[evaluator] == "" })
	version, got := evaluate(g, python, t.TempDir(), asked)
	if version != versions[evaluator] {
		t.Skipf("docs/evidence/findings.md is about onnx %s, and this is %s", versions[evaluator],
			version)
	}
	for name, f := range asked {
		g.Expect(alike(got[name], f.gives[evaluator])).To(BeTrue(), "%s: got %s, expected %s", name,
			got[name], f.gives[evaluator])
	}
}

// TestAnOracleIsVotedOnToo checks that three engines outvote ONNX's reference evaluator.
func TestAnOracleIsVotedOnToo(t *testing.T) {
	ort.Require(t)
	openvino.Require(t)
	tract.Require(t)
	process.Require(t, process.ONNXReference())
	g := NewWithT(t)
	found, err := process.Found(t.Context(), process.ONNXReference())
	g.Expect(err).NotTo(HaveOccurred())
	if !strings.HasPrefix(found, "onnx "+versions[evaluator]+" ") {
		t.Skipf("docs/evidence/findings.md is about onnx %s, and this is %s", versions[evaluator], found)
	}
	f := findings()["BatchNormalization of opset 9"]
	oracle := process.Engine(process.ONNXReference())
	report, err := locate.Vote(t.Context(), f.model, fixtures.Of(f.inputs),
		locate.VoteOptions{Compare: compare.Options{Checks: []compare.Check{
			compare.Within(1e-5, 1e-5, compare.Elementwise)}}},
		ort.Engine(), openvino.Engine(), tract.Engine(), oracle)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report.Headline()).To(Equal("y: " + oracle.String() +
		" disagrees with the majority: onnxruntime, openvino and tract agree"))
}

// evaluate runs the findings' models on ONNX's reference evaluator.
func evaluate(g *WithT, python, folder string, asked map[string]finding) (
	version string, y map[string]string) {
	type values struct {
		Type   string   `json:"type"`
		Shape  []int    `json:"shape"`
		Values []string `json:"values"`
	}
	type question struct {
		Model  string            `json:"model"`
		Inputs map[string]values `json:"inputs"`
	}
	questions := map[string]question{}
	for name, f := range asked {
		q := question{filepath.Join(folder, fmt.Sprint(len(questions), ".onnx")), map[string]values{}}
		data, err := f.model.Bytes()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(os.WriteFile(q.Model, data, 0o600)).To(Succeed())
		for name, x := range f.inputs.All() {
			v := values{Type: x.ElementType().String(), Shape: x.Shape(), Values: []string{}}
			for i := range x.Len() {
				v.Values = append(v.Values, x.Text(i))
			}
			q.Inputs[name] = v
		}
		questions[name] = q
	}
	text, err := json.Marshal(questions)
	g.Expect(err).NotTo(HaveOccurred())
	run := exec.Command(python, "testdata/evaluate.py")
	run.Stdin = strings.NewReader(string(text))
	var stderr strings.Builder
	run.Stderr = &stderr
	answer, err := run.Output()
	g.Expect(err).NotTo(HaveOccurred(), stderr.String())
	g.Expect(json.Unmarshal(answer, &y)).To(Succeed())
	return y["version"], y
}

// alike compares two tensor texts, with numbers equal within 1e-6 + 1e-5·|expected|. No finding
// depends on the last bits.
func alike(got, expected string) bool {
	a, b := strings.Fields(got), strings.Fields(expected)
	return slices.EqualFunc(a, b, func(a, b string) bool {
		x, failed := strconv.ParseFloat(strings.Trim(a, "[]"), 64)
		y, too := strconv.ParseFloat(strings.Trim(b, "[]"), 64)
		return a == b || failed == nil && too == nil && !math.IsInf(y, 0) &&
			math.Abs(x-y) <= 1e-6+1e-5*math.Abs(y)
	})
}
