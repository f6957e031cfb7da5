package plots_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/report/plots"
	"github.com/modelparity/modelparity/tensor"
)

func TestPlots(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Plots")
}

// compared compares two tensors of the same shape.
func compared(name string, actual, expected *tensor.Tensor) compare.Pair {
	GinkgoHelper()
	o, err := compare.Tensors(actual, expected, compare.Options{AllowEmpty: true,
		Checks: []compare.Check{compare.Within(0, 0, compare.Elementwise)}})
	Expect(err).NotTo(HaveOccurred())
	o.Name, o.ExpectedName = name, name
	return compare.Pair{Report: compare.Report{Verdict: compare.Fail,
		Outputs: []compare.Output{o}}}
}

func shaped[T tensor.Native](values []T, dims ...int) *tensor.Tensor {
	GinkgoHelper()
	t, err := tensor.Of(values...).Reshape(tensor.Shape(dims))
	Expect(err).NotTo(HaveOccurred())
	return t
}

// drawn returns the pictures of a pair, by file name.
func drawn(pair compare.Pair, kinds ...plots.Kind) map[string]image.Image {
	GinkgoHelper()
	saved, err := plots.Save(GinkgoT().TempDir(), []compare.Pair{pair}, kinds...)
	Expect(err).NotTo(HaveOccurred())
	Expect(saved.Notes).To(BeEmpty())
	pictures := map[string]image.Image{}
	for _, file := range saved.Files {
		data, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		picture, err := png.Decode(bytes.NewReader(data))
		Expect(err).NotTo(HaveOccurred(), file)
		pictures[filepath.Base(file)] = picture
	}
	return pictures
}

// These colours are searched in the pictures; the scale ends at the lightest.
var (
	nan      = color.RGBA{255, 0, 255, 255}
	infinite = color.RGBA{255, 60, 0, 255}
	zero     = color.RGBA{228, 228, 228, 255}
	greatest = color.RGBA{253, 231, 37, 255}
	least    = color.RGBA{68, 1, 84, 255}
)

// pixels counts the pixels of a colour, without the scale and the legend.
func pixels(picture image.Image, c color.RGBA) (n int) {
	GinkgoHelper()
	Expect(picture).To(BeAssignableToTypeOf(&image.RGBA{}))
	for y := range 700 {
		for x := range 855 {
			if picture.(*image.RGBA).RGBAAt(x, y) == c {
				n++
			}
		}
	}
	return n
}

var _ = Describe("heat maps", func() {
	It("keep one bad element of a million visible, wherever it is", func() {
		expected := make([]float32, 1<<20)
		for _, at := range []int{0, 234_567, len(expected) - 1} {
			actual := make([]float32, len(expected))
			actual[300], actual[at] = 1e-6, 0.5
			for name, picture := range drawn(compared("y", shaped(actual, 1, 1024, 1024),
				shaped(expected, 1, 1024, 1024)), plots.HeatMaps) {
				Expect(pixels(picture, greatest)).To(BeNumerically(">=", 1), "%s, %d", name, at)
				Expect(pixels(picture, zero)).To(BeNumerically(">", 100_000), name)
			}
		}
	})

	It("have colours for NaN, infinities, zero, and the ends of the scale", func() {
		values := []float64{1, math.NaN(), math.Inf(1), 2, 1e-9, 5}
		ones := []float64{1, 1, 1, 1, 0, 1}
		pictures := drawn(compared("y", shaped(values, 2, 3), shaped(ones, 2, 3)), plots.HeatMaps)
		Expect(pictures).To(HaveLen(2))
		for _, c := range []color.RGBA{nan, infinite, zero, greatest, least} {
			Expect(pixels(pictures["heatmap_y_absolute.png"], c)).To(BeNumerically(">", 10_000), "%v", c)
		}
	})

	It("show a difference of 1 between integers that are equal as float64", func() {
		expected := []int64{1 << 62, 0, 0, 7}
		actual := []int64{1<<62 + 1, 0, 0, 7}
		pictures := drawn(compared("y", tensor.Of(actual...), tensor.Of(expected...)), plots.HeatMaps)
		Expect(pixels(pictures["heatmap_y_absolute.png"], zero)).To(BeNumerically(">", 300_000))
		Expect(pixels(pictures["heatmap_y_absolute.png"], zero)).To(BeNumerically("<", 450_000))
		Expect(pixels(pictures["heatmap_y_relative.png"], nan)).To(BeZero(), "0 equals 0")
	})
})

var _ = Describe("pictures", func() {
	both := []plots.Kind{plots.HeatMaps, plots.Metrics}

	It("have the same bytes for the same values", func() {
		values := make([]float32, 10_000)
		for i := range values {
			values[i] = float32(math.Sin(float64(i) * float64(i)))
		}
		pair := compared("y", shaped(values, 100, 100), shaped(make([]float32, len(values)), 100, 100))
		var before map[string][]byte
		for range 3 {
			saved, err := plots.Save(GinkgoT().TempDir(), []compare.Pair{pair}, both...)
			Expect(err).NotTo(HaveOccurred())
			now := map[string][]byte{}
			for _, file := range saved.Files {
				now[filepath.Base(file)], err = os.ReadFile(file)
				Expect(err).NotTo(HaveOccurred())
			}
			if before != nil {
				Expect(now).To(Equal(before))
			}
			before = now
		}
	})

	It("have safe, unique names", func() {
		t := tensor.Of[float32](1)
		pair := compared("../a/b", t, t)
		for _, name := range []string{"../a_b", "a", "A", "", "a\x00\n", "层"} {
			pair.Report.Outputs = append(pair.Report.Outputs, compared(name, t, t).Report.Outputs...)
		}
		again := compared("a", t, t)
		again.Report.Outputs[0].Iteration = 2
		folder := filepath.Join(GinkgoT().TempDir(), "made")
		saved, err := plots.Save(folder, []compare.Pair{pair, again}, plots.Metrics)
		Expect(err).NotTo(HaveOccurred())
		Expect(filepath.Glob(filepath.Join(folder, "error_metrics_*.png"))).To(HaveLen(8))
		Expect(saved.Files).To(HaveLen(8))
		Expect(saved.Files).To(ContainElements(filepath.Join(folder, "error_metrics_a_pair0.png"),
			filepath.Join(folder, "error_metrics_a_pair1_iteration2.png")))
	})

	It("are omitted with a note if values were not compared", func() {
		o, err := compare.Tensors(tensor.Of[float32](1, 2), tensor.Of[float32](1), compare.Options{
			Checks: []compare.Check{compare.Within(0, 0, compare.Elementwise)}})
		Expect(err).NotTo(HaveOccurred())
		o.Name = "y"
		folder := filepath.Join(GinkgoT().TempDir(), "none")
		saved, err := plots.Save(folder, []compare.Pair{{Report: compare.Report{
			Outputs: []compare.Output{o, {Name: "lost"}}}}}, both...)
		Expect(err).NotTo(HaveOccurred())
		Expect(saved.Files).To(BeEmpty())
		Expect(saved.Notes).To(HaveExactElements(
			`no picture of "y": its values were not compared`,
			`no picture of "lost": its values were not compared`))
		Expect(folder).NotTo(BeADirectory())
	})

	It("name the path if writing fails", func() {
		file := filepath.Join(GinkgoT().TempDir(), "file")
		Expect(os.WriteFile(file, nil, 0o600)).To(Succeed())
		t := tensor.Of[float32](1)
		_, err := plots.Save(file, []compare.Pair{compared("y", t, t)}, plots.HeatMaps)
		Expect(err).To(MatchError(ContainSubstring(file)))
	})

	It("are drawn for failed outcomes, for ginkgoreport.Save", func() {
		pair := compared("y", tensor.Of[float32](1, 2), tensor.Of[float32](1, 3))
		Expect(plots.Draw(GinkgoT().TempDir(), pair)).To(HaveExactElements(
			HaveSuffix("heatmap_y_absolute.png"), HaveSuffix("heatmap_y_relative.png"),
			HaveSuffix("error_metrics_y.png")))
	})
})

// FuzzAnyBits draws random bits as any element type in any shape.
func FuzzAnyBits(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, []byte{8, 7, 6, 5, 4, 3, 2, 1}, uint8(2), uint8(2))
	f.Fuzz(func(t *testing.T, a, b []byte, elem, columns uint8) {
		all := tensor.ElementTypes()
		of := all[int(elem)%len(all)]
		if of == tensor.String || of == tensor.Bool {
			return
		}
		n := min(len(a), len(b), 4096) * 8 / of.Bits()
		size := (n*of.Bits() + 7) / 8
		shape := tensor.Shape{n}
		if columns > 0 && n%int(columns) == 0 {
			shape = tensor.Shape{n / int(columns), int(columns)}
		}
		x, err := tensor.FromBytes(of, shape, a[:size])
		if err != nil {
			return
		}
		y, err := tensor.FromBytes(of, shape, b[:size])
		if err != nil {
			return
		}
		o, err := compare.Tensors(x, y, compare.Options{AllowEmpty: true,
			Checks: []compare.Check{compare.Within(0, 0, compare.Elementwise)}})
		if err != nil {
			return
		}
		_, err = plots.Save(t.TempDir(), []compare.Pair{{Report: compare.Report{
			Outputs: []compare.Output{o}}}}, plots.HeatMaps, plots.Metrics)
		if err != nil {
			t.Fatal(err)
		}
	})
}
