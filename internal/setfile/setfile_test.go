package setfile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/setfile"
	"github.com/modelparity/modelparity/tensor"
)

func TestSetfile(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "setfile")
}

func set(entries ...any) *tensor.Set {
	GinkgoHelper()
	var all []tensor.Entry
	for i := 0; i < len(entries); i += 2 {
		all = append(all, tensor.Entry{Name: entries[i].(string), Tensor: entries[i+1].(*tensor.Tensor)})
	}
	s, err := tensor.NewSet(all...)
	Expect(err).NotTo(HaveOccurred())
	return s
}

func one(sets ...*tensor.Set) iter.Seq2[*tensor.Set, error] {
	return func(yield func(*tensor.Set, error) bool) {
		for _, s := range sets {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// read is each iteration in one line, with a question mark where names were made up.
func read(o setfile.Options, paths ...string) ([]string, error) {
	var lines []string
	for iteration, err := range setfile.Read(o, paths...) {
		if err != nil {
			return lines, err
		}
		line := strings.ReplaceAll(iteration.GomegaString(), "\n", "; ")
		if iteration.Unnamed {
			line += "?"
		}
		lines = append(lines, line)
	}
	return lines, nil
}

var _ = Describe("Files of tensors", func() {
	var folder string
	x, y := tensor.Of[float32](1, 2), tensor.Of[int64](3)
	in := func(name string) string { return filepath.Join(folder, name) }
	// put writes one set to a file of its own.
	put := func(name string, s *tensor.Set) string {
		GinkgoHelper()
		Expect(os.MkdirAll(filepath.Dir(in(name)), 0o755)).To(Succeed())
		Expect(setfile.Write(in(name), one(s))).To(Succeed())
		return in(name)
	}
	BeforeEach(func() { folder = GinkgoT().TempDir() })

	DescribeTable("give back what was written", func(name, want string) {
		Expect(read(setfile.Options{}, put(name, set("x", x, "y", y)))).To(Equal([]string{want}))
	},
		Entry("Polygraphy's inputs", "a.json", "x: float32[2] [1 2]; y: int64[1] [3]"),
		Entry("NumPy's archive", "a.npz", "x: float32[2] [1 2]; y: int64[1] [3]"),
		Entry("safetensors", "a.safetensors", "x: float32[2] [1 2]; y: int64[1] [3]"),
		Entry("a folder", "a", "x: float32[2] [1 2]; y: int64[1] [3]"),
		Entry("capitals", "a.NPZ", "x: float32[2] [1 2]; y: int64[1] [3]"),
	)

	It("of one tensor make an iteration together, until a name comes again", func() {
		paths := []string{put("x.npy", set("x", x)), put("y.npy", set("y", y)),
			put("b/x.npy", set("x", y)), put("c.npz", set("x", x))}
		Expect(read(setfile.Options{}, paths...)).To(Equal([]string{
			"x: float32[2] [1 2]; y: int64[1] [3]?", "x: int64[1] [3]?", "x: float32[2] [1 2]"}))
	})

	It("keep iterations in order, and may be mixed", func() {
		Expect(setfile.Write(in("two.json"), one(set("x", x), set("x", y)))).To(Succeed())
		Expect(read(setfile.Options{}, in("two.json"), put("x.pb", set("x", x)))).To(Equal([]string{
			"x: float32[2] [1 2]", "x: int64[1] [3]", "x: float32[2] [1 2]"}))
	})

	It("are written one per iteration into a path without an extension, an empty folder", func() {
		Expect(setfile.Write(in("run"), one(set("x", x), set("x", y)))).To(Succeed())
		Expect(filepath.Glob(in("run/*"))).To(Equal([]string{
			in("run/0000000000.json"), in("run/0000000001.json")}))
		Expect(read(setfile.Options{}, in("run"))).To(HaveLen(2))
		Expect(setfile.Write(in("run"), one(set("x", x)))).To(MatchError(ContainSubstring("not empty")))
	})

	Describe("for a model", func() {
		declared := setfile.Options{Role: "input", Declared: []setfile.Declared{
			{Name: "image", Type: tensor.Float32, Shape: tensor.Shape{-1, 2}},
			{Name: "size", Type: tensor.Int64, Shape: tensor.Shape{}},
		}}

		It("get its names in order where they have none", func() {
			Expect(read(declared, put("0.npy", set("a", x)), put("1.npy", set("b", y)))).To(Equal(
				[]string{"image: float32[2] [1 2]; size: int64[1] [3]"}))
		})

		It("are taken by name before order", func() {
			Expect(read(declared, put("size.npy", set("a", y)), put("image.npy", set("b", x)))).To(Equal(
				[]string{"size: int64[1] [3]; image: float32[2] [1 2]"}))
			Expect(read(declared, put("0.pb", set("size", y)), put("1.pb", set("image", x)))).To(Equal(
				[]string{"size: int64[1] [3]; image: float32[2] [1 2]"}))
		})

		It("may be raw: type and shape are the model's", func() {
			Expect(os.MkdirAll(in("blobs/0000000000"), 0o755)).To(Succeed())
			Expect(os.WriteFile(in("blobs/0000000000/image.bin"), make([]byte, 24), 0o600)).To(Succeed())
			Expect(os.WriteFile(in("blobs/0000000000/size.bin"), y.Bytes(), 0o600)).To(Succeed())
			Expect(read(declared, in("blobs"))).To(Equal([]string{
				"image: float32[3,2] [0 0 0 0 0 0]; size: int64[] [3]"}))
		})

		It("may be raw bytes of bfloat16 in .npy", func() {
			bf16 := tensor.Of(tensor.BF16(0x3f80))
			o := setfile.Options{Declared: []setfile.Declared{{Name: "x", Type: tensor.BFloat16}}}
			Expect(read(o, put("x.npy", set("x", bf16)))).To(Equal([]string{"x: bfloat16[1] [1]"}))
		})

		It("may be ONNX's test data, sequences included", func() {
			put("case/test_data_set_10/input_0.pb", set("image", x))
			put("case/test_data_set_9/input_0.pb", set("image", x))
			put("case/test_data_set_9/input_1.pb", set("", y))
			put("case/test_data_set_9/output_0.pb", set("logits", y))
			Expect(read(declared, in("case"))).To(Equal([]string{
				"image: float32[2] [1 2]; size: int64[1] [3]", "image: float32[2] [1 2]"}))
			Expect(read(setfile.Options{Role: "output"}, in("case/test_data_set_9"))).To(Equal(
				[]string{"logits: int64[1] [3]"}))

			cases, err := os.ReadFile("../codec/onnxpb/testdata/cases.json")
			Expect(err).NotTo(HaveOccurred())
			var all []struct {
				Name string
				PB   []byte
			}
			Expect(json.Unmarshal(cases, &all)).To(Succeed())
			for _, c := range all {
				if c.Name == "a sequence" {
					Expect(os.WriteFile(in("s.pb"), c.PB, 0o600)).To(Succeed())
				}
			}
			o := setfile.Options{Declared: []setfile.Declared{{Name: "q", Kind: onnxpb.SequenceKind}}}
			Expect(read(o, in("s.pb"))).To(Equal([]string{
				"q.length: int64[] [2]; q[0]: float32[2] [1 2]; q[1]: float32[1] [3]"}))
		})

		DescribeTable("must fit it", func(bytes int, d setfile.Declared, want string) {
			Expect(os.WriteFile(in("x.bin"), make([]byte, bytes), 0o600)).To(Succeed())
			_, err := read(setfile.Options{Declared: []setfile.Declared{d}}, in("x.bin"))
			Expect(err).To(MatchError(ContainSubstring(want)))
			Expect(err).To(MatchError(HavePrefix(in("x.bin"))))
		},
			Entry("no whole rows", 9, setfile.Declared{Type: tensor.Float32, Shape: tensor.Shape{-1, 2}},
				"9 bytes are not a multiple of 8, the size of a row of float32[-1,2]"),
			Entry("another size", 9, setfile.Declared{Type: tensor.Float32, Shape: tensor.Shape{2}},
				"float32[2] needs 8 bytes, got 9"),
			Entry("two dynamic dimensions", 8,
				setfile.Declared{Name: "x", Type: tensor.Float32, Shape: tensor.Shape{-1, -1}},
				"more than one dynamic dimension"),
			Entry("no shape", 8, setfile.Declared{Type: tensor.Float32},
				"does not record its type and shape"),
			Entry("no bytes to a row", 8,
				setfile.Declared{Type: tensor.Float32, Shape: tensor.Shape{-1, 0}}, "not a multiple"),
		)
	})

	DescribeTable("that are bad are an error that names them once", func(name, content, want string) {
		if content != "" {
			Expect(os.MkdirAll(filepath.Dir(in(name)), 0o755)).To(Succeed())
			Expect(os.WriteFile(in(name), []byte(content), 0o600)).To(Succeed())
		}
		_, err := read(setfile.Options{Role: "input"}, in(name))
		Expect(err).To(MatchError(ContainSubstring(want)))
		Expect(err).To(MatchError(HavePrefix(in(name))))
		Expect(strings.Count(err.Error(), in(name))).To(Equal(1), err.Error())
	},
		Entry("missing", "x.json", "", "no such file"),
		Entry("missing npy", "x.npy", "", "no such file"),
		Entry("no format", "x.txt", "x", `unknown extension ".txt"`),
		Entry("bad JSON", "x.json", "[1]", "iteration 0: byte 1: expected an object"),
		Entry("bad npy", "x.npy", "x", "npy: byte 1"),
		Entry("bad npz", "x.npz", "x", "npz: zip: not a valid zip file"),
		Entry("bad safetensors", "x.safetensors", "x", "safetensors: byte 1"),
		Entry("bad pb", "x.pb", "\xff", "byte 0: not a protobuf message"),
		Entry("raw without a model", "x.bin", "x", "does not record its type and shape"),
	)

	It("are not found in a folder of something else", func() {
		Expect(os.WriteFile(in("readme.md"), []byte("x"), 0o600)).To(Succeed())
		_, err := read(setfile.Options{Role: "input"}, folder)
		Expect(err).To(MatchError(ContainSubstring("has no input in a supported form")))
	})

	DescribeTable("are written whole or not at all", func(
		name string, sets func() iter.Seq2[*tensor.Set, error], want string,
	) {
		Expect(setfile.Write(in(name), sets())).To(MatchError(ContainSubstring(want)))
		Expect(filepath.Glob(in("*.*"))).To(BeEmpty())
		Expect(filepath.Glob(in(".*"))).To(BeEmpty())
	},
		Entry("nothing", "x.json", func() iter.Seq2[*tensor.Set, error] { return one() }, "no iteration"),
		Entry("nothing, elsewhere", "x.npz", func() iter.Seq2[*tensor.Set, error] { return one() },
			"can store only one iteration, got 0"),
		Entry("two iterations", "x.npz", func() iter.Seq2[*tensor.Set, error] {
			return one(set("x", x), set("x", x))
		}, "can store only one iteration, got 2"),
		Entry("two tensors", "x.npy", func() iter.Seq2[*tensor.Set, error] {
			return one(set("x", x, "y", y))
		}, "can store only one tensor, got 2"),
		Entry("no format", "x.txt", func() iter.Seq2[*tensor.Set, error] { return one(set("x", x)) },
			`unknown extension ".txt"`),
		Entry("an error on the way", "x.json", func() iter.Seq2[*tensor.Set, error] {
			return func(yield func(*tensor.Set, error) bool) {
				_ = yield(set("x", x), nil) && yield(nil, fmt.Errorf("wrapped: %w", errors.New("lost")))
			}
		}, "lost"),
	)
})
