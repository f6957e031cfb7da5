package polygraphy_test

import (
	"bytes"
	"fmt"
	"iter"
	"math"
	"os"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/codec/polygraphy"
	"github.com/modelparity/modelparity/tensor"
)

func file(name string) string {
	GinkgoHelper()
	data, err := os.ReadFile("testdata/" + name)
	Expect(err).NotTo(HaveOccurred())
	return string(data)
}

// inputs reads every iteration.
func inputs(document string) ([]*tensor.Set, error) {
	var sets []*tensor.Set
	for set, err := range polygraphy.Inputs(strings.NewReader(document), int64(len(document))) {
		if err != nil {
			return sets, err
		}
		sets = append(sets, set)
	}
	return sets, nil
}

func results(document string) (polygraphy.Results, error) {
	return polygraphy.ReadResults(strings.NewReader(document), int64(len(document)))
}

var _ = Describe("Inputs that Polygraphy saved", func() {
	It("are read with every element type and order", func() {
		sets, err := inputs(file("inputs.json"))
		Expect(err).NotTo(HaveOccurred())
		Expect(sets).To(HaveLen(2))
		var got []string
		for name, t := range sets[0].All() {
			got = append(got, name+" "+t.String())
		}
		Expect(got).To(Equal([]string{
			"<f2 float16[2,3] [0 1 2 3 4 5]", "<f4 float32[2,3] [0 1 2 3 4 5]",
			"<f8 float64[2,3] [0 1 2 3 4 5]", "|i1 int8[2,3] [0 1 2 3 4 5]",
			"<i2 int16[2,3] [0 1 2 3 4 5]", "<i4 int32[2,3] [0 1 2 3 4 5]",
			"<i8 int64[2,3] [0 1 2 3 4 5]", "|u1 uint8[2,3] [0 1 2 3 4 5]",
			"<u2 uint16[2,3] [0 1 2 3 4 5]", "<u4 uint32[2,3] [0 1 2 3 4 5]",
			"<u8 uint64[2,3] [0 1 2 3 4 5]", "|b1 bool[2,3] [false true true true true true]",
			">f4 float32[2,3] [0 1 2 3 4 5]", ">i8 int64[2,3] [0 1 2 3 4 5]",
			"fortran float32[2,3] [0 1 2 3 4 5]", "scalar float32[] [2.5]", "empty float32[0,3] []",
			"nan float32[1] [NaN]", `text string[2] ["a" "bcé"]`, `bytes string[2] ["ab" "c"]`,
		}))
		nan, _ := sets[0].Get("nan")
		values, err := tensor.Values[float32](nan)
		Expect(err).NotTo(HaveOccurred())
		Expect(math.Float32bits(values[0])).To(Equal(uint32(0x7FC12345)))
		Expect(sets[1].Names()).To(Equal([]string{`naïve "name"/1`}))
	})

	It("are read when they are asked for, one iteration at a time", func() {
		document := file("inputs.json")
		for set, err := range polygraphy.Inputs(strings.NewReader(document[:len(document)-20]), 1<<20) {
			Expect(err).NotTo(HaveOccurred(), "the end is missing, but was not read")
			Expect(set.Len()).To(Equal(20))
			break
		}
	})

	It("may be one iteration alone, as in a folder", func() {
		sets, err := inputs(`{"X": {"array": "` + npyBase64 + `", "polygraphy_class": "ndarray"}}`)
		Expect(err).NotTo(HaveOccurred())
		Expect(sets).To(HaveLen(1))
		Expect(sets[0].String()).To(Equal("{X: float32[]}"))
	})

	It("of 0.27 are refused, with the remedy", func() {
		_, err := inputs(file("inputs_0_27.json"))
		Expect(err).To(MatchError(ContainSubstring(ofOld)))
	})

	It("are what is written", func() {
		before, err := inputs(file("inputs.json"))
		Expect(err).NotTo(HaveOccurred())
		var out bytes.Buffer
		w := polygraphy.NewWriter(&out)
		w.Inputs(all(before...))
		Expect(w.Close()).To(Succeed())
		after, err := inputs(out.String())
		Expect(err).NotTo(HaveOccurred())
		Expect(after).To(HaveLen(2))
		for i := range before {
			Expect(after[i].GomegaString()).To(Equal(before[i].GomegaString()))
		}
		Expect(out.String()).To(MatchRegexp(`^[\n -~]*$`), "only ASCII is safe in every locale")
	})
})

func all(sets ...*tensor.Set) iter.Seq2[*tensor.Set, error] {
	return func(yield func(*tensor.Set, error) bool) {
		for _, set := range sets {
			if !yield(set, nil) {
				return
			}
		}
	}
}

// npyBase64 is a 0-d float32, 2.5.
const npyBase64 = "k05VTVBZAQB2AHsnZGVzY3InOiAnPGY0JywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwg" +
	"J3NoYXBlJzogKCksIH0g" +
	"ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAACBA"

// ofOld is the reason for which arrays of 0.27 to 0.29 are refused.
const ofOld = "expected an .npy array, got an .npz archive, which Polygraphy 0.27 to 0.29 wrote: " +
	"save the file again with a later version of Polygraphy"

var _ = Describe("Outputs that Polygraphy saved", func() {
	lazy := func(class string) string {
		return `{"values": {"array": "` + npyBase64 + `", "polygraphy_class": "ndarray"}, ` + class + `}`
	}

	DescribeTable("by any version", func(array string) {
		read, err := results(`{"lst": [["r", [{"outputs": {"Y": ` + array + `}, "runtime": 1}]]]}`)
		Expect(err).NotTo(HaveOccurred())
		t, err := read.Runners[0].Iterations[0].Outputs[0].As(tensor.Invalid)
		Expect(err).NotTo(HaveOccurred())
		Expect(t.String()).To(Equal("float32[] [2.5]"))
	},
		Entry("0.49 and later", lazy(`"polygraphy_class": "LazyArray"`)),
		Entry("0.30 to 0.47", lazy(`"polygraphy_class": "LazyNumpyArray"`)),
		Entry("an array where a lazy one is usual", `{"array": "`+npyBase64+`"}`),
		Entry("another order of keys",
			`{"polygraphy_class": "LazyArray", "values": {"polygraphy_class": "ndarray", "array": "`+
				npyBase64+`"}}`),
		Entry("escaped slashes", `{"array": "`+strings.ReplaceAll(npyBase64, "/", `\/`)+`"}`),
	)

	It("by 0.27 are refused, with the remedy", func() {
		_, err := results(file("outputs_0_27.json"))
		Expect(err).To(MatchError(ContainSubstring(ofOld)))
	})

	DescribeTable("have run times of every kind", func(text string, want float64) {
		read, err := results(`{"lst": [["r", [{"outputs": {}, "runtime": ` + text + `}]]]}`)
		Expect(err).NotTo(HaveOccurred())
		if got := read.Runners[0].Iterations[0].Runtime; !math.IsNaN(want) || !math.IsNaN(got) {
			Expect(got).To(Equal(want))
		}
	},
		Entry("seconds", "0.00084", 0.00084), Entry("an integer", "2", 2.0),
		Entry("null", "null", math.NaN()), Entry("NaN", "NaN", math.NaN()),
		Entry("infinite", "Infinity", math.Inf(1)),
	)

	It("keep runners of one name, and keys to come", func() {
		read, err := results(
			`{"version": {"new": [1, "x"]}, "lst": [["r", []], ["r", []]], "more": null}`)
		Expect(err).NotTo(HaveOccurred())
		Expect(read.Runners).To(HaveLen(2))
	})
})

var _ = DescribeTable("A bad file is an error that names the tensor and the byte",
	func(document, want string) {
		_, err := inputs(document)
		Expect(err).To(MatchError(ContainSubstring(want)))
	},
	Entry("ends within an array", `[{"X": {"array": "`+npyBase64[:100],
		`iteration 0: tensor "X": array at byte 18: npy: `),
	Entry("ends after an array", `[{"X": {"array": "`+npyBase64+`"}}`, "the document ends too early"),
	Entry("an array that is too short", `[{"X": {"array": "`+npyBase64[:len(npyBase64)-4]+`"}}]`,
		`tensor "X": array at byte 18: npy: byte 129: `+
			"[] of <f4 needs 4 bytes of data, got 1"),
	Entry("an array that is too long", `[{"X": {"array": "`+npyBase64+`AAAA"}}]`,
		`tensor "X": array at byte 18: npy: byte 132: the file continues after the array's data`),
	Entry("no base64", `[{"X": {"array": "k05V!VBZ"}}]`,
		`tensor "X": array at byte 18: npy: byte`),
	Entry("no array", `[{"X": {"polygraphy_class": "ndarray"}}]`,
		`expected an array, got an object without the key "array"`),
	Entry("saved outputs", `{"lst": [], "polygraphy_class": "RunResults"}`,
		`tensor "lst": byte 8: expected an object, got a list (inputs must be an object that `+
			`maps names to arrays, or a list of such objects, not a file of saved outputs)`),
	Entry("two arrays", `[{"X": {"array": "`+npyBase64+`", "array": ""}}]`,
		`expected one key "array" or "values" in an object, got a second: "array"`),
	Entry("a tensor twice", `[{"X": {"array": "`+npyBase64+`"}, "X": 1}]`,
		`duplicate tensor "X"`),
	Entry("another class", `[{"X": {"polygraphy_class": "Algorithm"}}]`,
		`an object has the class "Algorithm", expected ndarray`),
	Entry("an archive as Latin-1", `[{"X": {"array": "PK\u0003\u0004"}}]`, ofOld),
	Entry("an archive in base64", `[{"X": {"array": "UEsDBA=="}}]`, ofOld),
	Entry("a number for a tensor", `[{"X": 5}]`,
		`tensor "X": byte 7: expected an object, got a number`),
)

var _ = It("A shape that the file cannot hold costs no memory", func() {
	// 2^40 elements in a file of a hundred bytes.
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,)}"
	data := fmt.Sprintf("\x93NUMPY\x01\x00%c\x00%s", len(header), header)
	document := `[{"X": {"array": "` + base64Of(data) + `"}}]`
	_, err := inputs(document)
	Expect(err).To(MatchError(ContainSubstring("needs 4398046511104 bytes of data, but at most")))
})
