package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/enginetest"
	"github.com/modelparity/modelparity/internal/testing/reportschema"
	"github.com/modelparity/modelparity/loaders"
)

// recorded is a run that the real Polygraphy saved.
func recorded(model, selection string) string {
	return filepath.Join("testdata", "polygraphy", "recorded", model, "outputs.json") + selection
}

// modelparity runs the program and gives its exit status and what it printed.
func modelparity(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	status = execute(t.Context(), args, &out, &err)
	return status, out.String(), err.String()
}

// reported runs the program with --report and gives the file as JSON has it.
func reported(t *testing.T, args ...string) (status int, report map[string]any) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.json")
	status, _, _ = modelparity(t, append(args, "--report", path)...)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := reportschema.Validate(text); err != nil {
		t.Errorf("%s\ndoes not follow docs/report.schema.json: %v", text, err)
	}
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	return status, report
}

func TestReportOfADifference(t *testing.T) {
	g := NewWithT(t)
	status, report := reported(t, "compare", recorded("fp32_gemm", "#0/0"),
		recorded("fp32_gemm", "#0/1"), "--atol", "1e-3", "--check-error-stat", "quantile")
	g.Expect(status).To(Equal(differs))
	g.Expect(report).To(HaveKeyWithValue("verdict", "fail"))
	g.Expect(report).To(HaveKeyWithValue("reason", Not(BeEmpty())))
	outputs := report["outputs"].([]any)
	g.Expect(outputs).To(HaveLen(1))
	output := outputs[0].(map[string]any)
	g.Expect(output).To(SatisfyAll(
		HaveKeyWithValue("name", "Y"), HaveKeyWithValue("iteration", 0.0),
		HaveKeyWithValue("verdict", "fail"), HaveKeyWithValue("reason", Not(BeEmpty())),
		HaveKeyWithValue("stat", "quantile(0.99)"), HaveKeyWithValue("atol", 1e-3),
		HaveKeyWithValue("rtol", 1e-5), HaveKeyWithValue("elements", 8.0),
		HaveKeyWithValue("mismatches", 2.0)))
	for _, errors := range []string{"abs", "rel"} {
		g.Expect(output[errors]).To(SatisfyAll(
			HaveKeyWithValue("max", BeNumerically(">", 0.29)),
			HaveKeyWithValue("mean", BeNumerically(">", 0)),
			HaveKeyWithValue("median", BeNumerically("==", 0)),
			HaveKeyWithValue("quantile", BeNumerically(">", 0)),
			HaveKeyWithValue("max_at", Equal([]any{0.0, 2.0}))), errors)
	}
}

func TestReportOfAPass(t *testing.T) {
	g := NewWithT(t)
	status, report := reported(t, "compare", recorded("multi_output", "#0"),
		recorded("multi_output", "#1"))
	g.Expect(status).To(Equal(equal))
	g.Expect(report).To(SatisfyAll(HaveKeyWithValue("verdict", "pass"),
		HaveKeyWithValue("reason", ""), HaveKeyWithValue("outputs", HaveLen(8))))
}

func TestReportWritesWhatIsNotFiniteAsText(t *testing.T) {
	g := NewWithT(t)
	_, report := reported(t, "compare", recorded("nan_inf", "#0"), recorded("nan_inf", "#1"),
		"--atol", "inf")
	output := report["outputs"].([]any)[0].(map[string]any)
	g.Expect(output).To(HaveKeyWithValue("atol", "Infinity"))
	g.Expect(output["abs"]).To(HaveKeyWithValue("max", "NaN"))
}

func TestReportOfAnError(t *testing.T) {
	for _, row := range []struct {
		description string
		args        []string
		reason      string
	}{
		{"a missing file", []string{"compare", "missing.json", "missing.json"}, "missing.json"},
		{"a flag before the report that is wrong", []string{"compare", "--atoll", "1"}, "--atoll"},
		{"too few files", []string{"compare", "one.json"}, "two saved runs"},
		{"a run of nothing", []string{"run"}, "nothing to run or compare"},
		{"a search of nothing", []string{"search"}, "takes one model"},
	} {
		t.Run(row.description, func(t *testing.T) {
			g := NewWithT(t)
			status, report := reported(t, row.args...)
			g.Expect(status).To(Equal(unusable))
			g.Expect(report).To(SatisfyAll(HaveKeyWithValue("verdict", "error"),
				HaveKeyWithValue("reason", ContainSubstring(row.reason)),
				HaveKeyWithValue("outputs", BeEmpty())))
		})
	}
}

// TestReportOfAVote has engines vote on a real model: several settings of one engine, so
// that ONNX Runtime is enough.
func TestReportOfAVote(t *testing.T) {
	ort.Require(t)
	g := NewWithT(t)
	digits := filepath.Join("..", "..", "example_test", "digits", "testdata", "digits.onnx")
	status, report := reported(t, "vote", digits, "--onnxrt", "--onnxrt", "level=none")
	g.Expect(status).To(Equal(equal))
	g.Expect(report).To(SatisfyAll(HaveKeyWithValue("kind", "vote"),
		HaveKeyWithValue("verdict", "pass"), HaveKeyWithValue("voters", HaveLen(2)),
		HaveKeyWithValue("outputs", HaveLen(3)), Not(HaveKey("apart"))))

	// A provider that is missing has no vote, and an engine that is missing refuses as well.
	_, report = reported(t, "vote", digits, "--onnxrt", "--onnxrt", "level=none",
		"--onnxrt", "providers=nosuch")
	g.Expect(report["voters"].([]any)[2]).To(HaveKeyWithValue("refused", ContainSubstring("nosuch")))

	status, report = reported(t, "vote", "missing.onnx", "--onnxrt", "--tract")
	g.Expect(status).To(Equal(unusable))
	g.Expect(report).To(SatisfyAll(HaveKeyWithValue("kind", "vote"),
		HaveKeyWithValue("verdict", "error"),
		HaveKeyWithValue("reason", ContainSubstring("missing.onnx"))))

	if !enginetest.Has("tract", tract.Available()) {
		return // the rest is specified in locate
	}
	status, report = reported(t, "vote", digits, "--onnxrt", "--tract", "--tract", "fp16",
		"--atol", "1e-6", "--rtol", "0")
	g.Expect(status).To(Equal(differs))
	g.Expect(report).To(HaveKeyWithValue("verdict", "fail"))
	g.Expect(report["apart"].([]any)[0]).To(SatisfyAll(HaveKeyWithValue("name", "tract FP16"),
		HaveKeyWithValue("located", HaveKeyWithValue("kind", "divergence"))))
}

func TestReportOfSeveralPairsNamesThem(t *testing.T) {
	g := NewWithT(t)
	status, report := reported(t, "run", "--load-outputs", recorded("fp32_gemm", ""),
		recorded("fp32_gemm", "#0"))
	g.Expect(status).To(Equal(equal))
	g.Expect(report).To(HaveKeyWithValue("pairs", HaveLen(2)))
	for i, output := range report["outputs"].([]any) {
		g.Expect(output).To(HaveKeyWithValue("pair", float64(i/2)))
	}
}

func TestReportThatCannotBeWrittenIsAnError(t *testing.T) {
	g := NewWithT(t)
	status, _, stderr := modelparity(t, "compare", recorded("fp32_gemm", "#0"),
		recorded("fp32_gemm", "#1"), "--report", t.TempDir())
	g.Expect(status).To(Equal(unusable))
	g.Expect(stderr).To(ContainSubstring("--report"))
}

func TestAnInterruptedSearchForFaultsIsNoVerdict(t *testing.T) {
	ort.Require(t)
	t.Setenv("MODELPARITY_NOISE_CACHE", t.TempDir())
	g := NewWithT(t)
	ctx, interrupt := context.WithCancel(t.Context())
	model := loaders.ONNXBytes("m", wide())
	run, err := backends.RunIn(ctx, ort.Engine(), model, fixtures.Random(model))
	g.Expect(err).NotTo(HaveOccurred())
	var judge noiseJudge
	report, err := judge.compare(run, run)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(report.Verdict).To(Equal(compare.Pass))
	interrupt()
	_, err = judge.compare(run, run) // the noise is in the cache, so only the search needs the engine
	g.Expect(err).To(MatchError(context.Canceled))
}

func TestAnInterruptIsSaid(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, err bytes.Buffer
	status := execute(ctx, []string{"run", "--load-outputs", recorded("fp32_gemm", "")}, &out, &err)
	g.Expect(status).To(Equal(unusable))
	g.Expect(err.String()).To(HavePrefix("modelparity: run: interrupted"))
}

func TestHelpFitsATerminal(t *testing.T) {
	for _, command := range []string{"run", "compare"} {
		_, stdout, _ := modelparity(t, command, "--help")
		for _, line := range strings.Split(stdout, "\n") {
			if len(line) > 100 {
				t.Errorf("%s --help: %d columns: %s", command, len(line), line)
			}
		}
	}
}
