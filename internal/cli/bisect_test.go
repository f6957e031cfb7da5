package cli

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
)

// TestBisect finds a change between two releases of the real ONNX Runtime, from both sides: the
// current one is the saved reference, and the earlier one is the oldest.
func TestBisect(t *testing.T) {
	now := engines.ONNXRuntime.Version
	for _, version := range []string{"1.24.4", now} {
		ort.Require(t, ort.Release(version))
	}
	g := NewWithT(t)
	folder := t.TempDir()
	model, out := filepath.Join(folder, "softcap.onnx"), filepath.Join(folder, "out.json")
	g.Expect(os.WriteFile(model, onnxtest.Softcap().Bytes(), 0o600)).To(Succeed())

	status, text, said := modelparity(t, "bisect", model, "--onnxrt", "1.24.4", "--onnxrt", now)
	g.Expect(status).To(Equal(differs), said)
	g.Expect(said).To(Equal("running 1.24.4 (1 of 2)\nrunning " + now + " (2 of 2)\n"))
	g.Expect(text).To(ContainSubstring("\n  1.24.4  good  max abs 0, max rel 0\n  " + now + "  bad  "))
	g.Expect(text).To(HaveSuffix(now + " is the first bad release, and 1.24.4 the last good one " +
		"before it\n" + now + ` compared with 1.24.4, inside the model: "y" is the first tensor out of ` +
		`tolerance, computed by Attention "attend" (node 1): the node alone is out of ` +
		"tolerance on the expected side's inputs\n"))

	status, _, said = modelparity(t, "run", model, "--onnxrt", "--save-outputs", out)
	g.Expect(status).To(Equal(equal), said)
	status, report := reported(t, "bisect", model, "--onnxrt", "1.24.4,"+now, "--load-outputs", out,
		"--no-locate", "--noise")
	g.Expect(status).To(Equal(differs))
	g.Expect(report).To(SatisfyAll(HaveKeyWithValue("kind", "releases"),
		HaveKeyWithValue("verdict", "fail"), HaveKeyWithValue("rule", "within noise"),
		HaveKeyWithValue("bad", "1.24.4"), HaveKeyWithValue("good", now), Not(HaveKey("located"))))

	digits := filepath.Join("..", "..", "example_test", "digits", "testdata", "digits.onnx")
	status, text, said = modelparity(t, "bisect", digits, "--onnxrt", "1.24.4,"+now, "-q")
	g.Expect(status).To(Equal(equal), said)
	g.Expect(text).To(Equal("every release that runs the model is good\n"))
	status, _, said = modelparity(t, "bisect", digits, "--onnxrt", "1.24.4,"+now, "--load-outputs",
		out)
	g.Expect(status).To(Equal(unusable))
	g.Expect(said).To(ContainSubstring("ran on different inputs"))
}

func TestBisectSaysWhatToWrite(t *testing.T) {
	digits := filepath.Join("..", "..", "example_test", "digits", "testdata", "digits.onnx")
	for _, row := range []struct {
		args []string
		says string
	}{
		{[]string{digits}, "no releases are named; write --onnxrt 1.24..1.31 or"},
		{[]string{digits, "--onnxrt", "1.20..1.31"}, "--onnxrt: unknown release 1.20..1.31 of " +
			"onnxruntime; this version of modelparity knows 1.24.1 to "},
		{[]string{digits, "--onnxrt", "1.31..1.24"},
			"--onnxrt: the range 1.31..1.24 ends before it begins; write 1.24..1.31"},
		{[]string{digits, "--onnxrt", "1.24.4..1.24.4"}, "--onnxrt 1.24.4..1.24.4 names only release " +
			"1.24.4; bisect needs two or more, such as 1.24..1.31"},
		{[]string{digits, "--onnxrt", "1.24.4", "--onnxrt", "1.24.4", "--openvino"},
			"--onnxrt 1.24.4,1.24.4 names only release 1.24.4"},
		{[]string{digits, "--onnxrt", "1.24", "--openvino", "--tract"},
			"bisect takes at most one reference, got --openvino --tract"},
		{[]string{"--onnxrt", "1.24"}, "takes one model, got 0"},
		{[]string{"missing.onnx", "--onnxrt", "1.24"}, "missing.onnx: no such file"},
	} {
		status, _, said := modelparity(t, append([]string{"bisect"}, row.args...)...)
		NewWithT(t).Expect(status).To(Equal(unusable))
		NewWithT(t).Expect(said).To(ContainSubstring(row.says))
	}
}

// TestBisectWithoutNetwork needs a release that is not in the cache, and cannot fetch it.
func TestBisectWithoutNetwork(t *testing.T) {
	g := NewWithT(t)
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	t.Setenv("MODELPARITY_PYTHON", "false")
	digits := filepath.Join("..", "..", "example_test", "digits", "testdata", "digits.onnx")
	status, _, said := modelparity(t, "bisect", digits, "--onnxrt", "1.24.4,1.26.0")
	g.Expect(status).To(Equal(unusable))
	g.Expect(said).To(HavePrefix("fetching ONNX Runtime 1.24.4 (1 of 2)\n"))
	g.Expect(said).To(MatchRegexp("\nwithout a network, run `MODELPARITY_LOCK=off .* setup " +
		"--release onnxruntime=1.24.4` on another .* machine and copy its folder " +
		".*/onnxruntime/1\\.24\\.4/.* to this machine"))
}
