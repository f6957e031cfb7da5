package surgeon_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/surgeon"
	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("surgeon", func() {
	var folder, file string
	var written []string // by the tools, for ONNX's checker
	var made int
	BeforeEach(func() {
		ort.Require(GinkgoT())
		folder, written = GinkgoT().TempDir(), nil
		file = filepath.Join(folder, "model.onnx")
		Expect(os.WriteFile(file, example(), 0o600)).To(Succeed())
	})

	all := func(f *surgeon.Flags) []arguments.Flag {
		return slices.Concat(f.Editing(), f.Parts(), f.Sanitizing(), f.Folding(), f.Feeding(),
			f.Weights())
	}
	// flags reads flags as the command line has them, each with the words behind it.
	flags := func(words ...string) *surgeon.Flags {
		GinkgoHelper()
		var f surgeon.Flags
		rest, err := arguments.Parse(all(&f), words, nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(rest).To(BeEmpty())
		return &f
	}
	give := func(f *surgeon.Flags, flag string, words ...string) error {
		return arguments.Give(all(f), flag, words...)
	}
	// operated is the model that a tool writes, and what is said about it.
	operated := func(ctx SpecContext, tool string, words ...string) (*loaders.Model, string) {
		GinkgoHelper()
		made++
		out := filepath.Join(folder, fmt.Sprint(tool, made, ".onnx"))
		result, err := flags(words...).Operate(ctx, tool, file, out)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.Written).To(HaveExactElements(out))
		if tool != "weight-strip" && tool != "insert" {
			written = append(written, out)
		}
		return loaders.ONNX(out), result.Text
	}
	// What the tools write passes ONNX's checker, which is started once for all of a spec.
	AfterEach(func() {
		if len(written) == 0 {
			return
		}
		python := pythontest.With(GinkgoT(), "onnx")
		said, err := exec.Command(python, append([]string{"-c", "import onnx, sys\n" +
			"for f in sys.argv[1:]: onnx.checker.check_model(f, full_check=True)"},
			written...)...).CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(said))
	})

	It("extracts a part, and finds out types and shapes, dynamic ones too", func(ctx SpecContext) {
		m, _ := operated(ctx, "extract", "--inputs", "a:0:auto:auto", "--outputs", "b:auto")
		Expect(operators(m)).To(Equal([]string{"Relu"}))
		Expect(m.Inputs()).To(ConsistOf(HaveField("String()", "a:0 tensor(float)[batch,4]")))
		Expect(m.Outputs()).To(ConsistOf(HaveField("String()", "b tensor(float)[batch,4]")))
		m, _ = operated(ctx, "extract", "--outputs", "b:float32")
		Expect(m.Outputs()).To(ConsistOf(HaveField("String()", "b tensor(float)[batch,4]")))
		m, _ = operated(ctx, "extract", "--inputs", "a:0:[2,n]:float32")
		Expect(m.Inputs()).To(ConsistOf(HaveField("String()", "a:0 tensor(float)[2,n]")))
		Expect(operators(m)).To(Equal([]string{"Add", "Relu", "Mul"}))
		m, _ = operated(ctx, "extract", "--outputs", "a:0")
		Expect(operators(m)).To(Equal([]string{"MatMul"}))
	})

	It("extracts from a weight, whose type and shape it knows", func(ctx SpecContext) {
		m, _ := operated(ctx, "extract", "--inputs", "w", "--outputs", "y")
		Expect(m.Inputs()).To(ConsistOf(HaveField("String()", "x tensor(float)[batch,4]"),
			HaveField("String()", "w tensor(float)[4,4]")))
	})

	It("extracts all outputs of a model that returns an input", func(ctx SpecContext) {
		dims := []any{"batch", 4}
		values := func(names ...string) (list []onnxtest.Value) {
			for _, name := range names {
				list = append(list, onnxtest.Value{Name: name, Elem: 1, Dims: dims})
			}
			return list
		}
		model := onnxtest.Model{Graph: onnxtest.Graph{
			Nodes:  []onnxtest.Node{{Op: "Relu", In: []string{"x"}, Out: []string{"y"}}},
			Inputs: values("x"), Outputs: values("y", "x")}}
		Expect(os.WriteFile(file, model.Bytes(), 0o600)).To(Succeed())
		both := HaveExactElements(HaveField("Name", "y"), HaveField("Name", "x"))
		m, _ := operated(ctx, "extract")
		Expect(m.Outputs()).To(both)
		m, _ = operated(ctx, "extract", "--inputs", "x:[2,4]:auto")
		Expect(m.Outputs()).To(both)
		Expect(m.Inputs()).To(ConsistOf(HaveField("String()", "x tensor(float)[2,4]")))
	})

	It("leaves out an output at which the part begins, unless it is named", func(ctx SpecContext) {
		dims := []any{"batch", 4}
		model := onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{{Op: "Relu", In: []string{"x"}, Out: []string{"a"}},
				{Op: "Neg", In: []string{"a"}, Out: []string{"y"}}},
			Inputs: []onnxtest.Value{{Name: "x", Elem: 1, Dims: dims}},
			Outputs: []onnxtest.Value{{Name: "a", Elem: 1, Dims: dims},
				{Name: "y", Elem: 1, Dims: dims}}}}
		Expect(os.WriteFile(file, model.Bytes(), 0o600)).To(Succeed())
		m, _ := operated(ctx, "extract", "--inputs", "a")
		Expect(operators(m)).To(Equal([]string{"Neg"}))
		Expect(m.Inputs()).To(ConsistOf(HaveField("Name", "a")))
		Expect(m.Outputs()).To(ConsistOf(HaveField("Name", "y")))
		m, _ = operated(ctx, "extract", "--inputs", "a", "--outputs", "a", "y")
		Expect(m.Outputs()).To(HaveLen(2))
	})

	It("extracts up to an output of a given type whose shape cannot be inferred", func(
		ctx SpecContext) {
		strange := onnxtest.Model{Graph: onnxtest.Graph{
			Nodes: []onnxtest.Node{{Op: "Odd", Domain: "strange", In: []string{"x"}, Out: []string{"y"}},
				{Op: "Relu", In: []string{"y"}, Out: []string{"z"}}},
			Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{4}}},
			Outputs: []onnxtest.Value{{Name: "z", Elem: 1, Dims: []any{4}}},
		}}
		Expect(os.WriteFile(file, strange.Bytes(), 0o600)).To(Succeed())
		out := filepath.Join(folder, "odd.onnx")
		_, err := flags("--outputs", "y:float32").Operate(ctx, "extract", file, out)
		Expect(err).NotTo(HaveOccurred())
		Expect(loaders.ONNX(out).Outputs()).To(ConsistOf(And(HaveField("Name", "y"),
			HaveField("HasShape", false))))
		_, err = flags("--outputs", "y").Operate(ctx, "extract", file, out)
		Expect(err).To(MatchError(ContainSubstring("cannot be inferred")))
	})

	It("declares the shape of an output whose type is given", func(ctx SpecContext) {
		m, _ := operated(ctx, "extract", "--outputs", "b:float32")
		Expect(m.Outputs()).To(ConsistOf(HaveField("String()", "b tensor(float)[batch,4]")))
	})

	Context("a model with a sequence and an optional inside", func() {
		BeforeEach(func() {
			model := onnxtest.Model{Graph: onnxtest.Graph{
				Nodes: []onnxtest.Node{
					{Op: "SequenceConstruct", In: []string{"x", "x"}, Out: []string{"s"}},
					{Op: "ConcatFromSequence", In: []string{"s"}, Out: []string{"c"},
						Attrs: []onnxtest.Attr{{Name: "axis", Int: new(int64)}}},
					{Op: "Optional", In: []string{"c"}, Out: []string{"o"}},
					{Op: "OptionalGetElement", In: []string{"o"}, Out: []string{"g"}},
					{Op: "Relu", In: []string{"g"}, Out: []string{"y"}}},
				Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{1, 4}}},
				Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{2, 4}}},
			}}
			Expect(os.WriteFile(file, model.Bytes(), 0o600)).To(Succeed())
		})

		It("takes only the shapes of tensors from a run", func(ctx SpecContext) {
			m, _ := operated(ctx, "sanitize", "--force-fallback-shape-inference")
			Expect(m.Declared("g", "s", "o")).To(And(
				HaveKeyWithValue("g", HaveField("String()", "g tensor(float)[2,4]")),
				HaveKeyWithValue("s", HaveField("Kind", loaders.Sequence)),
				HaveKeyWithValue("o", HaveField("Kind", loaders.Optional))))
		})

		It("makes them outputs, but not inputs", func(ctx SpecContext) {
			m, _ := operated(ctx, "extract", "--outputs", "s")
			Expect(m.Outputs()).To(ConsistOf(HaveField("TypeName", "seq(tensor(float))")))
			m, _ = operated(ctx, "sanitize", "--outputs", "o", "s", "y")
			Expect(m.Outputs()).To(ConsistOf(HaveField("Kind", loaders.Optional),
				HaveField("Kind", loaders.Sequence), HaveField("Kind", loaders.Tensor)))
			_, err := flags("--inputs", "s").Operate(ctx, "extract", file, filepath.Join(folder, "n.onnx"))
			Expect(err).To(MatchError(
				"s: its type is seq(tensor(float)), and a part can begin only at tensors"))
		})

		It("infers the types that float16 needs, if told to", func(ctx SpecContext) {
			out := filepath.Join(folder, "half.onnx")
			r, err := flags("--fp-to-fp16", "--shape-inference").Convert(ctx, file, loaders.Selection{}, out)
			Expect(err).NotTo(HaveOccurred())
			written = append(written, r.Written...)
		})
	})

	It("inserts a node with attributes", func(ctx SpecContext) {
		m, _ := operated(ctx, "insert", "--op", "LeakyRelu", "--name", "leaky", "--inputs", "a:0",
			"--outputs", "b", "--attrs", "alpha=0.5", "axes=[0,1]", "mode='3'", "word=text")
		Expect(operators(m)).To(Equal([]string{"Add", "MatMul", "LeakyRelu", "Mul"}))
		described, err := describe.Of(m, false)
		Expect(err).NotTo(HaveOccurred())
		Expect(described.Nodes[2].Attributes).To(Equal([]describe.Attribute{{Name: "alpha", Text: "0.5"},
			{Name: "axes", Text: "[0,1]"}, {Name: "mode", Text: `"3"`}, {Name: "word", Text: `"text"`}}))
	})

	It("says so if ONNX Runtime refuses the model with the inserted node", func(ctx SpecContext) {
		_, text := operated(ctx, "insert", "--op", "Sigmoid", "--inputs", "a:0", "--outputs", "b")
		Expect(text).To(BeEmpty())
		for want, words := range map[string][]string{
			"no operator Foo":       {"--op", "Foo", "--inputs", "a:0"},
			"input size 2":          {"--op", "Relu", "--inputs", "a:0", "w"},
			"same node name":        {"--op", "Relu", "--inputs", "a:0", "--name", "product"},
			"Unrecognized attribut": {"--op", "Relu", "--inputs", "a:0", "--attrs", "min=0"},
			"empty string":          {"--op", "Relu", "--inputs", ""},
		} {
			_, text := operated(ctx, "insert", append(words, "--outputs", "b")...)
			Expect(text).To(ContainSubstring(want))
		}
	})

	It("sanitizes: shapes, constants, order, types", func(ctx SpecContext) {
		m, text := operated(ctx, "sanitize", "--override-inputs", "x:[7,4]", "--fold-constants",
			"--cleanup", "--toposort")
		Expect(text).To(Equal("folded 1 of 4 nodes\n"))
		Expect(operators(m)).To(Equal([]string{"MatMul", "Relu", "Mul"}))
		Expect(m.Inputs()).To(ConsistOf(HaveField("String()", "x tensor(float)[7,4]")))
		Expect(m.Declared("b")).To(HaveKeyWithValue("b",
			HaveField("String()", "b tensor(float)[7,4]")))
		Expect(m.Outputs()).To(ConsistOf(HaveField("String()", "y tensor(float)[7,4]")))
		m, _ = operated(ctx, "sanitize", "--no-shape-inference", "--outputs", "b", "--cleanup")
		Expect(m.Outputs()).To(ConsistOf(HaveField("Name", "b")))
		Expect(operators(m)).To(Equal([]string{"MatMul", "Relu"}))
		Expect(m.Declared("a:0")).To(BeEmpty())
	})

	It("takes shapes from a run, where they are not inferred", func(ctx SpecContext) {
		m, _ := operated(ctx, "sanitize", "--override-inputs", "x:[rows,4]",
			"--force-fallback-shape-inference", "--val-range", "[-1,1]", "--seed", "3")
		Expect(m.Inputs()).To(ConsistOf(HaveField("String()", "x tensor(float)[1,4]")))
		Expect(m.Declared("b", "two")).To(And(
			HaveKeyWithValue("b", HaveField("String()", "b tensor(float)[1,4]")),
			HaveKeyWithValue("two", HaveField("String()", "two tensor(float)[1]"))))
		Expect(m.Outputs()).To(ConsistOf(HaveField("String()", "y tensor(float)[1,4]")))
		m, _ = operated(ctx, "extract", "--force-fallback-shape-inference", "--model-input-shapes",
			"x:[3,4]", "--outputs", "b:auto")
		Expect(m.Outputs()).To(ConsistOf(HaveField("String()", "b tensor(float)[3,4]")))
		_, err := flags("--force-fallback-shape-inference", "--no-shape-inference").Operate(ctx,
			"sanitize", file, filepath.Join(folder, "no.onnx"))
		Expect(err).To(MatchError(ContainSubstring("has to run the model; drop --no-shape-inference")))
	})

	It("bounds what sizes other tensors, and computes the same below the bound",
		func(ctx SpecContext) {
			model := onnxtest.Model{Graph: onnxtest.Graph{
				Nodes: []onnxtest.Node{
					{Op: "NonZero", In: []string{"x"}, Out: []string{"found"}},
					{Op: "Shape", In: []string{"found"}, Out: []string{"sizes"}},
					{Op: "Expand", In: []string{"one", "sizes"}, Out: []string{"y"}}},
				Initializers: []onnxtest.Tensor{
					{Name: "one", Type: 1, Dims: []int64{1}, Raw: onnxtest.Float32s(1)}},
				Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{4}}},
				Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{"rows", "found"}}},
			}}
			Expect(os.WriteFile(file, model.Bytes(), 0o600)).To(Succeed())
			for _, c := range []struct {
				words []string
				said  string
				shape tensor.Shape
			}{
				{[]string{"100"}, "sizes: at most 100\n", tensor.Shape{1, 4}},
				{[]string{"100", "sizes:3"}, "sizes: at most 3\n", tensor.Shape{1, 3}},
			} {
				bounded, said := operated(ctx, "sanitize",
					append([]string{"--set-unbounded-dds-upper-bound"}, c.words...)...)
				Expect(said).To(Equal(c.said))
				run, err := ort.Run(ctx, bounded, fixtures.Random(bounded, fixtures.ValRange(1, 2)))
				Expect(err).NotTo(HaveOccurred())
				y, _ := run.Outputs()[0].Get("y")
				Expect(y.Shape()).To(Equal(c.shape))
			}
			var f surgeon.Flags
			for _, word := range []string{"0", "sizes:", "sizes:x", "-1"} {
				Expect(give(&f, "--set-unbounded-dds-upper-bound", word)).To(MatchError(ContainSubstring(
					"is not [TENSOR:]N")))
			}
		})

	It("folds by parts, and infers shapes as often as is asked for", func(ctx SpecContext) {
		for _, words := range [][]string{{"--partitioning", "basic"},
			{"--partitioning", "recursive", "--no-per-pass-shape-inference"}} {
			m, text := operated(ctx, "sanitize", append(words, "--fold-constants")...)
			Expect(text).To(Equal("folded 1 of 4 nodes\n"))
			Expect(operators(m)).To(Equal([]string{"MatMul", "Relu", "Mul"}))
		}
		var f surgeon.Flags
		Expect(give(&f, "--partitioning", "none")).To(
			MatchError(ContainSubstring("want basic, recursive")))
	})

	It("prunes, strips and reconstructs weights", func(ctx SpecContext) {
		m, text := operated(ctx, "prune")
		Expect(text).To(Equal("w: 8 values set to zero\n"))
		sparsity, err := describe.Sparsity(m)
		Expect(err).NotTo(HaveOccurred())
		Expect(sparsity.Weights).To(ConsistOf(And(HaveField("Name", "w"), HaveField("Sparse", true))))
		bare, text := operated(ctx, "weight-strip")
		Expect(text).To(Equal("stripped 1 weight\n"))
		file = bare.Path()
		m, text = operated(ctx, "weight-reconstruct", "--seed", "3")
		Expect(text).To(Equal("reconstructed 1 weight\n"))
		Expect(m.Weight("w")).To(HaveField("Shape()", HaveLen(2)))
	})

	It("leaves weights of a list where they are", func(ctx SpecContext) {
		list := filepath.Join(folder, "list.txt")
		Expect(os.WriteFile(list, []byte("w\n\n"), 0o600)).To(Succeed())
		_, text := operated(ctx, "weight-strip", "--exclude-list", list)
		Expect(text).To(Equal("stripped 0 weights\n"))
	})

	It("converts: other outputs, float16, external data", func(ctx SpecContext) {
		out := filepath.Join(folder, "converted.onnx")
		result, err := flags("--fp-to-fp16", "--keep-nodes", "product", "--save-external-data", "data",
			"--external-data-size-threshold", "16", "--shape-inference").Convert(ctx, file,
			loaders.Selection{Names: []string{"b", "y"}}, out)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.Written).To(Equal([]string{out, filepath.Join(folder, "data")}))
		Expect(result.Text).To(ContainSubstring("  kept in float32: chosen: product\n"))
		m := loaders.ONNX(out)
		Expect(m.Outputs()).To(HaveExactElements(HaveField("String()", "b tensor(float)[batch,4]"),
			HaveField("String()", "y tensor(float)[batch,4]")))
		Expect(m.ExternalData()).To(HaveLen(1))
		Expect(operators(m)).To(ContainElement("Cast"))

		moved := filepath.Join(GinkgoT().TempDir(), "moved.onnx")
		data, err := os.ReadFile(out)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(moved, data, 0o600)).To(Succeed())
		_, err = flags("--external-data-dir", folder).Convert(ctx, moved, loaders.Selection{},
			filepath.Join(folder, "whole.onnx"))
		Expect(err).NotTo(HaveOccurred())
		_, err = flags("--ignore-external-data").Convert(ctx, moved, loaders.Selection{},
			filepath.Join(folder, "bare.onnx"))
		Expect(err).NotTo(HaveOccurred())
		_, err = flags().Convert(ctx, moved, loaders.Selection{}, filepath.Join(folder, "no.onnx"))
		Expect(err).To(MatchError(ContainSubstring("is missing")))
	})

	It("takes a size of 0 for 0, not for the default", func(ctx SpecContext) {
		_, text := operated(ctx, "sanitize", "--fold-constants", "--fold-size-threshold", "0")
		Expect(text).To(Equal("folded 0 of 4 nodes\n"))
		out := filepath.Join(folder, "all.onnx")
		result, err := flags("--save-external-data", "all.data", "--external-data-size-threshold",
			"0").Operate(ctx, "sanitize", file, out)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.Written).To(Equal([]string{out, filepath.Join(folder, "all.data")}))
		Expect(loaders.ONNX(out).Initializers()).To(ConsistOf( // a small vector may be a shape
			And(HaveField("Name", "one"), HaveField("External", false)),
			And(HaveField("Name", "w"), HaveField("External", true))))
	})

	It("writes no file for the data of weights that are too small, and says so", func(
		ctx SpecContext) {
		m, text := operated(ctx, "sanitize", "--save-external-data", "small.data")
		Expect(text).To(HaveSuffix("large enough for external data: all weights are in the model file\n"))
		Expect(m.ExternalData()).To(BeEmpty())
		Expect(filepath.Join(folder, "small.data")).NotTo(BeAnExistingFile())
	})

	It("makes every tensor an output by mark all", func(ctx SpecContext) {
		for _, words := range [][]string{{"mark", "all"}, {"*"}} {
			m, _ := operated(ctx, "sanitize", append([]string{"--outputs"}, words...)...)
			Expect(m.Outputs()).To(ConsistOf(HaveField("Name", "two"), HaveField("Name", "a:0"),
				HaveField("Name", "b"), HaveField("Name", "y")))
		}
	})

	It("says what it does not take", func(ctx SpecContext) {
		out := filepath.Join(folder, "out.onnx")
		for _, c := range []struct {
			tool, want string
			words      []string
		}{
			{"polish", `unknown surgeon tool "polish"; the tools are extract, insert`, nil},
			{"weight-strip", "surgeon weight-strip does not take --cleanup, only --exclude-list",
				[]string{"--cleanup"}},
			{"prune", "surgeon prune does not take --cleanup, only flags of all tools",
				[]string{"--cleanup"}},
			{"extract", `no tensor "q" in the graph`, []string{"--inputs", "q:auto:auto"}},
			{"insert", "insert needs --op", nil},
			{"weight-reconstruct", "no stripped weights", nil},
			{"sanitize", "--ignore-external-data reads no external data",
				[]string{"--ignore-external-data", "--external-data-dir", folder}},
		} {
			_, err := flags(c.words...).Operate(ctx, c.tool, file, out)
			Expect(err).To(MatchError(ContainSubstring(c.want)))
			Expect(out).NotTo(BeAnExistingFile())
		}
		var f surgeon.Flags
		Expect(give(&f, "--override-inputs", "x")).To(MatchError(ContainSubstring("is not INPUT:[SIZE")))
		for _, wrong := range []string{"-7", "1.5", "1e3", ""} {
			Expect(give(&f, "--override-inputs", "x:[4,"+wrong+"]")).To(
				MatchError(ContainSubstring("dimension %q is no size; write a whole", wrong)))
		}
		Expect(give(&f, "--attrs", "axis")).To(MatchError(ContainSubstring("is not NAME=VALUE")))
		Expect(give(&f, "--attrs", "a=[1,b]")).To(MatchError(ContainSubstring("only strings")))
		Expect(give(&f, "--polish")).To(MatchError(ContainSubstring("unknown flag")))
	})
})
