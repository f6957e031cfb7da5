package process_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/backendtest"
	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// environment is the Python of `make engines` that has a framework, or a skip. MODELPARITY_ENGINES
// names the folder of these environments.
func environment(framework string) process.Option {
	GinkgoHelper()
	folder := os.Getenv("MODELPARITY_ENGINES")
	if folder == "" {
		Skip("make engines runs this one: it needs " + framework)
	}
	return process.Python(filepath.Join(folder, framework, "bin", "python"))
}

// made is the folder with what a script of testdata, MAKES_FRAMEWORK.py, makes in a framework's
// environment.
func made(framework, makes string) string {
	GinkgoHelper()
	environment(framework) // or a skip
	folder := GinkgoT().TempDir()
	python := filepath.Join(os.Getenv("MODELPARITY_ENGINES"), framework, "bin", "python")
	script := filepath.Join("testdata", makes+"_"+framework+".py")
	out, err := exec.Command(python, script, folder).CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), string(out))
	return folder
}

// agree holds runs to the first of them.
func agree(runs ...*backends.Run) {
	GinkgoHelper()
	c, err := compare.Prepare(compare.Options{
		Checks: []compare.Check{compare.Within(1e-5, 1e-5, compare.Elementwise)}})
	Expect(err).NotTo(HaveOccurred())
	for _, run := range runs[1:] {
		report, err := c.Runs(run.Outputs(), runs[0].Outputs())
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Verdict).To(Equal(compare.Pass), report.Reason)
	}
}

var _ = Describe("PyTorch", Ordered, func() {
	var python process.Option
	var folder string
	BeforeAll(func() {
		python = environment("torch")
		folder = made("torch", "make")
	})
	original := func(file string) backends.ModelEngine {
		return process.Model(filepath.Join(folder, file), process.PyTorch(), python,
			process.Env("PYTHONPATH", "testdata"))
	}

	It("runs a module, TorchScript and an exported program alike", func(ctx SpecContext) {
		program := original("program.pt2")
		inputs := fixtures.Random(program, fixtures.Shape("image", 4, 3, 8, 8))
		var runs []*backends.Run
		for _, file := range []string{"program.pt2", "script.pt", "module.pt"} {
			run, err := original(file).Run(ctx, inputs)
			Expect(err).NotTo(HaveOccurred())
			Expect(run.Provenance.Backend).To(Equal("pytorch"))
			Expect(run.Provenance.Version).To(MatchRegexp(`^\d+\.\d+`))
			Expect(run.Outputs()[0].String()).To(Equal(
				"{output: float32[4,5], output_1: float32[4,4]}"))
			runs = append(runs, run)
		}
		agree(runs...)
	})

	It("takes the names of the ONNX model that was exported from it", func(ctx SpecContext) {
		onnx := declaring([]onnxtest.Value{{Name: "pixels", Elem: 1, Dims: []any{"n", 3, 8, 8}},
			{Name: "factor", Elem: 1, Dims: []any{1}}}, "logits", "features")
		run, err := process.Run(ctx, onnx, fixtures.Random(onnx, fixtures.Shape("pixels", 2, 3, 8, 8)),
			process.PyTorch(), python, process.File(filepath.Join(folder, "script.pt")))
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Outputs()[0].String()).To(Equal("{logits: float32[2,5], features: float32[2,4]}"))
		Expect(run.Provenance.Options["file"]).To(HavePrefix("script.pt, sha256 "))
	})

	It("says what it cannot run", func(ctx SpecContext) {
		_, err := original("weights.pt").Run(ctx, feed(one))
		Expect(err).To(MatchError(ContainSubstring("PyTorch: weights.pt: TypeError: the file holds " +
			"weights without their module: write a script")))
		_, err = process.Run(ctx, negation(), feed(one), process.PyTorch(), python,
			process.File(filepath.Join(folder, "absent.pt")))
		Expect(err).To(MatchError(ContainSubstring("absent.pt: no such file or directory")))
		_, err = original("module.pt").Inputs()
		Expect(err).To(MatchError(ContainSubstring("its inputs are not declared")))
	})
})

var _ = Describe("TensorFlow", Ordered, func() {
	var python process.Option
	var folder string
	BeforeAll(func() {
		python = environment("tensorflow")
		folder = made("tensorflow", "make")
	})
	original := func(file string, kind process.TensorFlowModel) backends.ModelEngine {
		return process.Model(filepath.Join(folder, file), process.TensorFlow(kind), python)
	}

	It("runs Keras and a saved model alike", func(ctx SpecContext) {
		net := original("net.keras", process.Keras)
		inputs := fixtures.Random(net, fixtures.Shape("image", 3, 8, 8, 3))
		first, err := net.Run(ctx, inputs)
		Expect(err).NotTo(HaveOccurred())
		Expect(first.Outputs()[0].String()).To(Equal("{logits: float32[3,5]}"))
		onnx := declaring([]onnxtest.Value{{Name: "image", Elem: 1, Dims: []any{"n", 8, 8, 3}}},
			"logits")
		second, err := process.Run(ctx, onnx, inputs, process.TensorFlow(process.AnyTensorFlow), python,
			process.File(filepath.Join(folder, "saved")))
		Expect(err).NotTo(HaveOccurred())
		agree(first, second)
		Expect(second.Provenance.Options).To(HaveKeyWithValue("model", "saved_model"))
	})

	It("runs a frozen graph and its checkpoint alike", func(ctx SpecContext) {
		graph := original("frozen.pb", process.Frozen)
		inputs := fixtures.Random(graph, fixtures.Shape("fed:0", 4, 3))
		first, err := graph.Run(ctx, inputs)
		Expect(err).NotTo(HaveOccurred())
		Expect(first.Outputs()[0].String()).To(Equal("{out:0: float32[4,5]}"))
		second, err := original("ckpt", process.Checkpoint).Run(ctx, inputs)
		Expect(err).NotTo(HaveOccurred())
		agree(first, second)
	})

	It("runs the checkpoint that is named, of a folder that names none", func(ctx SpecContext) {
		unnamed := filepath.Join(GinkgoT().TempDir(), "unnamed")
		Expect(os.CopyFS(unnamed, os.DirFS(filepath.Join(folder, "ckpt")))).To(Succeed())
		Expect(os.Remove(filepath.Join(unnamed, "checkpoint"))).To(Succeed())
		named := func(name string) backends.ModelEngine {
			return process.Model(unnamed, process.TensorFlow(process.AnyTensorFlow), python,
				process.CheckpointName(name))
		}
		inputs := fixtures.Random(original("ckpt", process.Checkpoint), fixtures.Shape("fed:0", 4, 3))
		run, err := named("model").Run(ctx, inputs)
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Provenance.Options).To(HaveKeyWithValue("checkpoint", "model"))
		usual, err := original("ckpt", process.Checkpoint).Run(ctx, inputs)
		Expect(err).NotTo(HaveOccurred())
		agree(usual, run)
		for _, name := range []string{"", "model2"} {
			options := []process.Option{process.TensorFlow(process.Checkpoint), python}
			if name != "" {
				options = append(options, process.CheckpointName(name))
			}
			_, err = process.Model(unnamed, options...).Run(ctx, inputs)
			Expect(err).To(MatchError(ContainSubstring("the checkpoint has no .meta")))
		}
	})

	DescribeTable("gives out the tensors that are asked for",
		func(ctx SpecContext, file, input string, shape []int, names []string, want string) {
			model := process.Model(filepath.Join(folder, file), python,
				process.TensorFlow(process.AnyTensorFlow), process.Outputs(names...))
			run, err := model.Run(ctx, fixtures.Random(model, fixtures.Shape(input, shape...)))
			if rest, wrong := strings.CutPrefix(want, "error: "); wrong {
				Expect(err).To(MatchError(ContainSubstring(rest)))
				return
			}
			Expect(err).NotTo(HaveOccurred())
			Expect(run.Outputs()[0].String()).To(Equal(want))
		},
		Entry("of a graph", "frozen.pb", "fed:0", []int{4, 3}, []string{"Relu", "out:0"},
			"{Relu:0: float32[4,5], out:0: float32[4,5]}"),
		Entry("all of a graph", "ckpt", "fed:0", []int{4, 3}, []string{"*"},
			"{MatMul:0: float32[4,5], Relu:0: float32[4,5], out:0: float32[4,5]}"),
		Entry("of Keras, a layer and an output", "net.keras", "image", []int{3, 8, 8, 3},
			[]string{"conv2d", "logits"}, "{conv2d: float32[3,6,6,4], logits: float32[3,5]}"),
		Entry("of a graph that has none such", "frozen.pb", "fed:0", []int{4, 3}, []string{"gone"},
			"error: frozen.pb: ValueError: the graph has no tensor gone, only w/read:0, MatMul:0, "),
		Entry("of Keras without such", "net.keras", "image", []int{3, 8, 8, 3}, []string{"gone"},
			"error: net.keras: ValueError: the model has no output or layer gone, only conv2d, "),
		Entry("of a saved model without such", "saved", "image", []int{3, 8, 8, 3},
			[]string{"logits", "conv2d"}, "error: saved: ValueError: the model has no output "),
	)

	It("says what it cannot run", func(ctx SpecContext) {
		_, err := original("net.keras", process.Checkpoint).Run(ctx, feed(one))
		Expect(err).To(MatchError(ContainSubstring("net.keras: ValueError: the checkpoint has no .meta")))
		_, err = process.Model(filepath.Join(folder, "frozen.pb"), python,
			process.TensorFlow(process.AnyTensorFlow), process.CheckpointName("model")).Run(ctx, feed(one))
		Expect(err).To(MatchError(ContainSubstring("--ckpt names a checkpoint in a folder")))
	})
})

var _ = Describe("JAX", Ordered, func() {
	var python process.Option
	var folder string
	BeforeAll(func() {
		python = environment("jax")
		folder = made("jax", "make")
	})

	It("runs an exported function and a script, without making 64 bits 32", func(ctx SpecContext) {
		exported := process.Model(filepath.Join(folder, "net.jax"), process.JAX(), python)
		inputs := fixtures.Random(exported, fixtures.Shape("x0", 4, 3))
		first, err := exported.Run(ctx, inputs)
		Expect(err).NotTo(HaveOccurred())
		Expect(first.Outputs()[0].String()).To(Equal("{y: float32[4,5]}"))
		script := process.Model(filepath.Join(folder, "net.py"), process.JAX(), python)
		second, err := script.Run(ctx, inputs)
		Expect(err).NotTo(HaveOccurred())
		Expect(second.Outputs()[0].String()).To(ContainSubstring("wide: float64[4,3]"))
		only, err := second.Only("y")
		Expect(err).NotTo(HaveOccurred())
		agree(first, only)
	})
})

var _ = Describe("ONNX's reference evaluator", func() {
	reference := process.Engine(process.ONNXReference())

	BeforeEach(func() { process.Require(GinkgoT(), process.ONNXReference()) })

	It("runs a model, and says what made the run", func(ctx SpecContext) {
		run, err := backends.RunIn(ctx, reference, negation(), feed(tensor.Of[float32](1, -2)))
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Outputs()[0].GomegaString()).To(Equal("y: float32[2] [-1 2]"))
		Expect(run.Provenance.Backend).To(Equal("onnx reference evaluator"))
		Expect(run.Provenance.Version).To(MatchRegexp(`^\d+\.\d+`))
	})

	It("names an operator that it lacks", func(ctx SpecContext) {
		m := loaders.ONNXBytes("strange", onnxtest.Model{Graph: onnxtest.Graph{
			Nodes:   []onnxtest.Node{{Op: "Frobnicate", In: []string{"x"}, Out: []string{"y"}}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{1}}},
			Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{1}}}}}.Bytes())
		_, err := backends.RunIn(ctx, reference, m, feed(one))
		first, detail, _ := strings.Cut(err.Error(), "\n")
		Expect(first).To(And(HavePrefix("the ONNX reference evaluator: strange: "),
			ContainSubstring("Frobnicate")))
		Expect(detail).To(ContainSubstring("Traceback"))
	})

	for _, spec := range backendtest.Specs(reference, backendtest.LogsInErrors()) {
		It("as every engine, "+spec.Name, Serial, func(ctx SpecContext) {
			if !everything() {
				Skip("make engines runs this one")
			}
			spec.Run(ctx, GinkgoT())
		})
	}
})

// declaring is a model of which only the names, shapes and outputs matter.
func declaring(inputs []onnxtest.Value, outputs ...string) *loaders.Model {
	g := onnxtest.Graph{Inputs: inputs}
	for _, name := range outputs {
		g.Nodes = append(g.Nodes, onnxtest.Node{Op: "Identity", In: []string{inputs[0].Name},
			Out: []string{name}})
		g.Outputs = append(g.Outputs, onnxtest.Value{Name: name, Elem: 1})
	}
	return loaders.ONNXBytes("declaring", onnxtest.Model{Graph: g}.Bytes())
}
