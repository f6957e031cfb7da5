package decisions_test

import (
	"math"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Detections", func() {
	cat := []float64{0, 0, 10, 10, 0.9, 1}
	dog := []float64{50, 50, 80, 90, 0.8, 2}
	faint := []float64{200, 0, 220, 20, 0.51, 1}
	layout := decisions.Layout{Packed: "y", Columns: "x0 y0 x1 y1 score class"}
	rule := decisions.Detections{Layout: layout, Score: 0.5, Margin: 0.02}
	with := func(row []float64, changes ...float64) []float64 { // column, value, …
		changed := append([]float64(nil), row...)
		for i := 0; i < len(changes); i += 2 {
			changed[int(changes[i])] = changes[i+1]
		}
		return changed
	}

	It("match in any order, and say how far they moved", func() {
		f := judged(rule, table(dog, with(cat, 2, 11, 4, 0.85)), table(cat, dog))
		Expect(f.Pass).To(BeTrue())
		Expect(counts(f)).To(Equal([]int{2, 0, 0}))
		Expect(measured(f, "worst IoU")).To(BeNumerically("~", 100./110, 1e-12))
		Expect(measured(f, "largest shift of a corner")).To(Equal(1.))
		Expect(measured(f, "largest score change")).To(BeNumerically("~", 0.05, 1e-12))
		Expect(f.Text()).To(ContainSubstring(
			"share of boxes matched at IoU 0.50:0.05:0.95: 1 1 1 1 1 1 1 1 1 0.5"))
		held := rule
		held.ScoreChange = 0.01
		Expect(judged(held, table(with(cat, 4, 0.85)), table(cat)).Reason).To(
			Equal("largest score change is 0.05, want at most 0.01"))
		held = rule
		held.BoxChange = 0.5
		Expect(judged(held, table(with(cat, 2, 11)), table(cat)).Pass).To(BeFalse())
	})

	It("name what is lost and what is extra", func() {
		f := judged(rule, table(dog), table(cat))
		Expect(counts(f)).To(Equal([]int{2, 2, 0}))
		Expect([]float64{measured(f, "lost"), measured(f, "extra")}).To(Equal([]float64{1, 1}))
		Expect(f.Flips[0].String()).To(Equal("image 0: nothing, expected class 1 at 0.9 " +
			"[0 0 10 10] (margin 0.4)"))
	})

	It("excuse what lies at the score's threshold, on either side", func() {
		Expect(counts(judged(rule, table(cat), table(cat, faint)))).To(Equal([]int{2, 0, 1}))
		Expect(counts(judged(rule, table(cat, faint), table(cat)))).To(Equal([]int{2, 0, 1}))
		Expect(counts(judged(rule, table(cat, with(faint, 4, 0.49)), table(cat, faint)))).
			To(Equal([]int{2, 0, 1}))
	})

	It("do not excuse a box that falls below the threshold from afar", func() {
		f := judged(rule, table(with(cat, 4, 0.49)), table(cat))
		Expect(counts(f)).To(Equal([]int{1, 1, 0}))
		Expect(f.Flips[0].Margin).To(BeNumerically("~", 0.4, 1e-12))
	})

	It("tell another class from another box", func() {
		f := judged(rule, table(with(dog, 5, 3)), table(dog))
		Expect(counts(f)).To(Equal([]int{1, 1, 0}))
		Expect(measured(f, "class flips")).To(Equal(1.))
	})

	It("excuse another class by the margin between the classes, where it is known", func() {
		wide := decisions.Layout{Packed: "y", Columns: "x0 y0 x1 y1 classes"}
		e := table([]float64{0, 0, 10, 10, 0.81, 0.8, 0})
		a := table([]float64{0, 0, 10, 10, 0.8, 0.81, 0})
		f := judged(decisions.Detections{Layout: wide, Score: 0.5, Margin: 0.02}, a, e)
		Expect(counts(f)).To(Equal([]int{1, 0, 1}))
		f = judged(decisions.Detections{Layout: wide, Score: 0.5, Margin: 0.005}, a, e)
		Expect(f.Flips[0].Margin).To(BeNumerically("~", 0.01, 1e-12))
		Expect(f.Pass).To(BeFalse())
	})

	It("fail a box that is not finite, and refuse one of the reference", func() {
		broken := table(with(cat, 0, math.NaN()))
		Expect(judged(rule, broken, table(cat)).Reason).To(ContainSubstring(
			"the actual run: detection 0 of image 0 is not finite"))
		Expect(refused(rule, table(cat), broken)).To(MatchError(ContainSubstring("the expected run: ")))
	})

	It("refuse two sides that find nothing", func() {
		none := table(with(cat, 4, 0.1))
		Expect(refused(rule, none, none)).To(MatchError(ContainSubstring("neither run found anything")))
		Expect(judged(rule, table(cat), none).Pass).To(BeFalse())
	})

	It("count at most as many of a class on each side as they are told to", func() {
		few := rule
		few.MaxDetections = 1
		second := with(cat, 0, 20, 2, 30, 4, 0.7)
		Expect(counts(judged(few, table(cat, second), table(cat, second)))).To(Equal([]int{1, 0, 0}))
		Expect(counts(judged(few, table(cat), table(cat, second)))).To(Equal([]int{1, 0, 0}))
		swapped := table(with(cat, 4, 0.7), with(second, 4, 0.9))
		Expect(counts(judged(few, swapped, table(cat, second)))).To(Equal([]int{2, 0, 0}))
		Expect(counts(judged(few, table(second), table(cat, second)))).To(Equal([]int{2, 1, 0}))
	})

	It("hold for a run and itself, whatever its boxes", func() {
		rows := [][]float64{{7, 7, 7, 7, 0.9, 1}, {9, 9, 1, 1, 0.8, 1}, {0, 0, 1e200, 1e200, 0.7, 1}}
		for i := range 150 { // COCO counts fewer per class
			rows = append(rows, with(cat, 0, float64(i), 2, float64(i+3), 4, 0.5+float64(i%7)/16))
		}
		same := rule
		same.ScoreChange, same.BoxChange = 1e-9, 1e-9
		for _, r := range []decisions.Detections{rule, same} {
			f := judged(r, table(rows...), table(rows...))
			Expect(f.Pass).To(BeTrue(), f.Text())
			Expect(f.Unexcused + f.Excused).To(BeZero())
			slices.Reverse(rows)
			Expect(judged(r, table(rows...), table(rows...)).Pass).To(BeTrue())
		}
	})

	DescribeTable("refuse rules that cannot be meant", func(rule decisions.Detections, says string) {
		Expect(refused(rule, table(cat), table(cat))).To(MatchError(ContainSubstring(says)))
	},
		Entry("an IoU above 1", decisions.Detections{Layout: layout, IoU: 2}, "IoU is 2"),
		Entry("a NaN score", decisions.Detections{Layout: layout, Score: math.NaN()}, "Score is NaN"),
		Entry("no layout", decisions.Detections{}, "the layout names no outputs"),
		Entry("both kinds", decisions.Detections{Layout: decisions.Layout{Packed: "y", Boxes: "b"}},
			"remove the other outputs"),
		Entry("an unknown column", decisions.Detections{Layout: decisions.Layout{Packed: "y",
			Columns: "x0 y0 x1 y1 conf"}}, `unknown column "conf"`),
		Entry("no box", decisions.Detections{Layout: decisions.Layout{Packed: "y",
			Columns: "x y w score class"}}, "contain no box"),
		Entry("no score", decisions.Detections{Layout: decisions.Layout{Packed: "y",
			Columns: "x y w h class"}}, "want either score and class"),
		Entry("classes in the middle", decisions.Detections{Layout: decisions.Layout{Packed: "y",
			Columns: "classes x y w h"}}, "classes must come last"),
		Entry("a column twice", decisions.Detections{Layout: decisions.Layout{Packed: "y",
			Columns: "x y w h h score class"}}, "named twice"),
	)
})

var _ = Describe("A layout", func() {
	box := decisions.Box{0, 0, 10, 20}
	read := func(l decisions.Layout, outputs *tensor.Set) [][]decisions.Detection {
		GinkgoHelper()
		images, err := l.Images(outputs, 0.25)
		Expect(err).NotTo(HaveOccurred())
		for i := range images {
			for k := range images[i] {
				images[i][k].Scores = nil
			}
		}
		return images
	}
	one := [][]decisions.Detection{{{Box: box, Score: 0.5, Class: 7}}}

	It("reads several tensors, of which a number is meant", func() {
		l := decisions.Layout{Boxes: "b", Scores: "s", Classes: "c", Count: "n"}
		Expect(read(l, set("b", shaped(tensor.Shape{1, 2, 4}, 0, 0, 10, 20, 1, 1, 2, 2.),
			"s", shaped[float32](tensor.Shape{1, 2}, 0.5, 0.9), "c", shaped[int64](tensor.Shape{1, 2}, 7, 1),
			"n", shaped[int32](tensor.Shape{1, 1}, 1)))).To(Equal(one))
	})

	It("reads tensors without an axis of images, in another form of box", func() {
		l := decisions.Layout{Boxes: "b", Scores: "s", Classes: "c", Columns: "y0 x0 y1 x1"}
		Expect(read(l, set("b", shaped(tensor.Shape{1, 4}, 0, 0, 20., 10), "s", tensor.Of(0.5),
			"c", tensor.Of[int64](7)))).To(Equal(one))
	})

	It("reads a score for each class, as YOLOv4 and DETR give them", func() {
		l := decisions.Layout{Boxes: "b", Scores: "s", Columns: "x y w h"}
		Expect(read(l, set("b", shaped(tensor.Shape{1, 1, 1, 4}, 0, 0, 10., 20),
			"s", shaped(tensor.Shape{1, 1, 8}, 0, 0, 0, 0, 0, 0, 0, 0.5)))).To(Equal(one))
	})

	It("reads DETR's logits, of which the last means no object", func() {
		l := decisions.Layout{Boxes: "b", Scores: "s", Columns: "x y w h", NoObject: true}
		logits := func(last float64) *tensor.Set {
			return set("b", shaped(tensor.Shape{1, 2, 4}, 0, 0, 10., 20, 1, 1, 2, 2), "s",
				shaped(tensor.Shape{1, 2, 3}, 0, math.Log(3), math.Log(2), 0, 0, last))
		}
		found := read(l, logits(9))
		Expect(found[0]).To(HaveLen(1))
		Expect(found[0][0].Class).To(Equal(1))
		Expect(found[0][0].Score).To(BeNumerically("~", 0.5, 1e-15)) // 3 of 1 + 3 + 2
		_, err := l.Images(logits(math.NaN()), 0.25)
		Expect(err).To(MatchError(ContainSubstring("detection 1 of image 0 is not finite")))
		l.Classes = "c"
		_, err = l.Images(logits(9), 0.25)
		Expect(err).To(MatchError(ContainSubstring("needs Scores with a logit per class")))
	})

	It("reads the head of YOLOv8, and suppresses", func() {
		l := decisions.Layout{Packed: "y", Columns: "cx cy w h classes", ChannelsFirst: true,
			Suppress: 0.7}
		head := shaped(tensor.Shape{1, 6, 3}, 5., 5, 100, 10, 10, 100, 10, 10, 5, 20, 20, 5,
			0, 0, 0.3, 0.5, 0.4, 0)
		Expect(read(l, set("y", head))).To(Equal([][]decisions.Detection{{
			{Box: box, Score: 0.5, Class: 1},
			{Box: decisions.Box{97.5, 97.5, 102.5, 102.5}, Score: 0.3, Class: 0}}}))
	})

	It("reads objectness times class, as YOLOv5 gives them", func() {
		l := decisions.Layout{Packed: "y", Columns: "cx cy w h objectness classes"}
		Expect(read(l, set("y", shaped(tensor.Shape{1, 1, 7}, 5., 10, 10, 20, 0.625, 0, 0.8)))).To(
			Equal([][]decisions.Detection{{{Box: box, Score: 0.5, Class: 1}}}))
	})

	It("reads scores without an axis of classes as one class", func() {
		l := decisions.Layout{Boxes: "b", Scores: "s"}
		Expect(read(l, set("b", shaped(tensor.Shape{2, 4}, 0., 0, 10, 20, 5, 5, 9, 9),
			"s", tensor.Of(0.5, 0.25)))).To(Equal([][]decisions.Detection{{
			{Box: decisions.Box{0, 0, 10, 20}, Score: 0.5},
			{Box: decisions.Box{5, 5, 9, 9}, Score: 0.25}}}))
	})

	It("reads the image from a column, and leaves out padding", func() {
		l := decisions.Layout{Packed: "y", Columns: "image class score x0 y0 x1 y1"}
		Expect(read(l, set("y", shaped(tensor.Shape{1, 1, 3, 7}, 1., 7, 0.5, 0, 0, 10, 20,
			-1, 0, 0, 0, 0, 0, 0, 0, -1, 0.9, 0, 0, 1, 1)))).To(
			Equal([][]decisions.Detection{nil, one[0]}))
	})

	DescribeTable("says what does not fit", func(l decisions.Layout, outputs func() *tensor.Set,
		says string) {
		_, err := l.Images(outputs(), 0)
		Expect(err).To(MatchError(ContainSubstring(says)))
	},
		Entry("a missing output", decisions.Layout{Boxes: "b", Scores: "s"},
			func() *tensor.Set { return set("b", tensor.Of(1.)) },
			`the layout names output "s"; the outputs are ["b"]`),
		Entry("boxes of others", decisions.Layout{Boxes: "b", Scores: "s", Classes: "c"},
			func() *tensor.Set {
				return set("b", shaped(tensor.Shape{1, 4}, 0, 0, 1, 1.), "s", tensor.Of(1., 2))
			}, "want 4 numbers for each box"),
		Entry("more than there are", decisions.Layout{Boxes: "b", Scores: "s", Classes: "c", Count: "n"},
			func() *tensor.Set {
				return set("b", shaped(tensor.Shape{1, 4}, 0, 0, 1, 1.), "s", tensor.Of(1.),
					"c", tensor.Of(1.), "n", tensor.Of[int64](9))
			}, "counts 9 boxes in image 0, but there are only 1"),
		Entry("another number of columns", decisions.Layout{Packed: "y", Columns: "x y w h score class"},
			func() *tensor.Set { return set("y", table([]float64{1, 2, 3, 4, 5})) }, "has 5 columns"),
		Entry("an image that cannot be", decisions.Layout{Packed: "y",
			Columns: "image x y w h score class"}, func() *tensor.Set {
			return set("y", table([]float64{1e9, 2, 3, 4, 5, 1, 1}))
		}, "row 0 has the image number 1e+09"),
	)
})
