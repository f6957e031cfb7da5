package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/codec/safetensors"
	"github.com/modelparity/modelparity/tensor"
)

func TestSafetensors(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "safetensors")
}

// file is a file with that header and data, as the format's description lays it out.
func file(header, data string) []byte {
	start := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(start, header...), data...)
}

// example holds two tensors in another order than their bytes, and metadata.
var example = file(`{"__metadata__": {"format": "pt"}, `+
	`"b": {"dtype": "BF16", "shape": [1], "data_offsets": [8, 10]}, `+
	`"a": {"dtype": "F32", "shape": [2, 1], "data_offsets": [0, 8]}, `+
	`"none": {"dtype": "I64", "shape": [0], "data_offsets": [8, 8]}}`,
	"\x00\x00\x80\x3f\x00\x00\x00\xc0\x80\x3f")

var _ = Describe("A .safetensors file", func() {
	It("is read in the order of its header", func() {
		set, err := safetensors.Decode(bytes.Clone(example))
		Expect(err).NotTo(HaveOccurred())
		Expect(set.GomegaString()).To(Equal(
			"b: bfloat16[1] [1]\na: float32[2,1] [1 -2]\nnone: int64[0] []"))
	})

	It("is written with aligned data, and read again", func() {
		var entries []tensor.Entry
		for _, elem := range tensor.ElementTypes() {
			if elem.Bits() < 8 || strings.HasSuffix(elem.String(), "fnuz") {
				continue
			}
			t, err := tensor.FromBytes(elem, tensor.Shape{1, 2}, make([]byte, elem.Bytes(2)))
			Expect(err).NotTo(HaveOccurred())
			entries = append(entries, tensor.Entry{Name: `"` + elem.String(), Tensor: t})
		}
		Expect(len(entries)).To(BeNumerically(">", 12))
		entries = append(entries, tensor.Entry{Name: "scalar", Tensor: tensor.Scalar(1.5)})
		set, err := tensor.NewSet(entries...)
		Expect(err).NotTo(HaveOccurred())
		var out bytes.Buffer
		Expect(safetensors.Write(&out, set)).To(Succeed())
		Expect(binary.LittleEndian.Uint64(out.Bytes()) % 8).To(BeZero())
		read, err := safetensors.Decode(out.Bytes())
		Expect(err).NotTo(HaveOccurred())
		Expect(read.GomegaString()).To(Equal(set.GomegaString()))
	})

	It("cannot hold strings", func() {
		text, err := tensor.FromStrings(tensor.Shape{1}, []string{"a"})
		Expect(err).NotTo(HaveOccurred())
		set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: text})
		Expect(err).NotTo(HaveOccurred())
		Expect(safetensors.Write(&bytes.Buffer{}, set)).To(MatchError(
			`safetensors: tensor "x": no support for string`))
	})

	DescribeTable("that is bad is an error", func(data []byte, want string) {
		_, err := safetensors.Decode(data)
		Expect(err).To(MatchError(ContainSubstring(want)))
	},
		Entry("empty", nil, "byte 0: the file ends before the header, whose length is in bytes 0 to 7"),
		Entry("a header beyond the file", file("{}", "")[:9],
			"byte 0: the header's length is given as 2 bytes; the rest of the file has 1,"),
		Entry("a header beyond the limit", bytes.Repeat([]byte{0x7f}, 100),
			"the format allows 100000000"),
		Entry("no JSON", file("{", ""), "ends too early"),
		Entry("a type of its own", file(`{"x": {"dtype": "C64", "shape": [], "data_offsets": [0, 8]}}`,
			"12345678"), `tensor "x": tensors cannot have the element type "C64"`),
		Entry("a tensor beyond the file", file(
			`{"x": {"dtype": "U8", "shape": [9], "data_offsets": [0, 9]}}`,
			"12345678"), `tensor "x": its data_offsets are [0, 9], but its data must start at 0 `+
			"and end at 8 or before"),
		Entry("a tensor of another size", file(
			`{"x": {"dtype": "U8", "shape": [7], "data_offsets": [0, 8]}}`,
			"12345678"), `tensor "x": tensor: uint8[7] needs 7 bytes, got 8`),
		Entry("offsets that go back", file(`{"x": {"dtype": "U8", "shape": [1], "data_offsets": [1, 0]}}`,
			"1"), `tensor "x": its data_offsets are [1, 0]`),
		Entry("tensors that overlap", file(
			`{"x": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}, `+
				`"y": {"dtype": "U8", "shape": [2], "data_offsets": [1, 3]}}`, "123"),
			`tensor "y": its data_offsets are [1, 3], but its data must start at 2 `+
				"and end at 3 or before"),
		Entry("bytes outside all tensors", file("{}", "1"),
			"the last tensor ends at byte 0 of the data, but the data has 1"),
		Entry("a bool of 2", file(
			`{"x": {"dtype": "BOOL", "shape": [1], "data_offsets": [0, 1]}}`, "\x02"),
			"element 0 is a bool with the value 2"),
		Entry("an entry that is none", file(`{"x": 1}`, ""), `byte 13: tensor "x"`),
	)
})

// FuzzDecode holds that no file panics, and that what was read is read again from what is written.
func FuzzDecode(f *testing.F) {
	f.Add(example)
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := safetensors.Decode(bytes.Clone(data))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := safetensors.Write(&out, set); err != nil {
			t.Fatal(err)
		}
		again, err := safetensors.Decode(out.Bytes())
		if err != nil || again.GomegaString() != set.GomegaString() {
			t.Fatalf("%v was read again as %v, %v", set, again, err)
		}
	})
}
