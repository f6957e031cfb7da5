package onnxpb_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/tensor"
)

// onnxCase is one message that testdata/generate.py had onnx make.
type onnxCase struct {
	Name, Kind string
	PB         []byte
	Want       json.RawMessage
}

func cases() []onnxCase {
	data, err := os.ReadFile("testdata/cases.json")
	var all []onnxCase
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil || len(all) < 50 {
		panic(fmt.Sprint("testdata/cases.json: ", len(all), " cases, ", err))
	}
	return all
}

var kinds = map[string]onnxpb.Kind{
	"sequence": onnxpb.SequenceKind, "optional": onnxpb.OptionalKind,
}

// names of ONNX's data types that are not tensor's in capitals.
var names = map[string]string{
	"FLOAT": "float32", "DOUBLE": "float64", "FLOAT8E4M3FN": "float8_e4m3fn",
	"FLOAT8E4M3FNUZ": "float8_e4m3fnuz", "FLOAT8E5M2": "float8_e5m2",
	"FLOAT8E5M2FNUZ": "float8_e5m2fnuz", "FLOAT8E8M0": "float8_e8m0fnu", "FLOAT4E2M1": "float4_e2m1fn",
}

var _ = Describe("A message that onnx wrote", func() {
	for _, c := range cases() {
		if c.Kind == "tensor" {
			It("is the tensor that onnx reads: "+c.Name, func() { checkTensor(c) })
		} else {
			It("is the value that onnx reads: "+c.Name, func() {
				var want string
				Expect(json.Unmarshal(c.Want, &want)).To(Succeed())
				entries, err := onnxpb.Decode(c.PB, kinds[c.Kind], "s")
				Expect(err).NotTo(HaveOccurred())
				var got []string
				for _, e := range entries {
					got = append(got, e.Name+" "+e.Tensor.String())
				}
				Expect(strings.Join(got, "; ")).To(Equal(want))
			})
		}
	}
})

func checkTensor(c onnxCase) {
	var want struct {
		Type   string
		Shape  tensor.Shape
		Values []float64
	}
	Expect(json.Unmarshal(c.Want, &want)).To(Succeed())
	name, t, err := onnxpb.Tensor(c.PB)
	Expect(err).NotTo(HaveOccurred())
	Expect(name).To(Equal("x"))
	elem := names[want.Type]
	if elem == "" {
		elem = strings.ToLower(want.Type)
	}
	Expect(t.ElementType().String()).To(Equal(elem))
	Expect(t.Shape()).To(Equal(want.Shape))
	if c.Name == "STRING" {
		Expect(t.Strings()).To(Equal([]string{"a", "\xff\x00c"}))
	} else {
		Expect(t.Float64s()).To(BeEquivalentTo(append([]float64{}, want.Values...)))
	}

	again, err := onnxpb.Append(nil, "x", t)
	Expect(err).NotTo(HaveOccurred())
	if strings.HasSuffix(c.Name, " raw") {
		Expect(again).To(HaveLen(len(c.PB)), "what is written has onnx's own fields")
	}
	name, same, err := onnxpb.Tensor(again)
	Expect(err).NotTo(HaveOccurred())
	Expect(name).To(Equal("x"))
	Expect(same.String()).To(Equal(t.String()))
	Expect(string(same.Bytes())).To(Equal(string(t.Bytes())))
}

// tensorProto makes a message of number fields, and of bytes where the value is a string.
func tensorProto(values ...any) []byte {
	var b []byte
	for i := 0; i < len(values); i += 2 {
		num := protowire.Number(values[i].(int))
		switch v := values[i+1].(type) {
		case int:
			b = protowire.AppendTag(b, num, protowire.VarintType)
			b = protowire.AppendVarint(b, uint64(v))
		case string:
			b = protowire.AppendTag(b, num, protowire.BytesType)
			b = protowire.AppendString(b, v)
		}
	}
	return b
}

var _ = DescribeTable("A bad tensor is an error that says where", func(pb []byte, want string) {
	_, _, err := onnxpb.Tensor(pb)
	Expect(err).To(MatchError(ContainSubstring(want)))
},
	Entry("empty", []byte{}, `onnx tensor "": byte 0: a tensor cannot have data type 0`),
	Entry("no protobuf", []byte{0xff}, "byte 0: not a protobuf message"),
	Entry("cut short", tensorProto(8, "name")[:3], `byte 1: field 8`),
	Entry("complex", tensorProto(2, 14), "data type 14"),
	Entry("too few bytes", tensorProto(1, 4, 2, 1, 8, "w", 9, "abc"),
		`onnx tensor "w": byte 0: tensor: float32[4] needs 16 bytes, got 3`),
	Entry("a shape beyond memory", tensorProto(1, 1<<40, 1, 1<<40, 2, 1), "more elements than memory"),
	Entry("a shape beyond the message", tensorProto(1, 1<<40, 2, 1),
		"the data of 1099511627776 elements is missing"),
	Entry("a negative dimension", tensorProto(1, -1, 2, 1), "dimension 0 is negative"),
	Entry("a number beyond its type", tensorProto(1, 1, 2, 3, 5, 200),
		"element 0 is 200, which does not fit int8"),
	Entry("a negative unsigned", tensorProto(1, 1, 2, 2, 5, -1),
		"element 0 is -1, which does not fit uint8"),
	Entry("a bool of 2", tensorProto(1, 1, 2, 9, 5, 2), "element 0 is a bool with the value 2"),
	Entry("values in the wrong field", tensorProto(1, 1, 2, 1, 5, 2),
		"values are in field 5, expected field 4"),
	Entry("values in two fields", tensorProto(1, 1, 2, 6, 5, 2, 9, "abcd"),
		"in field 5 and field 9"),
	Entry("a name that is a number", tensorProto(8, 1), "field 8 has wire type 0, expected 2"),
	Entry("external data", tensorProto(1, 1, 2, 1, 14, 1), "its values are in a different file"),
	Entry("a segment", tensorProto(3, ""), "a segment of a tensor"),
)

var _ = DescribeTable("Any other bad value is an error", func(
	kind onnxpb.Kind, pb []byte, want string,
) {
	_, err := onnxpb.Decode(pb, kind, "x")
	Expect(err).To(MatchError(ContainSubstring(want)))
},
	Entry("a bad item", onnxpb.SequenceKind, tensorProto(3, "\x10\x0e"),
		`item 0: onnx tensor "": byte 2: a tensor cannot have data type 14`),
	Entry("two kinds of item", onnxpb.SequenceKind,
		tensorProto(3, string(tensorProto(1, 0, 2, 1)), 5, ""),
		"values are in field 3 and field 5, but must be in one"),
	Entry("a sparse item", onnxpb.SequenceKind, tensorProto(4, ""), "sparse tensors"),
	Entry("an optional with two values", onnxpb.OptionalKind,
		tensorProto(5, "", 5, ""), "an optional has two values"),
	Entry("a map in a sequence", onnxpb.SequenceKind, tensorProto(6, ""), "maps are not supported"),
	Entry("values without end", onnxpb.SequenceKind, nested(40), "nested more than 32 deep"),
)

// nested is a sequence in a sequence in a sequence.
func nested(depth int) (pb []byte) {
	for range depth {
		pb = tensorProto(5, string(pb))
	}
	return pb
}
