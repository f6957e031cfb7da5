package npy_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/codec/npy"
	"github.com/modelparity/modelparity/tensor"
)

// file is a file that testdata/generate.py had NumPy write.
func file(name string) []byte {
	data, err := os.ReadFile(filepath.Join("testdata", name+".npy"))
	Expect(err).NotTo(HaveOccurred())
	return data
}

func decoded(name string) *tensor.Tensor {
	t, err := decode(file(name))
	Expect(err).NotTo(HaveOccurred())
	return t
}

var _ = Describe("Reading what NumPy wrote", func() {
	for _, elem := range []struct{ descr, name string }{
		{"f2", "float16"}, {"f4", "float32"}, {"f8", "float64"},
		{"i1", "int8"}, {"i2", "int16"}, {"i4", "int32"}, {"i8", "int64"},
		{"u1", "uint8"}, {"u2", "uint16"}, {"u4", "uint32"}, {"u8", "uint64"},
	} {
		for _, order := range []string{"little", "big"} {
			It("gives the same tensor: "+order+" "+elem.descr, func() {
				Expect(decoded(order + "_" + elem.descr).String()).To(
					Equal(elem.name + "[2,3] [0 1 2 3 100 127]"))
			})
		}
	}

	DescribeTable("of other kinds", func(name, want string) {
		Expect(decoded(name).String()).To(Equal(want))
	},
		Entry("bool", "bool", "bool[3] [true false true]"),
		Entry("0-d", "scalar", "float32[] [2.5]"),
		Entry("no elements", "empty", "float32[0,5] []"),
		Entry("column-major", "fortran", "int32[2,3,4] [0 1 2 3 4 5 6 7 … 16 more]"),
		Entry("column-major and big-endian", "fortran_big", "float64[2,3] [0 1 2 3 4 5]"),
		Entry("version 2.0", "version2", "float32[3] [0 1 2]"),
		Entry("version 3.0", "version3", "float32[3] [0 1 2]"),
		Entry("text", "unicode", `string[2,2] ["a" "bcé" "" "日本"]`),
		Entry("big-endian text", "unicode_big", `string[1] ["é"]`),
		Entry("bytes", "byte_text", `string[2] ["ab" "\xff\x00c"]`),
		Entry("30 dimensions", "long_shape",
			"float64[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1] [0]"),
	)

	It("keeps the payload of a NaN and the sign of a zero", func() {
		values, err := tensor.Values[float32](decoded("nan_payload"))
		Expect(err).NotTo(HaveOccurred())
		bits := make([]uint32, len(values))
		for i, v := range values {
			bits[i] = math.Float32bits(v)
		}
		Expect(bits).To(Equal([]uint32{0x7FC12345, 0xFF800001, 0x7F800000, 0x80000000}))
	})

	DescribeTable("raw bytes become the type the caller knows",
		func(name string, elem tensor.ElementType) {
			array, err := npy.DecodeArray(file(name))
			Expect(err).NotTo(HaveOccurred())
			_, err = array.Tensor()
			Expect(err).To(MatchError(ContainSubstring("without their element type")))
			_, err = array.As(tensor.Float64)
			Expect(err).To(MatchError(ContainSubstring("cannot be read as float64")))
			t, err := array.As(elem)
			Expect(err).NotTo(HaveOccurred())
			Expect(t.Float64s()).To(Equal([]float64{1, -2, 3}))
		},
		Entry("bfloat16", "bfloat16", tensor.BFloat16),
		Entry("int4", "int4", tensor.Int4),
		Entry("float8", "float8_e4m3fn", tensor.Float8E4M3FN),
	)

	It("does not take one type for another", func() {
		array, err := npy.DecodeArray(file("little_f4"))
		Expect(err).NotTo(HaveOccurred())
		_, err = array.As(tensor.Int32)
		Expect(err).To(MatchError("npy: byte 0: the file holds float32 (<f4), not int32"))
	})

	It("refuses bytes after the array", func() {
		r := bytes.NewReader(append(file("scalar"), "more"...))
		_, err := npy.Read(r, int64(r.Len()))
		Expect(err).To(MatchError("npy: byte 132: the file continues after the array's data"))
	})
})

var _ = Describe("Writing", func() {
	DescribeTable("is what NumPy writes, byte for byte", func(name string) {
		var out bytes.Buffer
		Expect(npy.Write(&out, decoded(name))).To(Succeed())
		Expect(out.Bytes()).To(Equal(file(name)))
	},
		Entry("float16", "little_f2"), Entry("float32", "little_f4"), Entry("int8", "little_i1"),
		Entry("uint64", "little_u8"), Entry("bool", "bool"), Entry("0-d", "scalar"),
		Entry("no elements", "empty"), Entry("text", "unicode"), Entry("bytes", "byte_text"),
		Entry("many dimensions", "long_shape"), Entry("NaN payloads", "nan_payload"),
	)

	DescribeTable("types that NumPy lacks are ml_dtypes' arrays",
		func(name string, elem tensor.ElementType) {
			array, err := npy.DecodeArray(file(name))
			Expect(err).NotTo(HaveOccurred())
			t, err := array.As(elem)
			Expect(err).NotTo(HaveOccurred())
			var out bytes.Buffer
			Expect(npy.Write(&out, t)).To(Succeed())
			Expect(out.Bytes()).To(Equal(file(name)))
		},
		Entry("bfloat16", "bfloat16", tensor.BFloat16),
		Entry("int4", "int4", tensor.Int4),
		Entry("float8", "float8_e4m3fn", tensor.Float8E4M3FN),
	)

	DescribeTable("what the format cannot hold is refused", func(t *tensor.Tensor, want string) {
		Expect(npy.Write(&bytes.Buffer{}, t)).To(MatchError(ContainSubstring(want)))
	},
		Entry("no tensor", nil, "no tensor to write"),
		Entry("a string that ends in NUL", text("a\x00"), "string 0 ends in NUL"),
		Entry("too much padding", text(append(make([]string, 1<<20), string(make([]byte, 1000))+"x")...),
			"need too much padding"),
	)
})

func text(values ...string) *tensor.Tensor {
	t, err := tensor.FromStrings(tensor.Shape{len(values)}, values)
	Expect(err).NotTo(HaveOccurred())
	return t
}

func decode(data []byte) (*tensor.Tensor, error) {
	array, err := npy.DecodeArray(data)
	if err != nil {
		return nil, err
	}
	return array.Tensor()
}

// with makes a version 1 file with this header and data.
func with(header string, data string) []byte {
	return fmt.Appendf(nil, "\x93NUMPY\x01\x00%c%c%s%s", byte(len(header)), byte(0), header, data)
}

var _ = Describe("A bad file", func() {
	DescribeTable("is an error that says where", func(data []byte, want string) {
		_, err := decode(data)
		Expect(err).To(MatchError(ContainSubstring(want)))
		_, err = npy.Read(bytes.NewReader(data), int64(len(data)))
		if err == nil {
			array, readErr := npy.Read(bytes.NewReader(data), int64(len(data)))
			Expect(readErr).NotTo(HaveOccurred())
			_, err = array.Tensor()
		}
		Expect(err).To(HaveOccurred())
	},
		Entry("empty", nil, "npy: byte 0: the file ends within the magic number"),
		Entry("another format", []byte("PK\x03\x04....."), `npy: byte 0: "PK\x03\x04.." is not`),
		Entry("a version to come", []byte("\x93NUMPY\x04\x00    "), "byte 6: .npy version 4.0"),
		Entry("a header over the limit", []byte("\x93NUMPY\x02\x00\xff\xff\xff\x7f"),
			"byte 8: the header has 2147483647 bytes, more than the limit"),
		Entry("a header that ends early", []byte("\x93NUMPY\x01\x00\x40\x00{'descr'"),
			"byte 18: the file ends within the header"),
		Entry("a shape beyond the file",
			with("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,)}", ""),
			"needs 4000000000000 bytes of data"),
		Entry("a shape beyond memory",
			with("{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999, 9999999999)}", ""),
			"more elements than memory can address"),
		Entry("a negative dimension",
			with("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", ""),
			"byte 10: header: tensor: shape [-1]: dimension 0 is negative"),
		Entry("a bool of 2", with("{'descr': '|b1', 'fortran_order': False, 'shape': (1,)}", "\x02"),
			"a bool has the value 2"),
		Entry("objects", with("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "12345678"),
			`tensors cannot have the element type "|O"`),
		Entry("records", with("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", "1234"),
			"record types are not supported"),
		Entry("a key that is missing", with("{'descr': '<f4', 'shape': ()}", "1234"),
			"are required"),
		Entry("a key twice", with("{'descr': '<f4', 'descr': '<f4', 'shape': ()}", "1234"),
			`key "descr" occurs twice`),
		Entry("text that is not a character",
			with("{'descr': '<U1', 'fortran_order': False, 'shape': (1,)}", "\xff\xff\xff\xff"),
			"element 0: 0xffffffff is not a character"),
		Entry("text without width, as many as one likes",
			with("{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000000,)}", ""),
			"<U0 is a string type of length 0"),
		Entry("complex numbers",
			with("{'descr': '<c8', 'fortran_order': False, 'shape': ()}", "12345678"),
			`element type "<c8"`),
	)

	It("is an error when data is missing or left over", func() {
		data := file("little_f4")
		_, err := decode(data[:len(data)-1])
		Expect(err).To(MatchError(
			"npy: byte 128: [2,3] of <f4 needs 24 bytes of data, but the file has 23"))
		_, err = decode(append(data, 0))
		Expect(err).To(MatchError(ContainSubstring("the file has 25")))
	})
})
