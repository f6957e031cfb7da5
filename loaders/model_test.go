package loaders_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// write puts data into a file of a fresh folder and names the model in it.
func write(data []byte) *loaders.Model {
	path := filepath.Join(GinkgoT().TempDir(), "model.onnx")
	Expect(os.WriteFile(path, data, 0o600)).To(Succeed())
	return loaders.ONNX(path)
}

// add is y = x + w, with w of two floats.
func add() onnxtest.Model {
	return onnxtest.Model{Producer: "spec", Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{{Op: "Add", Name: "add", In: []string{"x", "w"}, Out: []string{"y"}}},
		Initializers: []onnxtest.Tensor{
			{Name: "w", Type: 1, Dims: []int64{2}, Raw: onnxtest.Float32s(1, 2)}},
		Inputs: []onnxtest.Value{
			{Name: "x", Elem: 1, Dims: []any{"batch", 2}}, {Name: "w", Elem: 1, Dims: []any{2}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{"batch", 2}}},
	}}
}

var _ = Describe("a model", func() {
	It("declares the inputs and outputs of a file that the onnx package wrote", func() {
		model := loaders.ONNX("testdata/fp32_gemm.onnx")
		inputs, err := model.Inputs()
		Expect(err).NotTo(HaveOccurred())
		outputs, err := model.Outputs()
		Expect(err).NotTo(HaveOccurred())
		Expect(lines(inputs)).To(Equal([]string{"X tensor(float)[2,3]"}))
		Expect(lines(outputs)).To(Equal([]string{"Y tensor(float)[2,4]"}))
		Expect(model.Head()).To(HaveField("IRVersion", BeNumerically(">=", 3)))
	})

	It("leaves inputs that have an initializer out, and remembers them", func() {
		model := loaders.ONNXBytes("add", add().Bytes())
		inputs, err := model.Inputs()
		Expect(err).NotTo(HaveOccurred())
		Expect(lines(inputs)).To(Equal([]string{"x tensor(float)[batch,2]"}))
		defaults, err := model.OverridableInitializers()
		Expect(err).NotTo(HaveOccurred())
		Expect(lines(defaults)).To(Equal([]string{"w tensor(float)[2]"}))
		old := add()
		old.IR = 3 // every initializer had to be an input then
		Expect(loaders.ONNXBytes("old", old.Bytes()).OverridableInitializers()).To(BeEmpty())
	})

	It("tells versions, opsets and producer", func() {
		Expect(loaders.ONNXBytes("add", add().Bytes()).Head()).To(Equal(loaders.Head{IRVersion: 9,
			Opsets: []loaders.Opset{{Version: 19}}, ProducerName: "spec", Graph: "g"}))
	})

	It("is named for nothing: no file is touched before the first question", func() {
		path := filepath.Join(GinkgoT().TempDir(), "later.onnx")
		model := loaders.ONNX(path)
		Expect(os.WriteFile(path, add().Bytes(), 0o600)).To(Succeed())
		Expect(model.Inputs()).To(HaveLen(1))
	})

	It("gives the same error to every question", func() {
		path := filepath.Join(GinkgoT().TempDir(), "absent.onnx")
		model := loaders.ONNX(path)
		first := model.Load()
		Expect(os.WriteFile(path, add().Bytes(), 0o600)).To(Succeed())
		_, err := model.Inputs()
		Expect(err).To(BeIdenticalTo(first))
		_, err = model.SHA256()
		Expect(err).To(BeIdenticalTo(first))
	})

	It("gives the sum of a marked model, and of one marked again, by its bytes", func() {
		m := add()
		m.Graph.Nodes = append(m.Graph.Nodes, onnxtest.Node{Op: "Neg", In: []string{"y"},
			Out: []string{"n"}}, onnxtest.Node{Op: "Abs", In: []string{"n"}, Out: []string{"a"}})
		model := write(m.Bytes())
		once, err := model.Mark("n")
		Expect(err).NotTo(HaveOccurred())
		twice, err := once.Mark("a")
		Expect(err).NotTo(HaveOccurred())
		for _, marked := range []*loaders.Model{twice, once, model} {
			data, err := marked.Bytes()
			Expect(err).NotTo(HaveOccurred())
			sum := sha256.Sum256(data)
			Expect(marked.SHA256()).To(Equal(hex.EncodeToString(sum[:])))
		}
	})

	It("gives its bytes, its size and their sum", func() {
		data := add().Bytes()
		model := write(data)
		sum := sha256.Sum256(data)
		Expect(model.Bytes()).To(Equal(data))
		Expect(model.Size()).To(Equal(int64(len(data))))
		Expect(model.SHA256()).To(Equal(hex.EncodeToString(sum[:])))
		Expect(loaders.ONNXBytes("add", data).Bytes()).To(Equal(data))
		var copied bytes.Buffer
		Expect(model.File().WriteTo(&copied)).To(Equal(int64(len(data))))
		Expect(copied.Bytes()).To(Equal(data))
	})

	It("merges a graph that comes in two pieces, as protobuf does", func() {
		piece := onnxtest.Message(nil, 12, onnxtest.Value{Name: "extra"}.Bytes())
		data := onnxtest.Message(add().Bytes(), 7, piece)
		outputs, err := loaders.ONNXBytes("marked", data).Outputs()
		Expect(err).NotTo(HaveOccurred())
		Expect(lines(outputs)).To(Equal([]string{"y tensor(float)[batch,2]", "extra untyped"}))
	})

	It("answers many goroutines at once", func() {
		model := write(add().Bytes())
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				defer GinkgoRecover()
				Expect(model.Inputs()).To(HaveLen(1))
				Expect(model.SHA256()).To(HaveLen(64))
			})
		}
		group.Wait()
	})
})

func lines(values []loaders.Value) []string {
	var all []string
	for _, v := range values {
		all = append(all, v.String())
	}
	return all
}

var _ = DescribeTable("what a model says of an element type",
	func(number int, name string, elem tensor.ElementType) {
		m := onnxtest.Model{Graph: onnxtest.Graph{
			Inputs: []onnxtest.Value{{Name: "x", Elem: int32(number), Dims: []any{nil, 3}}}}}
		inputs, err := loaders.ONNXBytes("typed", m.Bytes()).Inputs()
		Expect(err).NotTo(HaveOccurred())
		Expect(inputs[0].TypeName).To(Equal("tensor(" + name + ")"))
		Expect(inputs[0].Type).To(Equal(elem))
		Expect(inputs[0].String()).To(HaveSuffix("[?,3]"))
	},
	Entry(nil, 1, "float", tensor.Float32),
	Entry(nil, 2, "uint8", tensor.Uint8),
	Entry(nil, 3, "int8", tensor.Int8),
	Entry(nil, 4, "uint16", tensor.Uint16),
	Entry(nil, 5, "int16", tensor.Int16),
	Entry(nil, 6, "int32", tensor.Int32),
	Entry(nil, 7, "int64", tensor.Int64),
	Entry(nil, 8, "string", tensor.String),
	Entry(nil, 9, "bool", tensor.Bool),
	Entry(nil, 10, "float16", tensor.Float16),
	Entry(nil, 11, "double", tensor.Float64),
	Entry(nil, 12, "uint32", tensor.Uint32),
	Entry(nil, 13, "uint64", tensor.Uint64),
	Entry(nil, 14, "complex64", tensor.Invalid),
	Entry(nil, 16, "bfloat16", tensor.BFloat16),
	Entry(nil, 17, "float8e4m3fn", tensor.Float8E4M3FN),
	Entry(nil, 18, "float8e4m3fnuz", tensor.Float8E4M3FNUZ),
	Entry(nil, 19, "float8e5m2", tensor.Float8E5M2),
	Entry(nil, 20, "float8e5m2fnuz", tensor.Float8E5M2FNUZ),
	Entry(nil, 21, "uint4", tensor.Uint4),
	Entry(nil, 22, "int4", tensor.Int4),
	Entry(nil, 23, "float4e2m1", tensor.Float4E2M1),
	Entry(nil, 24, "float8e8m0", tensor.Float8E8M0),
	Entry(nil, 25, "uint2", tensor.Uint2),
	Entry(nil, 26, "int2", tensor.Int2),
	Entry("a number of the future", 77, "data type 77", tensor.Invalid),
)

var _ = DescribeTable("what a model says of other kinds of value",
	func(proto []byte, kind loaders.Kind, text string) {
		m := onnxtest.Model{Graph: onnxtest.Graph{
			Inputs: []onnxtest.Value{{Name: "v", Proto: proto}}}}
		inputs, err := loaders.ONNXBytes("kinds", m.Bytes()).Inputs()
		Expect(err).NotTo(HaveOccurred())
		Expect(inputs[0].Kind).To(Equal(kind))
		Expect(inputs[0].String()).To(Equal(text))
	},
	Entry("a 0-d tensor", onnxtest.TensorType(1, []any{}), loaders.Tensor, "v tensor(float)[]"),
	Entry("a tensor of any rank", onnxtest.TensorType(1, nil), loaders.Tensor, "v tensor(float)"),
	Entry("a sequence", nested(4, onnxtest.TensorType(7, []any{})), loaders.Sequence,
		"v seq(tensor(int64))"),
	Entry("an optional sequence", nested(9, nested(4, onnxtest.TensorType(1, nil))),
		loaders.Optional, "v optional(seq(tensor(float)))"),
	Entry("a sequence of maps, as a ZipMap gives", nested(4, onnxtest.Message(nil, 5,
		onnxtest.Message(onnxtest.Varint(nil, 1, 7), 2, onnxtest.TensorType(1, nil)))),
		loaders.Sequence, "v seq(map(int64,tensor(float)))"),
	Entry("no type at all", []byte{}, loaders.Untyped, "v untyped"),
)

// nested is a TypeProto whose member of that number holds one TypeProto.
func nested(member int, inner []byte) []byte {
	return onnxtest.Message(nil, protowire.Number(member), onnxtest.Message(nil, 1, inner))
}

var _ = DescribeTable("files that are not models",
	func(data string, want string) {
		err := write([]byte(data)).Load()
		Expect(err).To(MatchError(ContainSubstring(want)))
		Expect(err).To(MatchError(ContainSubstring("model.onnx: ")))
	},
	Entry("nothing", "", "the file is empty"),
	Entry("JSON", `{"lst": []}`, "not an ONNX model but JSON"),
	Entry("a PNG", "\x89PNG\r\n\x1a\n", "not an ONNX model but a PNG image"),
	Entry("an npz", "PK\x03\x04....", "a zip archive"),
	Entry("a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
	Entry("text", "hello, world\n", "not an ONNX model"),
	Entry("a TensorProto", string(onnxtest.Tensor{Name: "w", Type: 1, Dims: []int64{2},
		Raw: onnxtest.Float32s(1, 2)}.Bytes()), "not an ONNX model"),
	Entry("a header alone", string(onnxtest.Varint(nil, 1, 9)), "no graph in its 2 bytes"),
	Entry("a truncated model", string(add().Bytes()[:60]),
		"byte 8: truncated: field 7 needs "),
	Entry("graphs within graphs", string(onnxtest.Model{Graph: deep(200)}.Bytes()),
		"nested more than 33 deep"),
	Entry("types within types", string(onnxtest.Model{Graph: onnxtest.Graph{
		Inputs: []onnxtest.Value{{Name: "v", Proto: deepType(200)}}}}.Bytes()),
		"types are nested more than 33 deep"),
	Entry("a million empty nodes", string(onnxtest.Message(nil, 7,
		bytes.Repeat([]byte{0x0a, 0}, 1<<20))), "too many objects"),
)

var _ = Describe("a path that is not a file", func() {
	It("says that nothing is there", func() {
		Expect(loaders.ONNX("testdata/absent.onnx").Load()).To(MatchError(
			"loaders: testdata/absent.onnx: no such file or directory"))
	})
	DescribeTable("says that the path is empty", func(m *loaders.Model) {
		const empty = "loaders: the path of the model is empty"
		Expect(m.Load()).To(MatchError(empty))
		_, err := m.Outputs()
		Expect(err).To(MatchError(empty))
		_, err = m.SHA256()
		Expect(err).To(MatchError(empty))
	},
		Entry("of a model", loaders.ONNX("")),
		Entry("of a model with its data elsewhere", loaders.ONNXWithData("", "testdata")),
		Entry("of a model's structure", loaders.ONNXStructure("")))
	DescribeTable("says that there is none, where a variable was never set", func(m *loaders.Model) {
		const none = "loaders: no model; create one with loaders.ONNX(path)"
		Expect(m.Load()).To(MatchError(none))
		_, err := m.Outputs()
		Expect(err).To(MatchError(none))
		_, err = m.SHA256()
		Expect(err).To(MatchError(none))
		Expect(m.Name()).To(BeEmpty())
	},
		Entry("nil", nil),
		Entry("made without a constructor", &loaders.Model{}))
	It("says that it is a directory", func() {
		Expect(loaders.ONNX("testdata").Load()).To(MatchError(
			"loaders: testdata: this is a directory; name the .onnx file in it"))
	})
	It("says that it is a device", func() {
		Expect(loaders.ONNX(os.DevNull).Load()).To(MatchError(ContainSubstring("not a regular file")))
	})
})

// deep is an If inside an If inside …
func deep(levels int) onnxtest.Graph {
	g := onnxtest.Graph{}
	for range levels {
		inner := g
		g = onnxtest.Graph{Nodes: []onnxtest.Node{{Op: "If",
			Attrs: []onnxtest.Attr{{Name: "then_branch", Graph: &inner}}}}}
	}
	return g
}

func deepType(levels int) []byte {
	t := onnxtest.TensorType(1, nil)
	for range levels {
		t = nested(9, t)
	}
	return t
}
