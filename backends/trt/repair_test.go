//go:build linux && cgo

package trt_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("repairing in the mock, which rounds what is not kept", Label("mock"), func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	// sums adds numbers of ever greater magnitude, so that the last nodes err most.
	sums := func() (*loaders.Model, fixtures.Inputs) {
		g := onnxtest.Graph{Inputs: []onnxtest.Value{in("x", onnxFloat, 2)},
			Outputs: []onnxtest.Value{in("y", onnxFloat, 2)}}
		last := "x"
		for i, addend := range []float32{1. / 3, 3 + 1./7, 10 + 1./9, 1./11 - 12, 30 + 1./13} {
			name := string(rune('a' + i))
			out := name
			if i == 4 {
				out = "y"
			}
			g.Initializers = append(g.Initializers, onnxtest.Tensor{Name: "c" + name, Type: onnxFloat,
				Dims: []int64{1}, Raw: onnxtest.Float32s(addend)})
			g.Nodes = append(g.Nodes, onnxtest.Node{Op: "Add", Name: "add_" + name,
				In: []string{last, "c" + name}, Out: []string{out}})
			last = out
		}
		return loaders.ONNXBytes("sums.onnx", onnxtest.Model{Opsets: map[string]int64{"": 13},
			Graph: g}.Bytes()), feed(floats([]int{2}, 0.123456, 0.654321))
	}
	within := func(atol float64) compare.Options {
		return compare.Options{Checks: []compare.Check{compare.Within(atol, 0, compare.Elementwise)}}
	}
	// caches are the sizes of the timing caches that builds were given.
	caches := func(text string) (sizes []string, builds int) {
		for line := range strings.Lines(text) {
			if _, size, ok := strings.Cut(line, "timing cache of "); ok {
				sizes = append(sizes, strings.Fields(size)[0])
			}
			builds += strings.Count(line, "mock: built a plan")
		}
		return sizes, builds
	}

	It("gives every build of a repair what the builds before it measured", func(ctx SpecContext) {
		text := &log{}
		model, inputs := sums()
		half := trt.Engine(on(mock(10, 6), trt.FP16(), trt.Log(text, slog.LevelDebug))...)
		temporary := GinkgoT().TempDir()
		setenv("TMPDIR", temporary)
		found, err := precision.Repair{Format: precision.FP16, Rule: within(1e-3),
			Engine: half}.Find(ctx,
			backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs})
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Report.Verdict).To(Equal(compare.Pass))
		Expect(found.Computing).To(And(BeNumerically(">", 0), BeNumerically("<", 5)))

		sizes, builds := caches(text.String())
		Expect(builds).To(And(BeNumerically(">", 2), Equal(found.Builds)))
		Expect(sizes).To(HaveLen(builds))
		Expect(sizes[0]).To(Equal("0"))
		Expect(sizes[1:]).To(HaveEach("15"))
		Expect(text.String()).NotTo(ContainSubstring("timing caches combined"))
		Expect(found.Text()).To(MatchRegexp(
			`checked sets of nodes with the engine tensorrt .*FP16.*: %d builds and their runs `+
				`took .*s\n`, builds))
		Expect(os.ReadDir(temporary)).To(BeEmpty())
	})

	It("builds no set that is predicted to be far from passing", func(ctx SpecContext) {
		model, inputs := sums()
		half := trt.Engine(on(mock(10, 6), trt.FP16())...)
		for _, atol := range []float64{1.5e-2, 8e-3, 4e-3, 2e-3, 1e-3, 5e-4, 2e-4} {
			found, err := precision.Repair{Format: precision.FP16, Rule: within(atol), Engine: half}.Find(
				ctx, backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs})
			Expect(err).NotTo(HaveOccurred())
			GinkgoWriter.Println(atol, found.Computing, found.Builds)
			Expect(found.Builds).To(BeNumerically("<=", 4)) // 6 where far ones are built, too
		}
	})

	It("shares what the builds of a search for layers measure", func(ctx SpecContext) {
		text := &log{}
		model, inputs := sums()
		half := trt.Engine(on(mock(10, 6), trt.FP16(), trt.Log(text, slog.LevelDebug))...)
		found, err := precision.Layers{Rule: within(1e-3), Reverse: true}.Find(ctx,
			[]backends.Subject{{Engine: half, Model: model, Inputs: inputs},
				{Engine: ort.Engine(), Model: model, Inputs: inputs}})
		Expect(err).NotTo(HaveOccurred())
		sizes, builds := caches(text.String())
		Expect(builds).To(And(BeNumerically(">", 2), Equal(found.Steps)))
		Expect(sizes).To(HaveLen(builds))
		Expect(sizes[1:]).To(HaveEach("15"))
		Expect(found.Higher).To(Equal(tensor.Float32))
	})

	// adding is a node that the parser makes two layers of, between nodes that are one each.
	adding := func() (*loaders.Model, fixtures.Inputs) {
		weight := func(name string, value float32) onnxtest.Tensor {
			return onnxtest.Tensor{Name: name, Type: onnxFloat, Dims: []int64{1},
				Raw: onnxtest.Float32s(value)}
		}
		g := onnxtest.Graph{Inputs: []onnxtest.Value{in("x", onnxFloat, 2)},
			Outputs: []onnxtest.Value{in("y", onnxFloat, 2)},
			Initializers: []onnxtest.Tensor{weight("a", 30+1./7), weight("b", 1./9),
				weight("c", 1./3)},
			Nodes: []onnxtest.Node{
				{Op: "Relu", Name: "relu", In: []string{"x"}, Out: []string{"r"}},
				{Op: "Sum", Name: "sum", In: []string{"r", "a", "b"}, Out: []string{"s"}},
				{Op: "Add", Name: "add", In: []string{"s", "c"}, Out: []string{"y"}}}}
		return loaders.ONNXBytes("adding.onnx", onnxtest.Model{Opsets: map[string]int64{"": 13},
			Graph: g}.Bytes()), feed(floats([]int{2}, 0.123456, 0.654321))
	}

	It("keeps every layer of a node", func(ctx SpecContext) {
		model, inputs := adding()
		// Every layer in float16, unless a rule for fewer says otherwise: "(" comes before "*".
		obeying := on(mock(10, 6), trt.FP16(), trt.LayerPrecision("*", tensor.Float16))
		half := trt.Engine(obeying...)
		const second = "(Unnamed Layer* 2) [ElementWise]"
		Expect(backends.CapabilitiesOf(half).NodeLayers(ctx, model)).To(Equal(
			[][]string{{"relu"}, {"sum", second}, {"add"}}))
		found, err := precision.Repair{Format: precision.FP16, Rule: within(1e-5), Engine: half}.Find(
			ctx, backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs})
		Expect(err).NotTo(HaveOccurred())
		Expect(found.Report.Verdict).To(Equal(compare.Pass))
		Expect(found.Named()).To(HaveExactElements("relu", "sum", second, "add"))
		Expect(found.Flags()).To(ContainSubstring("'" + second + ":float32'"))
		none, err := trt.New(ctx, model, inputs, on(mock(10, 6), trt.FP16(),
			trt.PrecisionConstraints(trt.Obey), trt.LayerPrecision(second, tensor.Float32))...)
		Expect(err).NotTo(HaveOccurred(), "the name that the flags give")
		Expect(none.Close()).To(Succeed())
	})

	It("is the same in a process of its own", func(ctx SpecContext) {
		model, inputs := adding()
		half := trt.Engine(on(mock(10, 6), trt.FP16())...)
		apart := isolated.Engine(half)
		reference := backends.Subject{Engine: ort.Engine(), Model: model, Inputs: inputs}
		layers := precision.Layers{Rule: within(1e-3), Reverse: true}
		var counts, kept []int
		for _, engine := range []backends.Engine{half, apart} {
			found, err := layers.Find(ctx, []backends.Subject{
				{Engine: engine, Model: model, Inputs: inputs}, reference})
			Expect(err).NotTo(HaveOccurred())
			counts = append(counts, found.Count)
			repaired, err := precision.Repair{Format: precision.FP16, Rule: within(1e-5),
				Engine: engine}.Find(ctx, reference)
			Expect(err).NotTo(HaveOccurred())
			kept = append(kept, repaired.Computing)
		}
		Expect(counts).To(HaveExactElements(2, 2))
		Expect(kept).To(HaveExactElements(2, 2))

		file := filepath.Join(GinkgoT().TempDir(), "m.plan")
		saved, err := backends.CapabilitiesOf(backends.CapabilitiesOf(apart).Save(file)).Raise(
			[]string{"add"}, tensor.Float32)
		Expect(err).NotTo(HaveOccurred())
		Expect(saved.String()).To(And(ContainSubstring("SavePlan("), HaveSuffix(", isolated")))
		backend, err := saved.Open(ctx, model, inputs)
		Expect(err).NotTo(HaveOccurred())
		Expect(backend.Close()).To(Succeed())
		Expect(file).To(BeARegularFile())

		// What is judged by a command is a file that the engine of the whole model writes.
		judged := 0
		layers = precision.Layers{Reverse: true, File: filepath.Join(
			GinkgoT().TempDir(), "debug.plan"), Check: func(_ context.Context, file string) (bool, error) {
			judged++
			Expect(file).To(BeARegularFile())
			return judged > 2, os.Remove(file)
		}}
		_, err = layers.Find(ctx, []backends.Subject{{Engine: apart, Model: model, Inputs: inputs}})
		Expect(err).NotTo(HaveOccurred())
		Expect(judged).To(BeNumerically(">", 1))
		Expect(backends.CapabilitiesOf(isolated.Engine(ort.Engine())).Layers).To(BeNil())
	})
})
