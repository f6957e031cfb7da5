package relations_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/fickle"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/relations"
	"github.com/modelparity/modelparity/tensor"
)

// declared is a model that only has a declaration.
type declared struct{ inputs, outputs []loaders.Value }

func (d declared) Name() string                      { return "net" }
func (d declared) Inputs() ([]loaders.Value, error)  { return d.inputs, nil }
func (d declared) Outputs() ([]loaders.Value, error) { return d.outputs, nil }

func float(name string, dims ...any) loaders.Value {
	v := loaders.Value{Name: name, Type: tensor.Float32, HasShape: true}
	for _, d := range dims {
		switch d := d.(type) {
		case int:
			v.Dims = append(v.Dims, loaders.Dim{Size: d}) // -1 is a size without a name
		case string:
			v.Dims = append(v.Dims, loaders.Dim{Size: -1, Symbol: d})
		}
	}
	return v
}

// echo returns its input x as y.
var echo = fake.Engine(fake.Func(func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
	x, _ := in.Get("x")
	return tensor.NewSet(tensor.Entry{Name: "y", Tensor: x})
}))

// ranged is an engine without a profile that can be built for one.
type ranged struct{ backends.Engine }

func (r ranged) Capabilities() backends.Capabilities {
	return backends.Capabilities{
		Profiles: func([]backends.Profile, int) backends.Engine { return r }}
}

func net(in, out loaders.Value) declared {
	return declared{[]loaders.Value{in}, []loaders.Value{out}}
}

func of(ctx context.Context, e backends.Engine, m declared, dims ...int) backends.Subject {
	return backends.Subject{Engine: e, Model: m,
		Inputs: fixtures.Random(m, fixtures.Shape("x", dims...))}
}

var _ = Describe("a relation that cannot be judged", func() {
	DescribeTable("does not pass, and has a remedy",
		func(ctx SpecContext, m declared, dims []int, o relations.Options, r relations.Relation,
			why string) {
			report, err := relations.Check(ctx, of(ctx, echo, m, dims...), o, r)
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Holds()).To(BeFalse())
			Expect(report.Primary()).To(BeNil(), report.Text())
			Expect(report.Refused()).NotTo(BeNil())
			Expect(report.Refused().Refused).To(ContainSubstring(why))
			Expect(report.Text()).To(ContainSubstring("not judged: "))
		},
		Entry("a fixed batch", net(float("x", 2, 4), float("y", 2, 4)), []int{2, 4},
			relations.Options{}, relations.Batch(), "export the model with a dynamic batch"),
		Entry("a dynamic dimension other than a batch", net(float("x", 1, "seq"), float("y", 1, "seq")),
			[]int{1, 4}, relations.Options{}, relations.Rows(), `set the batch axis: Along("*", 0)`),
		Entry("dimensions without names, of which any could be the batch", // as in silero-vad
			declared{[]loaders.Value{float("x", -1, -1), float("state", 2, -1, 4)},
				[]loaders.Value{float("y", -1, 1)}},
			[]int{2, 4}, relations.Options{}, relations.Batch(), "Along(input, axis) for each input"),
		Entry("an image's dimensions without names", net(float("x", -1, 3, -1, -1), float("y", -1, 2)),
			[]int{2, 3, 4, 4}, relations.Options{}, relations.Rows(), `Along("*", 0)`),
		Entry("an axis that is not dynamic", net(float("x", "batch", 4), float("y", "batch", 4)),
			[]int{2, 4}, relations.Options{Along: map[string]int{"x": 1}}, relations.Batch(),
			"axis 1 of input x"),
		Entry("an axis of an unknown input", net(float("x", "batch", 4), float("y", "batch", 4)),
			[]int{2, 4}, relations.Options{Along: map[string]int{"z": 0}}, relations.Order(),
			`the model has no input "z"; it has `),
		Entry("a symbol that an input has twice", net(float("x", "n", "n"), float("y", "n", "n")),
			[]int{2, 2}, relations.Options{}, relations.Batch(), `has the dimension "n" twice`),
		Entry("a square matrix", net(float("x", "n", "n"), float("y", "n", "n")), []int{2, 2},
			relations.Options{}, relations.Rows(),
			"if the model has no batch axis, leave out this relation"),
		Entry("a square matrix of one size", net(float("x", 4, 4), float("y", 4, 4)), []int{4, 4},
			relations.Options{}, relations.Rows(), "if it has no batch axis, leave out this relation"),
		Entry("a square matrix of one size, with an axis", net(float("x", 4, 4), float("y", 4, 4)),
			[]int{4, 4}, relations.Options{Along: map[string]int{"*": 0}}, relations.Rows(),
			"if it has no batch axis, leave out this relation"),
		Entry("outputs without a batch", net(float("x", "batch", 4), float("z", "batch", 4)),
			[]int{0, 4}, relations.Options{}, relations.Batch(), "the inputs have no rows"),
		Entry("an engine without threads", net(float("x", "batch", 4), float("y", "batch", 4)),
			[]int{2, 4}, relations.Options{}, relations.Threads(),
			"has no option for the number of threads"),
		Entry("an engine without profiles", net(float("x", "batch", 4), float("y", "batch", 4)),
			[]int{2, 4}, relations.Options{}, relations.Profiles(),
			`is not built for a range of shapes; leave out the relation "profiles"`),
		Entry("a run that repeats once", net(float("x", "batch", 4), float("y", "batch", 4)),
			[]int{2, 4}, relations.Options{}, relations.Repeat(1),
			"there is nothing to compare; ask for 2 or more"),
		Entry("no release", net(float("x", "batch", 4), float("y", "batch", 4)),
			[]int{2, 4}, relations.Options{}, relations.Releases(), "name at least one, such as \"1.24.4\""),
		Entry("a mask that does not exist", net(float("x", "batch", 4), float("y", "batch", 4)),
			[]int{2, 4}, relations.Options{}, relations.Padding(1, "mask"),
			`the model has no input "mask"; it has `),
		Entry("a mask that is fixed", net(float("x", "batch", 4), float("y", "batch", 4)),
			[]int{2, 4}, relations.Options{}, relations.Padding(1, "x"),
			"is not dynamic; name a dynamic axis"),
		Entry("a mask without a sequence", net(float("x", "batch", "seq"), float("y", "batch", "seq")),
			[]int{2, 4}, relations.Options{}, relations.Padding(1, "x"), "there is nothing to pad"),
		Entry("a transform that changes nothing", net(float("x", "batch", 4), float("y", "batch", 4)),
			[]int{2, 4}, relations.Options{}, relations.Under(relations.Scaled(1)),
			"does not change the inputs"),
		Entry("the zero relation", net(float("x", "batch", 4), float("y", "batch", 4)),
			[]int{2, 4}, relations.Options{}, relations.Relation{}, "the zero Relation"),
	)

	DescribeTable("is padding that changes an output's length, unless its values decide the length",
		func(ctx SpecContext, length func(x []float32) int, verdict, why string) {
			m := declared{[]loaders.Value{float("x", "n", "t"), float("mask", "n", "t")},
				[]loaders.Value{float("y", "k")}}
			engine := fake.Engine(fake.Func(func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
				x, _ := in.Get("x")
				values, err := tensor.Values[float32](x)
				if err != nil {
					return nil, err
				}
				n := length(values)
				y, err := tensor.New(tensor.Shape{n}, make([]float32, n))
				if err != nil {
					return nil, err
				}
				return tensor.NewSet(tensor.Entry{Name: "y", Tensor: y})
			}))
			s := backends.Subject{Engine: engine, Model: m, Inputs: fixtures.Random(m,
				fixtures.Shape("x", 1, 8), fixtures.Shape("mask", 1, 8), fixtures.ValRange(1.0, 2.0))}
			report, err := relations.Check(ctx, s, relations.Options{}, relations.Padding(1, "mask"))
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Holds()).To(BeFalse())
			Expect(report.Text()).To(And(ContainSubstring(verdict), ContainSubstring(why)))
		},
		Entry("half as long", func(x []float32) int { return (len(x) + 1) / 2 }, "not judged",
			`output "y" has the shape [4] for 8 positions, but [5] for 9, so it is unclear which elements `+
				"belong to the padding; leave it out of the model "+
				"with modelparity surgeon extract --outputs"),
		Entry("as long as the values in the padding say", func(x []float32) int {
			return len(slices.DeleteFunc(slices.Clone(x), func(v float32) bool { return v == 0 }))
		}, "padded from 8 to 9 positions with other values", "[9], expected float32[8]"),
	)

	It("names the batch axis that was set, if the engine rejects such a batch", func(ctx SpecContext) {
		square := fake.Engine(fake.Func(func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
			x, _ := in.Get("x")
			if x.Shape()[0] != x.Shape()[1] {
				return nil, errors.New("MatMul: shapes do not fit")
			}
			return tensor.NewSet(tensor.Entry{Name: "y", Tensor: x})
		}))
		report, err := relations.Check(ctx, of(ctx, square, net(float("x", "n", "n"),
			float("y", "n", "n")), 3, 3), relations.Options{Along: map[string]int{"*": 0}}, relations.Rows())
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Refused().Refused).To(And(ContainSubstring("MatMul"), HaveSuffix(
			"if the model has no batch axis, leave out this relation"), ContainSubstring(
			`the assumed batch axis is axis 0 of "x" (n); if it is wrong, `)))
	})

	It("is reported before anything runs, if no axis is known to be the batch", func(ctx SpecContext) {
		var runs atomic.Int32
		counts := fake.Engine(fake.Func(func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
			runs.Add(1)
			x, _ := in.Get("x")
			return tensor.NewSet(tensor.Entry{Name: "y", Tensor: x})
		}))
		m := net(float("x", -1, -1), float("y", -1, -1))
		all := []relations.Relation{relations.Repeat(2), relations.Rows(), relations.Order()}
		report, err := relations.Check(ctx, of(ctx, counts, m, 3, 4), relations.Options{}, all...)
		Expect(err).NotTo(HaveOccurred())
		Expect(runs.Load()).To(BeZero())
		Expect(report.Holds()).To(BeFalse())
		Expect(report.Headline()).To(ContainSubstring("rows could not be judged: cannot tell"))
		Expect(report.Results).To(HaveLen(2))
		told, err := relations.Check(ctx, of(ctx, counts, m, 3, 4),
			relations.Options{Along: map[string]int{"x": 0}}, all...)
		Expect(err).NotTo(HaveOccurred())
		Expect(told.Holds()).To(BeTrue(), told.Text())
	})

	It("is an error, not a pass, if the engine rejects a batch", func(ctx SpecContext) {
		infer := func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
			x, _ := in.Get("x")
			if x.Shape()[0] > 2 {
				return nil, errors.New("Reshape: 12 elements for [2,4]")
			}
			return tensor.NewSet(tensor.Entry{Name: "y", Tensor: x})
		}
		fixedInside := fake.Engine(fake.Func(infer))
		m := net(float("x", "batch", 4), float("y", "batch", 4))
		report, err := relations.Check(ctx, of(ctx, fixedInside, m, 2, 4), relations.Options{},
			relations.Batch())
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Refused().Refused).To(And(ContainSubstring("a batch of 3: "),
			ContainSubstring("Reshape"), ContainSubstring(`axis 0 of "x" (batch); if it is wrong, set`)))
		sized, err := relations.Check(ctx, of(ctx, fixedInside, m, 2, 4),
			relations.Options{Sizes: []int{1, 2}}, relations.Batch())
		Expect(err).NotTo(HaveOccurred())
		Expect(sized.Holds()).To(BeTrue(), sized.Text())
		Expect(sized.Text()).To(ContainSubstring("tried batches of 1, 2 rows"))
	})

	It("does not name a profile that the engine lacks", func(ctx SpecContext) {
		m := net(float("x", "batch", 4), float("y", "batch", 4))
		report, err := relations.Check(ctx, of(ctx, ranged{echo}, m, 0, 4), relations.Options{},
			relations.Profiles())
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Refused().Refused).To(And(ContainSubstring("pass larger inputs"),
			Not(ContainSubstring("profile"))))
	})

	DescribeTable("is an error, not a failure, if each row has several elements in the output",
		func(ctx SpecContext, dim string, r relations.Relation, why string) {
			flat := fake.Engine(fake.Func(func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
				x, _ := in.Get("x")
				boxes, err := x.Reshape(tensor.Shape{2 * x.Shape()[0], 3})
				if err != nil {
					return nil, err
				}
				return tensor.NewSet(tensor.Entry{Name: "y", Tensor: boxes})
			}))
			m := net(float("x", "batch", 6), float("y", dim, 3))
			report, err := relations.Check(ctx, of(ctx, flat, m, 2, 6), relations.Options{}, r)
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Primary()).To(BeNil(), report.Text())
			Expect(report.Text()).To(ContainSubstring(why))
		},
		Entry("rows, which the exporter declared as the batch", "batch", relations.Rows(),
			"no output has a batch axis"),
		Entry("batch", "batch", relations.Batch(), "no output has a batch axis"),
		Entry("order", "batch", relations.Order(),
			`the shape of output "y" depends on the number of rows`),
		Entry("order of boxes", "boxes", relations.Order(), "no two outputs were compared"),
	)

	It("is an error if the model has no inputs", func(ctx SpecContext) {
		m := declared{nil, []loaders.Value{float("y", "batch", 4)}}
		s := backends.Subject{Engine: echo, Model: m, Inputs: fixtures.Random(m)}
		report, err := relations.Check(ctx, s, relations.Options{}, relations.Batch())
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Refused().Refused).To(ContainSubstring("the model has no inputs"))
	})

	It("is an error if outputs are empty and nothing was compared", func(ctx SpecContext) {
		empty, err := tensor.New(tensor.Shape{0}, []float32{})
		Expect(err).NotTo(HaveOccurred())
		m := net(float("x", "batch", 4), float("y", "boxes"))
		report, err := relations.Check(ctx, of(ctx, fake.Engine(fake.Output("y", empty)), m, 2, 4),
			relations.Options{}, relations.Repeat(2))
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Refused().Refused).To(ContainSubstring("no two outputs were compared"))
	})

	It("is an error if all rows are equal, since swaps would not show", func(ctx SpecContext) {
		m := declared{[]loaders.Value{{Name: "x", Type: tensor.Int64, HasShape: true,
			Dims: []loaders.Dim{{Size: -1, Symbol: "batch"}, {Size: 3}}}},
			[]loaders.Value{float("y", "batch", 3)}}
		s := of(ctx, echo, m, 2, 3)
		s.Inputs = fixtures.Random(m, fixtures.Shape("x", 2, 3), fixtures.ValRange(7, 7))
		report, err := relations.Check(ctx, s, relations.Options{}, relations.Batch())
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Refused().Refused).To(ContainSubstring("pass inputs whose rows differ"))
	})

	DescribeTable("by misuse is an error", func(ctx SpecContext, o relations.Options, why string,
		list ...relations.Relation) {
		_, err := relations.Check(ctx, subject(ctx, fickle.None, 2), o, list...)
		Expect(err).To(MatchError(ContainSubstring(why)))
	},
		Entry("no relation", relations.Options{}, "no relation to check"),
		Entry("two rules", relations.Options{Rule: relations.Rule{Noise: true,
			Checks: []compare.Check{compare.ULP(1)}}}, "set only one of them", relations.Batch()),
		Entry("a size of 0", relations.Options{Sizes: []int{0, 1}}, "must be 1 or more",
			relations.Batch()),
		Entry("one size", relations.Options{Sizes: []int{4, 4}}, "a comparison needs two different sizes",
			relations.Batch()),
		Entry("a negative axis", relations.Options{Along: map[string]int{"x": -1}},
			"axes are numbered from 0", relations.Batch()),
	)

	It("is an error of a run from a file", func(ctx SpecContext) {
		_, err := relations.Check(ctx, backends.Subject{}, relations.Options{}, relations.Batch())
		Expect(err).To(MatchError(ContainSubstring("the run was read from a file")))
	})
})
