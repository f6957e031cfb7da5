package values_test

import (
	"strconv"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/values"
)

var _ = Describe("reading values", func() {
	DescribeTable("numbers split at the last colon",
		func(text, name string, number float64) {
			Expect(values.Number(text)).To(Equal(values.Named[float64]{Name: name, Value: number}))
		},
		Entry("without a name", "1e-5", "", 1e-5),
		Entry("with a name", "logits:0.5", "logits", 0.5),
		Entry("with colons in the name", "scope:0:1", "scope:0", 1.0),
		Entry("with an empty name", ":2", "", 2.0),
	)

	It("reads shapes and ranges", func() {
		Expect(values.Shape("x:0:[1, 3,224]")).To(
			Equal(values.Named[[]int]{Name: "x:0", Value: []int{1, 3, 224}}))
		Expect(values.Shape("x:(1,3, 16)")).To(
			Equal(values.Named[[]int]{Name: "x", Value: []int{1, 3, 16}}))
		Expect(values.Shape("x:(8,)")).To(
			Equal(values.Named[[]int]{Name: "x", Value: []int{8}}))
		Expect(values.Shape("x:[]")).To(Equal(values.Named[[]int]{Name: "x", Value: []int{}}))
		Expect(values.Range("[-1,1.5]")).To(
			Equal(values.Named[[2]float64]{Value: [2]float64{-1, 1.5}}))
		Expect(values.Range("x:[0,255]")).To(
			Equal(values.Named[[2]float64]{Name: "x", Value: [2]float64{0, 255}}))
	})

	DescribeTable("reads sizes in powers of 1024", func(text string, bytes int) {
		Expect(values.Size(text)).To(Equal(int64(bytes)))
	},
		Entry("nothing", "0", 0), Entry("bytes", "1000", 1000), Entry("K", "2K", 2048),
		Entry("a fraction of a small m", "1.5m", 3<<19), Entry("G", "1G", 1<<30),
	)

	DescribeTable("reads durations in seconds or with a unit",
		func(text string, d time.Duration) { Expect(values.Duration(text)).To(Equal(d)) },
		Entry("nothing", "0", 0*time.Second), Entry("seconds", "300", 300*time.Second),
		Entry("a fraction", "0.05", 50*time.Millisecond),
		Entry("in Go's notation", "1m30s", 90*time.Second),
		Entry("a power of ten", "1e-3", time.Millisecond),
	)

	DescribeTable("says what to write", func(read func(string) error, text, says string) {
		Expect(read(text)).To(MatchError(says))
	},
		Entry("a word for a number", onlyError(values.Number), "out:few",
			`"few" is not a number; write 1e-5, or logits:1e-5 for the output logits`),
		Entry("the model after the tolerances", onlyError(values.Number), "net.onnx",
			`"net.onnx" is not a number; write 1e-5, or logits:1e-5 for the output logits; `+
				`files come before the flags, or after --`),
		Entry("a fraction for an integer", onlyError(values.Integer), "1.5",
			`"1.5" is not an integer`),
		Entry("Polygraphy's old shapes", onlyError(values.Shape), "x:1x3",
			`"x:1x3" is not a shape; write image:[1,3,224,224]`),
		Entry("a shape without a name", onlyError(values.Shape), "[1,3]",
			`"[1,3]" does not name an input; write INPUT:[1,3] with the input's name`),
		Entry("a dynamic dimension", onlyError(values.Shape), "x:[N,3]",
			`"x:[N,3]" has the dimension "N", which is not a size`),
		Entry("a negative dimension", onlyError(values.Shape), "x:[-1,3]",
			`"x:[-1,3]" has the dimension "-1", which is not a size`),
		Entry("no closing bracket", onlyError(values.Shape), "x:[1",
			`"x:[1" is not a shape; write image:[1,3,224,224]`),
		Entry("a range of three", onlyError(values.Range), "[1,2,3]",
			`"[1,2,3]" has 3 numbers, but a range has 2: [LOW,HIGH]`),
		Entry("a range of words", onlyError(values.Range), "[a,2]",
			`"[a,2]" contains "a", which is not a number`),
		Entry("no size", onlyError(values.Size), "", notASize("")),
		Entry("a unit alone", onlyError(values.Size), "G", notASize("G")),
		Entry("a negative size", onlyError(values.Size), "-1", notASize("-1")),
		Entry("an unknown unit", onlyError(values.Size), "1T", notASize("1T")),
		Entry("a size beyond memory", onlyError(values.Size), "1e30", notASize("1e30")),
		Entry("not a number of bytes", onlyError(values.Size), "nan", notASize("nan")),
		Entry("no duration", onlyError(values.Duration), "soon", notADuration("soon")),
		Entry("a negative duration", onlyError(values.Duration), "-0.5", notADuration("-0.5")),
		Entry("an infinite duration", onlyError(values.Duration), "inf", notADuration("inf")),
		Entry("no number of seconds", onlyError(values.Duration), "nan", notADuration("nan")),
		Entry("a duration beyond 292 years", onlyError(values.Duration), "1e10", notADuration("1e10")),
		Entry("an unknown word", func(text string) error {
			return values.Choice(text, "onnx", "engine")
		}, "caffe", `unknown value "caffe": want onnx, engine`),
		Entry("too small a count", func(text string) error {
			_, err := values.Count(text, 1)
			return err
		}, "0", `"0" is not a whole number of at least 1`),
	)
})

func notADuration(text string) string {
	return strconv.Quote(text) + " is not a duration of 0 or more; write seconds, such as 0.5 or " +
		"300, or a unit, such as 5m"
}

func notASize(text string) string {
	return strconv.Quote(text) + " is not a size; write 512M, 1G or a number of bytes"
}

// onlyError makes readers of different values rows of one table.
func onlyError[V any](read func(string) (V, error)) func(string) error {
	return func(text string) error {
		_, err := read(text)
		return err
	}
}
