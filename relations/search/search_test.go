package search_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/relations/search"
	"github.com/modelparity/modelparity/tensor"
)

const width = 8

// net declares x[batch,8] and y[batch,8].
type net struct{}

func (net) Name() string { return "net" }
func (net) Inputs() ([]loaders.Value, error) {
	return []loaders.Value{{Name: "x", Type: tensor.Float32, HasShape: true,
		Dims: []loaders.Dim{{Size: -1, Symbol: "batch"}, {Size: width}}}}, nil
}

// hollow declares x[batch,0].
type hollow struct{ net }

func (hollow) Inputs() ([]loaders.Value, error) {
	return []loaders.Value{{Name: "x", Type: tensor.Float32, HasShape: true,
		Dims: []loaders.Dim{{Size: -1, Symbol: "batch"}, {Size: 0}}}}, nil
}

// decoder declares any inputs.
type decoder []loaders.Value

func (decoder) Name() string                       { return "decoder" }
func (d decoder) Inputs() ([]loaders.Value, error) { return d, nil }

// named declares an input with dynamic dimensions.
func named(input string, symbols ...string) loaders.Value {
	v := loaders.Value{Name: input, Type: tensor.Float32, HasShape: true}
	for _, symbol := range symbols {
		v.Dims = append(v.Dims, loaders.Dim{Size: -1, Symbol: symbol})
	}
	return v
}

// engine computes y = x·w in column order, with a fault for certain inputs.
func engine(faulty func(x []float32) bool) backends.Engine {
	return fake.Engine(fake.Func(func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
		given, _ := in.Get("x")
		x, err := tensor.Values[float32](given)
		if err != nil {
			return nil, err
		}
		y := make([]float32, len(x))
		for i, v := range x {
			y[i] = v * (1 + float32(i%width)/width)
		}
		if faulty != nil && faulty(x) {
			for i := range y {
				y[i] = y[i]*1.01 + 0.01
			}
		}
		t, err := tensor.New(given.Shape(), y)
		if err != nil {
			return nil, err
		}
		return tensor.NewSet(tensor.Entry{Name: "y", Tensor: t})
	}))
}

func subject(ctx context.Context, faulty func([]float32) bool) backends.Subject {
	return backends.Subject{Engine: engine(faulty), Model: net{},
		Inputs: fixtures.Random(net{}, fixtures.Shape("x", 2, width))}
}

func some(is func(v float64) bool) func([]float32) bool {
	return func(x []float32) bool {
		return slices.ContainsFunc(x, func(v float32) bool { return is(float64(v)) })
	}
}

func every(is func(v float64) bool) func([]float32) bool {
	return func(x []float32) bool {
		return !slices.ContainsFunc(x, func(v float32) bool { return !is(float64(v)) })
	}
}

// planted are faults that depend on the inputs.
var planted = map[string]func(x []float32) bool{
	"a value above 100":            some(func(v float64) bool { return v > 100 }),
	"a negative value":             some(func(v float64) bool { return v < 0 }),
	"a zero":                       some(func(v float64) bool { return v == 0 }),
	"nothing but zeros":            every(func(v float64) bool { return v == 0 }),
	"a negative zero":              some(func(v float64) bool { return v == 0 && math.Signbit(v) }),
	"a denormal value":             some(func(v float64) bool { return within(v, 0, 0x1p-126) }),
	"a value beyond 1e30":          some(func(v float64) bool { return math.Abs(v) > 1e30 }),
	"beyond float16, from 65504":   some(func(v float64) bool { return v == 65504 }),
	"one magnitude, from 4 to 8":   every(func(v float64) bool { return v >= 4 && v < 8 }),
	"integers alone":               every(whole),
	"exactly one":                  some(func(v float64) bool { return v == 1 }),
	"beyond the 24 bits":           some(func(v float64) bool { return v > 0x1p24 && v < 0x1p25 }),
	"where exp overflows":          some(func(v float64) bool { return v > 88 && v < 104 }),
	"a tiny value":                 some(func(v float64) bool { return within(v, 0x1p-126, 1e-20) }),
	"a batch of 7":                 func(x []float32) bool { return len(x) == 7*width },
	"a batch above 16":             func(x []float32) bool { return len(x) > 16*width },
	"one constant":                 func(x []float32) bool { return slices.Min(x) == slices.Max(x) },
	"falling values":               func(x []float32) bool { return descends(x) },
	"two equal neighbours":         func(x []float32) bool { return x[0] == x[1] },
	"one element that is not zero": func(x []float32) bool { return nonzero(x) == 1 },
	"a sum above 1000":             func(x []float32) bool { return sum(x) > 1000 && sum(x) < 1e6 },
	"a batch of 5":                 func(x []float32) bool { return len(x) == 5*width },
	"a batch of 23":                func(x []float32) bool { return len(x) == 23*width },
	"a batch of 64":                func(x []float32) bool { return len(x) == 64*width },
	"half zeros":                   func(x []float32) bool { return 2*nonzero(x) == len(x) },
	"nine of ten zeros":            func(x []float32) bool { return within(zeros(x), 0.85, 0.95) },
	"a norm from 9 to 10":          func(x []float32) bool { return within(norm(x), 9, 10) },
	"a norm from 0.11 to 0.125":    func(x []float32) bool { return within(norm(x), 0.11, 0.125) },
	"values from 2.5 to 3.5":       every(func(v float64) bool { return v >= 2.5 && v <= 3.5 }),
	"values near -7":               every(func(v float64) bool { return within(v+7, -1, 0.3) }),
	"a value near 3.3":             some(func(v float64) bool { return within(v-3.3, -1, 0.05) }),
	"sums that cancel": func(x []float32) bool {
		return math.Abs(sum(x)) < 1e-6 && slices.Max(x) > 0.5
	},
}

func norm(x []float32) float64 {
	square := 0.0
	for _, v := range x {
		square += float64(v) * float64(v)
	}
	return math.Sqrt(square)
}

// zeros is the share of zeros.
func zeros(x []float32) float64 { return 1 - float64(nonzero(x))/float64(len(x)) }

// within reports whether the magnitude is between lo and hi.
func within(v, lo, hi float64) bool { return math.Abs(v) > lo && math.Abs(v) < hi }

func whole(v float64) bool { return v != 0 && v == math.Round(v) }

func descends(x []float32) bool {
	for i := range x[1:] {
		if x[i] <= x[i+1] {
			return false
		}
	}
	return true
}

func nonzero(x []float32) (n int) {
	for _, v := range x {
		if v != 0 {
			n++
		}
	}
	return n
}

func sum(x []float32) (s float64) {
	for _, v := range x {
		s += float64(v)
	}
	return s
}

var rule = compare.Options{Checks: []compare.Check{compare.Within(1e-5, 1e-5, compare.Elementwise)}}

// trials is the number of inputs for the search and for random draws: a few seconds.
const trials = 4000

var _ = Describe("the search for inputs", func() {
	It("finds every planted fault, while random inputs miss most", func(ctx SpecContext) {
		missed := 0
		random := rand.New(rand.NewPCG(1, 1))
		for name, faulty := range planted {
			began := time.Now()
			f, err := search.Between(ctx, subject(ctx, faulty), subject(ctx, nil),
				search.Options{Rule: rule, Trials: trials, Seed: 1})
			Expect(err).NotTo(HaveOccurred())
			Expect(f.Parts()).To(BeTrue(), name)
			took := time.Since(began)
			Expect(took).To(BeNumerically("<", time.Minute), name)
			GinkgoWriter.Printf("%s: input %d, %v with shrinking\n", name, f.Trial, took)
			x, _ := f.Inputs.Get("x")
			values, err := tensor.Values[float32](x)
			Expect(err).NotTo(HaveOccurred())
			Expect(faulty(values)).To(BeTrue(), name+": the shrunk inputs still show the fault")

			hit := false
			for range trials {
				drawn := make([]float32, 2*width)
				for i := range drawn {
					drawn[i] = random.Float32()
				}
				hit = hit || faulty(drawn)
			}
			if !hit {
				missed++
			}
		}
		GinkgoWriter.Printf("%d random inputs miss %d of %d\n", trials, missed, len(planted))
		Expect(len(planted)).To(BeNumerically(">=", 20))
		Expect(missed).To(BeNumerically(">=", 15))
	})

	It("shrinks inputs to the fewest and roundest elements", func(ctx SpecContext) {
		f, err := search.Between(ctx, subject(ctx, planted["a value above 100"]), subject(ctx, nil),
			search.Options{Rule: rule, Trials: trials, Seed: 1})
		Expect(err).NotTo(HaveOccurred())
		x, _ := f.Inputs.Get("x")
		Expect(x.Shape()).To(Equal(tensor.Shape{1, width}))
		values, err := tensor.Values[float32](x)
		Expect(err).NotTo(HaveOccurred())
		Expect(nonzero(values)).To(Equal(1))
		Expect(f.Text()).To(And(ContainSubstring("the sides differ on "),
			ContainSubstring("the smallest inputs on which the sides differ:\n    x: float32[1,8]")))
		again, err := search.Between(ctx, subject(ctx, planted["a value above 100"]), subject(ctx, nil),
			search.Options{Rule: rule, Trials: trials, Seed: 1})
		Expect(err).NotTo(HaveOccurred())
		other, _ := again.Inputs.Get("x")
		Expect(other.Bytes()).To(Equal(x.Bytes()), "equal seeds give equal results")
	})

	It("changes many inputs towards a growing error", func(ctx SpecContext) {
		curved := func(x []float32) bool { // a narrow ridge in two elements
			return math.Abs(float64(x[0])-37.25) < 0.5 && x[1] < -3
		}
		graded := fake.Engine(fake.Func(func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
			given, _ := in.Get("x")
			x, _ := tensor.Values[float32](given)
			y := slices.Clone(x)
			y[0] += float32(1e-4/(1+math.Abs(float64(x[0])-37.25))) * max(1, x[0])
			if curved(x) {
				y[0] += 1
			}
			t, err := tensor.New(given.Shape(), y)
			if err != nil {
				return nil, err
			}
			return tensor.NewSet(tensor.Entry{Name: "y", Tensor: t})
		}))
		a := subject(ctx, nil)
		a.Engine = graded
		a.Inputs = fixtures.Random(net{}, fixtures.Shape("x", 9, width)) // too many for gradients
		e := subject(ctx, nil)
		e.Engine = fake.Engine(fake.Func(func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
			x, _ := in.Get("x")
			return tensor.NewSet(tensor.Entry{Name: "y", Tensor: x})
		}))
		f, err := search.Between(ctx, a, e, search.Options{Trials: 20000, Seed: 3,
			Sizes: []int{9}, Rule: compare.Options{Checks: []compare.Check{
				compare.Within(0.01, 0.01, compare.Elementwise)}}})
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Parts()).To(BeTrue(), f.Headline())
		Expect(f.How).To(ContainSubstring("changed"))
	})

	It("follows the gradient of an error if inputs are few", func(ctx SpecContext) {
		peak := [width]float64{2.5, -1.25, 4, 0.75, -3.5, 1.5, -2, 3}
		sides := [2]backends.Subject{subject(ctx, nil), subject(ctx, nil)}
		for side := range sides { // a smooth hill in eight dimensions, with its top above the tolerance
			sides[side].Engine = fake.Engine(fake.Func(func(_ context.Context, in *tensor.Set) (*tensor.Set,
				error) {
				given, _ := in.Get("x")
				x, _ := tensor.Values[float32](given)
				distance, y := 0.0, make([]float64, len(x))
				for i, v := range x {
					distance += (float64(v) - peak[i%width]) * (float64(v) - peak[i%width])
				}
				y[0] = 1 + 0.0101*float64(side)/(1+distance/4)
				t, err := tensor.New(given.Shape(), y)
				if err != nil {
					return nil, err
				}
				return tensor.NewSet(tensor.Entry{Name: "y", Tensor: t})
			}))
		}
		f, err := search.Between(ctx, sides[0], sides[1], search.Options{Trials: 1500, Seed: 1,
			Sizes: []int{1}, Rule: compare.Options{Checks: []compare.Check{
				compare.Within(0.01, 0, compare.Elementwise)}}})
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Parts()).To(BeTrue(), f.Headline())
		Expect(f.How).To(HaveSuffix(", climbed"))
	})

	It("reports the greatest error if nothing was found", func(ctx SpecContext) {
		f, err := search.Between(ctx, subject(ctx, nil), subject(ctx, nil),
			search.Options{Rule: rule, Trials: 200})
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Parts()).To(BeFalse())
		Expect(f.Trials).To(Equal(200))
		Expect(f.Headline()).To(Equal("the sides agree on 200 inputs; the largest error is 0 " +
			"times the tolerance"))
	})

	It("says what it did not try", func(ctx SpecContext) {
		after := func(trials int, sizes ...int) []string {
			GinkgoHelper()
			f, err := search.Between(ctx, subject(ctx, nil), subject(ctx, nil),
				search.Options{Rule: rule, Trials: trials, Seed: 1, Sizes: sizes})
			Expect(err).NotTo(HaveOccurred())
			for _, line := range f.NotTried {
				Expect(f.Text()).To(ContainSubstring("\nnot tried: " + line + "\n"))
			}
			return f.NotTried
		}
		few := after(1)
		Expect(few).To(HaveLen(4))
		Expect(few[0]).To(MatchRegexp(`^sizes of the first dynamic dimension: .*\d to 64$`))
		Expect(few[1]).To(Equal("dynamic dimensions above 64, and most combinations of sizes"))
		Expect(few[2]).To(ContainSubstring(", "), "kinds of values")
		Expect(few[3]).To(Equal("NaN and infinities"))
		Expect(after(trials)).To(Equal([]string{few[1], few[3]}), "a long search tries the rest")
		Expect(after(trials, 2)).To(Equal([]string{
			"dynamic dimensions above 2, and most combinations of sizes", few[3]}))
	})

	It("finds a difference of two models in ONNX Runtime, in time", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		model := loaders.ONNX("../../example_test/digits/testdata/digits.onnx")
		s := backends.Subject{Engine: ort.Engine(), Model: model,
			Inputs: fixtures.Random(model)}
		began := time.Now()
		f, err := search.Between(ctx, s, s, search.Options{Rule: rule, Budget: time.Second / 4})
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Parts()).To(BeFalse(), f.Text())
		Expect(f.Trials).To(BeNumerically(">", 0))
		Expect(time.Since(began)).To(BeNumerically("<", 20*time.Second))
	})

	It("tries every iteration of the inputs given", func(ctx SpecContext) {
		plain, odd := make([]float32, width), make([]float32, width)
		odd[3] = 1234.5678
		var sets []*tensor.Set
		for _, values := range [][]float32{plain, odd} {
			x, err := tensor.New(tensor.Shape{1, width}, values)
			Expect(err).NotTo(HaveOccurred())
			set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: x})
			Expect(err).NotTo(HaveOccurred())
			sets = append(sets, set)
		}
		s := subject(ctx, some(func(v float64) bool { return float32(v) == odd[3] }))
		s.Inputs = fixtures.Of(sets...)
		f, err := search.Between(ctx, s, subject(ctx, nil), search.Options{Rule: rule, Trials: 2})
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Parts()).To(BeTrue(), f.Text())
	})

	It("gives a dimension that is named as a sum the sum of its parts", func(ctx SpecContext) {
		model := decoder{named("mask", "past + seq", "past + 1"), named("key", "past"),
			named("ids", "seq")}
		tried := map[string]bool{}
		side := func(fault float32) backends.Subject {
			engine := fake.Engine(fake.Func(func(_ context.Context, in *tensor.Set) (*tensor.Set, error) {
				size := func(name string, axis int) int {
					t, _ := in.Get(name)
					return t.Shape()[axis]
				}
				past, seq := size("key", 0), size("ids", 0)
				Expect(size("mask", 0)).To(Equal(past + seq))
				Expect(size("mask", 1)).To(Equal(past + 1))
				tried[fmt.Sprint(past, seq)] = true
				y := []float32{1}
				if past >= 3 && seq >= 2 {
					y[0] += fault
				}
				t, err := tensor.New(tensor.Shape{1}, y)
				Expect(err).NotTo(HaveOccurred())
				return tensor.NewSet(tensor.Entry{Name: "y", Tensor: t})
			}))
			return backends.Subject{Engine: engine, Model: model, Inputs: fixtures.Random(model)}
		}
		f, err := search.Between(ctx, side(1), side(0), search.Options{Rule: rule, Trials: 200, Seed: 1})
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Parts()).To(BeTrue(), f.Text())
		Expect(len(tried)).To(BeNumerically(">", 3))
		shrunk, _ := f.Inputs.Get("mask")
		Expect(shrunk.Shape()).To(Equal(tensor.Shape{5, 4}))
	})

	It("is an error if nothing can be compared", func(ctx SpecContext) {
		_, err := search.Between(ctx, subject(ctx, nil), subject(ctx, nil), search.Options{})
		Expect(err).To(MatchError(ContainSubstring("has no check")))
		refusing := subject(ctx, nil)
		refusing.Engine = fake.Engine(fake.Error(context.DeadlineExceeded))
		_, err = search.Between(ctx, refusing, subject(ctx, nil),
			search.Options{Rule: rule, Trials: 10})
		Expect(err).To(MatchError(ContainSubstring("none of the 10 inputs could be compared")))
		empty := backends.Subject{Engine: engine(nil), Model: hollow{}, Inputs: fixtures.Random(hollow{})}
		_, err = search.Between(ctx, empty, empty, search.Options{Rule: rule, Trials: 10})
		Expect(err).To(MatchError(ContainSubstring(
			"none of the 10 inputs could be compared; the first reason: every output is empty")))
		allowed := rule
		allowed.AllowEmpty = true
		_, err = search.Between(ctx, empty, empty, search.Options{Rule: allowed, Trials: 10})
		Expect(err).NotTo(HaveOccurred())
		_, err = search.Between(ctx, backends.Subject{}, subject(ctx, nil), search.Options{Rule: rule})
		Expect(err).To(MatchError(ContainSubstring("the run was read from a file")))
		ended, cancel := context.WithCancel(ctx)
		cancel()
		_, err = search.Between(ended, subject(ctx, nil), subject(ctx, nil),
			search.Options{Rule: rule, Trials: 10})
		Expect(err).To(MatchError(context.Canceled))
	})
})
