package mutate

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/internal/reportfile"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/reportschema"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// net has a site of every kind, and its matrix in another file.
func net(t *testing.T) *loaders.Model {
	const float, byte8 = 1, 3
	folder := t.TempDir()
	g := NewWithT(t)
	g.Expect(os.WriteFile(filepath.Join(folder, "w.bin"),
		onnxtest.Float32s(0, 1.001, -3, 2.001), 0o600)).To(Succeed())
	vector := func(name string, values ...float32) onnxtest.Tensor {
		return onnxtest.Tensor{Name: name, Type: float, Dims: []int64{int64(len(values))},
			Raw: onnxtest.Float32s(values...)}
	}
	path := filepath.Join(folder, "net.onnx")
	g.Expect(os.WriteFile(path, onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{
			{Op: "MatMul", In: []string{"x", "w"}, Out: []string{"m"}},
			{Op: "LayerNormalization", Name: "norm", In: []string{"m", "scale"}, Out: []string{"n"},
				Attrs: []onnxtest.Attr{{Name: "epsilon", Float: new(float32(1e-6))},
					{Name: "axis", Int: new(int64(1))}}},
			{Op: "DequantizeLinear", In: []string{"q", "step"}, Out: []string{"d"}},
			{Op: "Sub", Name: "minus", In: []string{"n", "d"}, Out: []string{"s"}},
			{Op: "Add", In: []string{"s", "tiny"}, Out: []string{"a"}},
			{Op: "Relu", Name: "relu", In: []string{"a"}, Out: []string{"y"}}},
		Initializers: []onnxtest.Tensor{
			{Name: "w", Type: float, Dims: []int64{2, 2}, Location: "w.bin", Offset: "0", Length: "16"},
			vector("scale", 1, 1), vector("step", 0.5), vector("tiny", 1e-5),
			{Name: "q", Type: byte8, Dims: []int64{2}, Raw: []byte{0x80, 0}}},
		Inputs:  []onnxtest.Value{{Name: "x", Elem: float, Dims: []any{1, 2}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: float, Dims: []any{1, 2}}},
	}}.Bytes(), 0o600)).To(Succeed())
	return loaders.ONNX(path)
}

func TestSites(t *testing.T) {
	g := NewWithT(t)
	model := net(t)
	sites, err := sitesOf(model, 9)
	g.Expect(err).NotTo(HaveOccurred())
	var all []string
	for _, s := range sites {
		changed, err := s.plant(model)
		g.Expect(err).NotTo(HaveOccurred(), s.text)
		g.Expect(changed.ExternalData()).To(BeEmpty(), s.text)
		path := filepath.Join(t.TempDir(), "mutant.onnx")
		g.Expect(changed.Save(path)).To(Succeed())
		mutant := loaders.ONNX(path)
		differences, err := describe.Diff(mutant, model)
		g.Expect(err).NotTo(HaveOccurred())
		for _, d := range differences {
			is := d.String()
			if d.What == "initializer" {
				g.Expect(edit.Constants(mutant, func(c loaders.Constant) error {
					if c.Name == d.Name {
						is = fmt.Sprintf("%s = %.6g", d.Name, c.Values.Float64s())
					}
					return nil
				})).To(Succeed())
			}
			all = append(all, s.kind+": "+s.text+": "+is)
		}
	}
	// The least int8 has no negative, and the median of the three weights that are not 0 is 2.001.
	g.Expect(all).To(HaveExactElements(
		"weight: the sign of the weight of median magnitude in w: w = [0 1.001 -3 -2.001]",
		"weight: the sign of the weight of median magnitude in q: q = [127 0]",
		"scale: a factor of 1.05 on w: w = [0 1.05105 -3.15 2.10105]",
		"scale: a factor of 1.05 on step: step = [0.525]",
		`activation: without Relu relu: node "y/dropped": only in actual: Relu(a)`,
		`activation: without Relu relu: node "y": Identity(a), expected Relu(a)`,
		"epsilon: a factor of 1000 on tiny: tiny = [0.01]",
		"epsilon: an epsilon of 0.01 in LayerNormalization norm: node \"n\": LayerNormalization(m, "+
			"scale) axis=1 epsilon=0.01, expected LayerNormalization(m, scale) axis=1 epsilon=1e-06",
		`operand: swapped operands of Sub minus: node "s": Sub(d, n), expected Sub(n, d)`,
		"precision: bfloat16 values in w: w = [0 1 -3 2]"))
}

func TestSitesAreSpread(t *testing.T) {
	g := NewWithT(t)
	g.Expect(spaced([]int{0, 1, 2, 3, 4, 5, 6}, 3)).To(Equal([]int{0, 3, 6}))
	g.Expect(spaced([]int{0, 1, 2}, 1)).To(Equal([]int{0}))
	g.Expect(spaced([]int{0, 1}, 3)).To(Equal([]int{0, 1}))
}

// TestEffects measures what mutants of the network do to its output, in units of its noise.
func TestEffects(t *testing.T) {
	ort.Require(t)
	g := NewWithT(t)
	model := net(t)
	file := filepath.Join(t.TempDir(), "inputs.json")
	g.Expect(fixtures.Save(file, fixtures.Random(model, fixtures.Seed(1)))).To(Succeed())
	s := &subject{path: model.Path(), inputs: []string{file}, base: map[string]*base{}}
	of := func(kind string) Effect {
		sites, err := sitesOf(model, 1)
		g.Expect(err).NotTo(HaveOccurred())
		i := slices.IndexFunc(sites, func(s site) bool { return s.kind == kind })
		changed, err := sites[i].plant(model)
		g.Expect(err).NotTo(HaveOccurred())
		e, err := s.effectOf(t.Context(), changed)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(e).NotTo(BeNil())
		return *e
	}
	g.Expect(of("operand")).To(And(HaveField("Output", "y"),
		HaveField("Sigmas", BeNumerically(">", 1e4)), HaveField("Change", BeNumerically(">", 1))))
	g.Expect(of("operand").visible()).To(BeTrue())
	g.Expect(of("activation").visible()).To(BeFalse()) // its input is positive
}

func TestDistance(t *testing.T) {
	g := NewWithT(t)
	noise := compare.OutputNoise{RMS: 0.1, Sigma: []float64{0.5, 0}}
	b := &base{noise: &compare.Noise{}}
	old := tensor.Of[float32](1, 2)
	g.Expect(b.distance(tensor.Of[float32](2, 2.5), old, noise)).To(
		Equal(Effect{Sigmas: 5, Change: 1})) // the second element has the output's noise
	inf := float32(math.Inf(1))
	g.Expect(b.distance(tensor.Of(1, inf), old, noise)).To(Equal(Effect{Sigmas: -1, Change: -1}))
	g.Expect(b.distance(tensor.Of[float32](1), tensor.Of[float32](0), compare.OutputNoise{})).To(
		Equal(Effect{Sigmas: -1, Change: 1}))
	b.noise.Unseen = map[string]int{"QuantizeLinear": 1} // rounding flips single elements
	g.Expect(b.distance(tensor.Of[float32](1, 2.5), old, noise).Sigmas).To(
		BeNumerically("~", 0.5/math.Sqrt2/0.1, 1e-6))
	b.noise = nil
	g.Expect(b.distance(tensor.Of[int32](0), tensor.Of[int32](1), compare.OutputNoise{}).visible()).To(
		BeTrue())
}

func TestStaleGoldenFiles(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	set, err := tensor.NewSet(tensor.Entry{Name: "logits", Tensor: tensor.Of[float32](3, -3)},
		tensor.Entry{Name: "class", Tensor: tensor.Of[int64](0, 7)})
	g.Expect(err).NotTo(HaveOccurred())
	path := filepath.Join(folder, "net.json")
	g.Expect(golden.Write(path, backends.NewRun(backends.Provenance{Backend: "test"},
		backends.Iteration{Outputs: set}), golden.Options{})).To(Succeed())
	r := &running{Options: Options{PerKind: 4}, folder: folder}
	g.Expect(r.prepareGolden(t.Context(), &subject{path: path})).To(Succeed())
	g.Expect(r.mutants).To(HaveLen(2))
	for i, expected := range [][]float64{{3.15, -2.85, 0, 7}, {3, -3, 1, 6}} {
		file, err := golden.ReadReference(t.Context(), r.mutants[i].path)
		g.Expect(err).NotTo(HaveOccurred())
		var values []float64
		for _, t := range file.Run.Outputs()[0].All() {
			values = append(values, t.Float64s()...)
		}
		g.Expect(values).To(HaveExactElements(BeNumerically("~", expected[0], 1e-6),
			BeNumerically("~", expected[1], 1e-6), Equal(expected[2]), Equal(expected[3])))
	}
	sampled := filepath.Join(folder, "sampled.json")
	g.Expect(golden.Write(sampled, file(g, 1000), golden.Options{Layout: golden.Layout{Sample: 9}})).
		To(Succeed())
	g.Expect(r.prepareGolden(t.Context(), &subject{path: sampled})).To(
		MatchError("it contains only samples of its outputs"))
}

// file returns a run with a long output.
func file(g *WithT, n int) *backends.Run {
	set, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: tensor.Of(make([]float32, n)...)})
	g.Expect(err).NotTo(HaveOccurred())
	return backends.NewRun(backends.Provenance{Backend: "test"}, backends.Iteration{Outputs: set})
}

func TestFailures(t *testing.T) {
	g := NewWithT(t)
	plain, spec := &unit{test: "TestNet"}, &unit{test: "TestNet", specs: []string{"Suite it"}}
	crashed := result{failed: errors.New("signal: aborted")}
	g.Expect(crashed.failedUnit(plain)).To(BeTrue())
	g.Expect(crashed.failedUnit(spec)).To(BeTrue())
	g.Expect(result{}.failedUnit(plain)).To(BeFalse())
	in := func(state string, failed error) bool {
		r := result{failed: failed, specs: map[string]reportfile.Spec{
			"Suite it": {State: state}, "Suite other": {State: "failed"}}}
		return r.failedUnit(spec)
	}
	g.Expect(in(reportfile.Passed, crashed.failed)).To(BeFalse()) // another one failed
	g.Expect(in("panicked", crashed.failed)).To(BeTrue())
	g.Expect(in(reportfile.Skipped, crashed.failed)).To(BeTrue()) // by a failed BeforeSuite
	g.Expect(in(reportfile.Skipped, nil)).To(BeFalse())
}

func TestCopiesOfModules(t *testing.T) {
	g := NewWithT(t)
	root := t.TempDir()
	to := filepath.Join(root, "tmp", "copy") // temporary files may lie in the module
	for name, size := range map[string]int{"go.mod": 1, "large.onnx": mostCopied + 1, ".git/HEAD": 1,
		"pkg/a.txt": 1, "tmp/other": 1} {
		g.Expect(os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755)).To(Succeed())
		g.Expect(os.WriteFile(filepath.Join(root, name), make([]byte, size), 0o444)).To(Succeed())
	}
	g.Expect(os.Symlink("a.txt", filepath.Join(root, "pkg", "inside"))).To(Succeed())
	g.Expect(os.Symlink("../../out", filepath.Join(root, "pkg", "outside"))).To(Succeed())
	g.Expect(copyTree(root, to)).To(Succeed())
	g.Expect(filepath.Join(to, "tmp")).NotTo(BeAnExistingFile())
	for name, target := range map[string]string{"pkg/inside": "a.txt",
		"pkg/outside": filepath.Join(filepath.Dir(root), "out"), ".git": filepath.Join(root, ".git")} {
		g.Expect(os.Readlink(filepath.Join(to, name))).To(Equal(target))
	}
	// Writing into the copy leaves the original alone.
	g.Expect(os.WriteFile(filepath.Join(to, "pkg", "a.txt"), []byte("changed"), 0o600)).To(Succeed())
	g.Expect(os.ReadFile(filepath.Join(root, "pkg", "a.txt"))).To(Equal([]byte{0}))
	large, err := os.Stat(filepath.Join(to, "large.onnx"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(large.Size()).To(BeNumerically("==", mostCopied+1))
}

func TestReport(t *testing.T) {
	g := NewWithT(t)
	u := &unit{suite: &suite{}, name: "pkg Suite holds"}
	of := &subject{units: []*unit{u}}
	r := &running{bypass: []NotMutated{{What: "net.plan", Why: "a plan"}},
		mutants: []*Mutant{
			{Kind: "weight", File: "net.onnx", Text: "w", State: killed, KilledBy: []string{u.name},
				ran: of.units, of: of, Effect: &Effect{Output: "y", Sigmas: 99, Change: 1}},
			{Kind: "scale", File: "net.onnx", Text: "s", State: survived, ran: of.units, of: of,
				Effect: &Effect{Output: "y", Sigmas: 1234, Change: 0.25}},
			{Kind: "scale", File: "net.onnx", Text: "i", State: survived, ran: of.units, of: of,
				Effect: &Effect{Output: "y", Sigmas: -1, Change: -1}},
			{Kind: "golden", File: "net.json", Text: "y", State: survived, ran: of.units, of: of,
				Effect: &Effect{Output: "y", Sigmas: -1, Change: 0.5}},
			{Kind: "precision", File: "net.onnx", Text: "p", State: invisible, of: of,
				Effect: &Effect{Output: "y", Sigmas: 3, Change: 1e-7}},
		}}
	found := r.report([]*unit{u})
	text, err := json.Marshal(found)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(reportschema.Validate(text)).To(Succeed())
	g.Expect(found.Text()).To(Equal(
		`killed 1 of 4 mutants (25 %); 1 more change every output by less than 10 times its noise
kind       killed  survived  invisible
weight     1       0         0
scale      0       2         0
precision  0       0         1
golden     0       1         0

survived:
  net.onnx: scale: s
    in ONNX Runtime without optimisation, the fault changes output y by up to 0.25, 1.23e+03
    times the noise; a golden file of that run, with an elementwise atol below this change,
    would have killed the mutant
  net.onnx: scale: i
    the fault makes output y infinite, NaN or of another shape, and no spec compares that
    output with a golden file
  net.json: golden: y
    the fault changes an output in the golden file by 0.5; an elementwise atol below this
    change would have killed the mutant

killed  of  spec
1       4   pkg Suite holds

not mutated:
  net.plan: a plan
`))
	empty := (&running{}).report(nil)
	g.Expect(empty.Verdict).To(Equal("error"))
	text, err = json.Marshal(empty)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(reportschema.Validate(text)).To(Succeed())
}
