package overlay_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/overlay"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// seen is what a process sees of a model and a golden file.
type seen struct {
	Model, Path, Mutant, Text, Refusal string
	Golden                             float64
}

// TestProcess is the process that the other tests start.
func TestProcess(t *testing.T) {
	folder := os.Getenv("OVERLAY_TEST")
	if folder == "" {
		return
	}
	g := NewWithT(t)
	model := loaders.ONNX(filepath.Join(folder, "net.onnx"))
	outputs, err := model.Outputs()
	g.Expect(err).NotTo(HaveOccurred())
	s := seen{Model: outputs[0].Name, Path: model.Path()}
	file, err := golden.ReadReference(t.Context(), filepath.Join(folder, "net.json"))
	g.Expect(err).NotTo(HaveOccurred())
	s.Golden = file.Run.Outputs()[0].At(0).Tensor.Float64At(0)
	run, err := backends.Collect(t.Context(), backends.Provenance{Backend: "test"},
		backends.Subject{Model: model}, fixtures.Of(one(g, 3)),
		func(_ context.Context, inputs *tensor.Set) (*tensor.Set, error) { return inputs, nil })
	g.Expect(err).NotTo(HaveOccurred())
	s.Mutant, s.Text = run.Provenance.Mutant, run.String()
	if _, err := golden.Updating(); err != nil {
		s.Refusal = err.Error()
	}
	text, err := json.Marshal(s)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.WriteFile(filepath.Join(folder, "seen.json"), text, 0o600)).To(Succeed())
}

func one(g *WithT, value float32) *tensor.Set {
	set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Of(value)})
	g.Expect(err).NotTo(HaveOccurred())
	return set
}

// files writes a model and a golden file into a new folder.
func files(t *testing.T, output string, value float32) (folder string) {
	g := NewWithT(t)
	folder = t.TempDir()
	const float = 1
	g.Expect(os.WriteFile(filepath.Join(folder, "net.onnx"), onnxtest.Model{Graph: onnxtest.Graph{
		Nodes:   []onnxtest.Node{{Op: "Relu", In: []string{"x"}, Out: []string{output}}},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: float, Dims: []any{1}}},
		Outputs: []onnxtest.Value{{Name: output, Elem: float, Dims: []any{1}}},
	}}.Bytes(), 0o600)).To(Succeed())
	g.Expect(golden.Write(filepath.Join(folder, "net.json"), backends.NewRun(
		backends.Provenance{Backend: "test"}, backends.Iteration{Outputs: one(g, value)}),
		golden.Options{})).To(Succeed())
	return folder
}

// under runs TestProcess on the files in a folder, under the overlay.
func under(t *testing.T, folder string, o overlay.Overlay) (s seen) {
	g := NewWithT(t)
	text, err := json.Marshal(o)
	g.Expect(err).NotTo(HaveOccurred())
	file := filepath.Join(t.TempDir(), "overlay.json")
	g.Expect(os.WriteFile(file, text, 0o600)).To(Succeed())
	program, err := os.Executable()
	g.Expect(err).NotTo(HaveOccurred())
	child := exec.Command(program, "-test.run=^TestProcess$")
	child.Env = append(os.Environ(), "OVERLAY_TEST="+folder, overlay.Variable+"="+file,
		"GOLDEN_UPDATE=1", "CI=")
	said, err := child.CombinedOutput()
	g.Expect(err).NotTo(HaveOccurred(), "%s", said)
	text, err = os.ReadFile(filepath.Join(folder, "seen.json"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(json.Unmarshal(text, &s)).To(Succeed())
	return s
}

func TestFilesAreReplacedByContent(t *testing.T) {
	g := NewWithT(t)
	original, mutant := files(t, "y", 1), files(t, "z", 2)
	o := overlay.Overlay{Mutant: "another output", Files: map[string]string{}}
	for _, name := range []string{"net.onnx", "net.json"} {
		sum, err := regular.Sum(filepath.Join(original, name))
		g.Expect(err).NotTo(HaveOccurred())
		o.Files[sum] = filepath.Join(mutant, name)
	}
	s := under(t, original, o)
	// Engines that open the file themselves get the path of the mutant.
	g.Expect(s.Path).To(Equal(filepath.Join(mutant, "net.onnx")))
	g.Expect(s.Model).To(Equal("z"))
	g.Expect(s.Golden).To(Equal(2.0))
	g.Expect(s.Mutant).To(Equal("another output"))
	g.Expect(s.Text).To(ContainSubstring(", mutant: another output, outputs"))
	g.Expect(s.Refusal).To(ContainSubstring("GOLDEN_UPDATE is refused, because modelparity mutate"))
}

func TestAnEmptyOverlayRecords(t *testing.T) {
	g := NewWithT(t)
	folder, record := files(t, "y", 1), t.TempDir()
	s := under(t, folder, overlay.Overlay{Record: record})
	g.Expect(s).To(And(HaveField("Model", "y"), HaveField("Golden", 1.0), HaveField("Mutant", "")))
	uses, err := overlay.Recorded(record)
	g.Expect(err).NotTo(HaveOccurred())
	model, golden := filepath.Join(folder, "net.onnx"), filepath.Join(folder, "net.json")
	sum, err := regular.Sum(model)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(uses).To(ContainElements(
		overlay.Use{Kind: overlay.Model, Path: model, SHA256: sum},
		And(HaveField("Kind", overlay.Golden), HaveField("Path", golden)),
		And(HaveField("Kind", overlay.Inputs), HaveField("SHA256", sum))))
	sets, err := backends.Subject{Inputs: fixtures.Load(uses[len(uses)-1].Inputs)}.Draw()
	g.Expect(err).NotTo(HaveOccurred())
	x, _ := sets[0].Get("x")
	g.Expect(x.Float64At(0)).To(Equal(3.0))
}

func TestNothingIsReplacedWithoutAnOverlay(t *testing.T) {
	g := NewWithT(t)
	g.Expect(overlay.Active()).To(BeFalse())
	g.Expect(overlay.Path(overlay.Model, "missing.onnx")).To(Equal("missing.onnx"))
	uses, err := overlay.Recorded(t.TempDir())
	g.Expect(uses, err).To(BeEmpty())
}
