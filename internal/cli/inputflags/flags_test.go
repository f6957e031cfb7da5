package inputflags_test

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/cli/inputflags"
	"github.com/modelparity/modelparity/internal/testing/flagtest"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// given sets the flags of a command line.
func given(line string) (*inputflags.Flags, error) {
	var f inputflags.Flags
	if err := flagtest.Set(f.List(), line); err != nil {
		return &f, err
	}
	return &f, f.Check()
}

// model declares an image of any batch.
var model = loaders.ONNXBytes("m.onnx", onnxtest.Model{Graph: onnxtest.Graph{
	Inputs: []onnxtest.Value{{Name: "image", Elem: 1, Dims: []any{"batch", 2}}}}}.Bytes())

var _ = It("takes assumed shapes for inputs that --input-shapes leaves out", func() {
	var f inputflags.Flags
	Expect(flagtest.Set(f.List(), "--input-shapes a*:[2]")).To(Succeed())
	f.Assume(map[string]tensor.Shape{"ab": {3}, "c": {4, 5}})
	Expect(f.Code(nil)).To(Equal(
		`fixtures.Random(model, fixtures.Shape("a*", 2), fixtures.Shape("c", 4, 5))`))
})

var _ = Describe("flags of inputs", func() {
	DescribeTable("become inputs", func(line, want string) {
		f, err := given(line)
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Inputs(model).Origin().Text).To(Equal(want))
	},
		Entry("none: Polygraphy's", "", "random, seed 1, values in [0,1]"),
		Entry("a seed, the last of two", "--seed 3 --seed 7", "random, seed 7, values in [0,1]"),
		Entry("ranges", "--val-range [-1,1] image:[0,255]",
			"random, seed 1, values in [-1,1], image in [0,255]"),
		Entry("a count", "--iterations 3", "random, seed 1, values in [0,1], 3 iterations"),
		Entry("a shape", "--input-shapes image:[8,2]",
			"random, seed 1, values in [0,1], image=[8,2]"),
		Entry("NumPy, whose numbers these are", "--data-loader-backend-module numpy",
			"random, seed 1, values in [0,1]"),
	)

	It("give one iteration for each shape of an input, and remember the last", func() {
		f, err := given("--input-shapes image:[1,2] image:[3,2]")
		Expect(err).NotTo(HaveOccurred())
		var shapes []tensor.Shape
		for set, err := range f.Inputs(model).All() {
			Expect(err).NotTo(HaveOccurred())
			shapes = append(shapes, set.At(0).Tensor.Shape())
		}
		Expect(shapes).To(Equal([]tensor.Shape{{1, 2}, {3, 2}}))
		Expect(f.Shapes()).To(Equal(map[string]tensor.Shape{"image": {3, 2}}))
	})

	It("load saved inputs, one file after the other", func() {
		path := filepath.Join(GinkgoT().TempDir(), "in.json")
		Expect(fixtures.Save(path, fixtures.Random(model, fixtures.Iterations(2)))).To(Succeed())
		f, err := given("--load-inputs " + path + " " + path)
		Expect(err).NotTo(HaveOccurred())
		sets := 0
		for _, err := range f.Inputs(model).All() {
			Expect(err).NotTo(HaveOccurred())
			sets++
		}
		Expect(sets).To(Equal(4))
		Expect(os.Remove(path)).To(Succeed())
	})

	It("cast saved inputs to the types of the model", func() {
		path := filepath.Join(GinkgoT().TempDir(), "in.npz")
		image, err := tensor.New(tensor.Shape{1, 2}, []float64{1, 2})
		Expect(err).NotTo(HaveOccurred())
		set, err := tensor.NewSet(tensor.Entry{Name: "image", Tensor: image})
		Expect(err).NotTo(HaveOccurred())
		Expect(fixtures.Save(path, fixtures.Of(set))).To(Succeed())
		f, err := given("--cast-inputs --load-inputs " + path)
		Expect(err).NotTo(HaveOccurred())
		for set, err := range f.Inputs(model).All() {
			Expect(err).NotTo(HaveOccurred())
			Expect(set.At(0).Tensor.ElementType()).To(Equal(tensor.Float32))
		}
	})

	DescribeTable("say what to write", func(line, says string) {
		_, err := given(line)
		Expect(err).To(MatchError(ContainSubstring(says)))
	},
		Entry("an unknown flag", "--frobnicate 1", "unknown flag --frobnicate"),
		Entry("a flag without its word", "--seed", "--seed needs a value"),
		Entry("a seed", "--seed x", `"x" is not an integer`),
		Entry("a count", "--iterations 0", `"0" is not a whole number of at least 1`),
		Entry("a shape", "--input-shapes 1,2", "write image:[1,3,224,224]"),
		Entry("a range", "--val-range 1", "write [-1,1]"),
		Entry("another source of numbers", "--data-loader-backend-module torch", "want numpy"),
		Entry("saved inputs with a seed", "--load-inputs x.json --seed 3", "drop --input-shapes"),
		Entry("nothing that could be cast", "--cast-inputs", "add --load-inputs FILE"),
		Entry("saved inputs with a shape", "--input-shapes image:[1,2] --load-inputs x.json",
			"drop --input-shapes"),
	)

	It("give way to inputs that a script made, and go with none of them", func() {
		var f inputflags.Flags
		made := fixtures.Of()
		Expect(f.Use(made)).To(Succeed())
		Expect(f.Check()).To(Succeed())
		Expect(f.Inputs(model).Origin()).To(Equal(made.Origin()))
		Expect(f.Use(made)).To(MatchError(ContainSubstring("only one script can make the inputs")))
		Expect(flagtest.Set(f.List(), "--seed 3")).To(Succeed())
		Expect(f.Check()).To(MatchError(ContainSubstring("a script makes the inputs; drop")))
	})
})
