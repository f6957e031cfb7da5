package compare_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// Each rule promises to notice some change. Whatever the shapes and the values are, a pair with
// that change fails, or the rule is refused as powerless; it never passes.

// casesOfEach is how many pairs are made for each rule.
const casesOfEach = 1500

// changed is a pair with a change, and a check that promises to notice it.
type changed struct {
	actual, expected *tensor.Tensor
	check            compare.Check
	topK             int
}

// promises are the rules with the change that each is given to notice. A change that cannot be made
// gives false.
var promises = map[string]func(r *rand.Rand) (changed, bool){
	"elementwise": oneElement(func(d, _ float64) compare.Check {
		return compare.Within(d/2, 0, compare.Elementwise)
	}),
	"elementwise, exactly": oneElement(func(float64, float64) compare.Check { return exact }),
	"elementwise, relatively": oneElement(func(d, y float64) compare.Check {
		if y == 0 || d/math.Abs(y) > 1e300 {
			return exact
		}
		return compare.Within(0, finite(d/math.Abs(y)/2), compare.Elementwise)
	}),
	"max": oneElement(func(d, _ float64) compare.Check {
		return compare.Within(d/2, 0, compare.Max)
	}),
	"sum": oneElement(func(d, _ float64) compare.Check { return compare.WithinSum(d/2, 0) }),
	"defaults of integers": func(r *rand.Rand) (changed, bool) {
		c, ok := oneElement(func(float64, float64) compare.Check { return compare.Defaults() })(r)
		return c, ok && !c.actual.ElementType().IsFloat()
	},
	"ulp":     oneElement(func(float64, float64) compare.Check { return compare.ULP(0) }),
	"indices": oneElement(func(float64, float64) compare.Check { return compare.Indices(0) }),
	"l2":      oneElement(func(d, _ float64) compare.Check { return compare.L2(d / 2) }),
	"l2, exactly": oneElement(func(float64, float64) compare.Check {
		return compare.L2(0)
	}),
	"mean, exactly": oneElement(func(float64, float64) compare.Check {
		return compare.Within(0, 0, compare.Mean)
	}),
	"norm, exactly": oneElement(func(float64, float64) compare.Check {
		return compare.NormRelative(0)
	}),
	"psnr, exactly": oneElement(func(float64, float64) compare.Check { return compare.PSNR(1e9) }),
	"snr, exactly":  oneElement(func(float64, float64) compare.Check { return compare.SNR(1e9) }),
	"mean":          lifted(meanCheck), "psnr": lifted(psnrCheck), "snr": lifted(snrCheck),
	"norm": lifted(normCheck),
	"median": share(0.5, func() compare.Check {
		return compare.Within(0, 0, compare.Median)
	}),
	"quantile": share(0.9, func() compare.Check {
		return compare.Within(0, 0, compare.Quantile(0.9))
	}),
	"the least quantile": share(0, func() compare.Check {
		return compare.Within(0, 0, compare.Quantile(0))
	}),
	"a share of mismatches": share(0.75, func() compare.Check { return exact.AllowMismatch(0.2) }),
	"cosine":                lostSignal, "kl": movedMass,
	"top-k agreement": order(false), "top-k": order(true),
	"mixed integers and floats": besideFloat,
}

var _ = Describe("the change that a rule promises to notice", func() {
	for name, make := range promises {
		It("is noticed, or the rule is refused: "+name, func() {
			seed := uint64(0)
			for _, letter := range name {
				seed = seed*31 + uint64(letter)
			}
			r := rand.New(rand.NewPCG(seed, 12))
			noticed, refused := 0, map[string]int{}
			for i := range casesOfEach {
				c, ok := make(r)
				if !ok {
					continue
				}
				o := compare.Options{Checks: checks(c.check), NaNEqual: r.IntN(2) == 0,
					InfinitiesEqual: r.IntN(2) == 0, AnyElementType: true}
				if c.topK > 0 {
					o.TopK = map[string]compare.TopK{"": {K: c.topK, Axis: -1}}
				}
				out, err := compare.Tensors(c.actual, c.expected, o)
				if err != nil {
					powerless := errors.As(err, new(*compare.Powerless))
					Expect(powerless || refusal.MatchString(err.Error())).To(BeTrue(), "%v", err)
					refused[fmt.Sprintf("%T", err)]++
					continue
				}
				noticed++
				Expect(out.Verdict).To(Equal(compare.Fail), "case %d: %v\n%v%v%v\nactual   %v\nexpected %v",
					i, c.check, out, o.NaNEqual, o.InfinitiesEqual, c.actual.Float64s(), c.expected.Float64s())
			}
			Expect(noticed).To(BeNumerically(">", casesOfEach/10), "too few cases; refused %v", refused)
		})
	}
})

// oneElement changes one element; limit is told its difference and the expected value.
func oneElement(limit func(d, y float64) compare.Check) func(*rand.Rand) (changed, bool) {
	return func(r *rand.Rand) (changed, bool) {
		expected := drawn(r)
		i := r.IntN(expected.Len())
		actual, ok := replace(r, expected, []int{i})
		if !ok {
			return changed{}, false
		}
		d := finite(difference(actual, expected, i))
		return changed{actual: actual, expected: expected, check: limit(d, expected.Float64At(i))}, true
	}
}

// share changes so many elements that the q-quantile of the errors is not zero.
func share(q float64, check func() compare.Check) func(*rand.Rand) (changed, bool) {
	return func(r *rand.Rand) (changed, bool) {
		expected := drawn(r)
		n := expected.Len()
		places := r.Perm(n)[:n-int(q*float64(n-1))]
		if q == 0 {
			places = r.Perm(n)
		}
		actual, ok := replace(r, expected, places)
		return changed{actual: actual, expected: expected, check: check()}, ok
	}
}

// lifted changes one element of finite tensors; limit is what the statistic then misses.
func lifted(limit func(d float64, expected *tensor.Tensor) (compare.Check, bool)) func(
	*rand.Rand) (changed, bool) {
	one := oneElement(func(float64, float64) compare.Check { return compare.Check{} })
	return func(r *rand.Rand) (changed, bool) {
		c, ok := one(r)
		if !ok || !isFinite(c.actual) || !isFinite(c.expected) {
			return c, false
		}
		d := 0.0
		for i := range c.actual.Len() {
			d = max(d, difference(c.actual, c.expected, i))
		}
		if math.IsInf(d, 0) {
			return c, false
		}
		c.check, ok = limit(d, c.expected)
		return c, ok
	}
}

func meanCheck(d float64, expected *tensor.Tensor) (compare.Check, bool) {
	return compare.Within(d/float64(expected.Len())/2, 0, compare.Mean), true
}

// log10 is math.Log10, for subnormal numbers too.
func log10(v float64) float64 { return math.Log2(v) * math.Log10(2) }

// logSignal is log₁₀ of the signal's energy Σy², −Inf for zeros.
func logSignal(t *tensor.Tensor) float64 {
	most, sum := 0.0, 0.0
	for _, v := range t.Float64s() {
		most = max(most, math.Abs(v))
	}
	if most == 0 {
		return math.Inf(-1)
	}
	for _, v := range t.Float64s() {
		sum += v / most * (v / most)
	}
	return log10(sum) + 2*log10(most)
}

func psnrCheck(d float64, expected *tensor.Tensor) (compare.Check, bool) {
	peak := slices.Max(expected.Float64s())
	if peak <= 0 {
		peak = 1
	}
	noise := 20*log10(d) - 10*log10(float64(expected.Len()))
	return compare.PSNR(20*log10(peak) - noise + 0.1), true
}

func snrCheck(d float64, expected *tensor.Tensor) (compare.Check, bool) {
	limit := 10*logSignal(expected) - 20*log10(d) + 0.1
	if math.IsInf(limit, -1) {
		limit = -1e9
	}
	return compare.SNR(limit), true
}

func normCheck(d float64, expected *tensor.Tensor) (compare.Check, bool) {
	limit := math.Pow(10, log10(d)-logSignal(expected)/2) / 1.1
	if limit < 1e-300 {
		limit = 0 // half of a subnormal number has no float64
	}
	return compare.NormRelative(finite(limit)), true
}

// lostSignal has zeros on the actual side.
func lostSignal(r *rand.Rand) (changed, bool) {
	expected := drawn(r)
	zeros, err := tensor.FromBytes(expected.ElementType(), expected.Shape(),
		make([]byte, len(expected.Bytes())))
	must(err)
	return changed{actual: zeros, expected: expected,
		check: compare.CosineSimilarity([]float64{0, 0.01, 0.9, 1}[r.IntN(4)])}, true
}

// movedMass moves probability in one row from one outcome to the next.
func movedMass(r *rand.Rand) (changed, bool) {
	expected := drawnAs(r, tensor.Float64, shapes[r.IntN(len(shapes))])
	values := expected.Float64s()
	if r.IntN(2) == 0 {
		for i := range values {
			values[i] = 0.1 + r.Float64()
		}
	}
	length := 1
	if shape := expected.Shape(); len(shape) > 0 {
		length = shape[len(shape)-1]
	}
	expected, err := tensor.New(expected.Shape(), slices.Clone(values))
	must(err)
	if length > 1 {
		moved := values[0] * 0.9
		values[0] -= moved
		values[1] += moved
	} else {
		values[0] *= 2
	}
	actual, err := tensor.New(expected.Shape(), values)
	must(err)
	// At least 0.1/1.2 of any row's probability has moved; or it is not a distribution.
	var sum float64
	for _, v := range expected.Float64s()[:length] {
		sum += v
	}
	if length > 1 && expected.Float64At(0)/sum < 1e-3 {
		return changed{}, false // too little to speak of
	}
	return changed{actual: actual, expected: expected, check: compare.KL(1e-9)}, true
}

// order changes which element of a row is the greatest, or takes a row's order away.
func order(post bool) func(*rand.Rand) (changed, bool) {
	return func(r *rand.Rand) (changed, bool) {
		expected := drawn(r)
		if len(expected.Shape()) == 0 {
			return changed{}, false
		}
		columns := expected.Shape()[len(expected.Shape())-1]
		row := r.IntN(expected.Len()/columns) * columns
		values := expected.Float64s()
		of := values[row : row+columns]
		high, low := slices.Index(of, slices.Max(of)), slices.Index(of, slices.Min(of))
		switch {
		case slices.ContainsFunc(of, math.IsNaN):
			if slices.ContainsFunc(of, func(v float64) bool { return v == v }) {
				return changed{}, false
			}
			fallthrough
		case of[high] == of[low]: // no order: every one is new
			for i := range of {
				of[i] = float64(i % 2)
			}
		case r.IntN(3) == 0: // no order any more
			for i := range of {
				of[i] = of[low]
			}
		default:
			of[high], of[low] = of[low], of[high]
		}
		actual := liveTensor(expected.ElementType(), expected.Shape(), values, nil)
		if expected.ElementType() == tensor.Int64 || expected.ElementType() == tensor.Uint64 {
			return changed{}, false // float64 does not hold them
		}
		c := changed{actual: actual, expected: expected, check: compare.TopKAgreement(1, 1)}
		if post {
			c.check, c.topK = exact, 1+r.IntN(3)
		}
		return c, true
	}
}

// besideFloat compares a 64-bit integer with the float64 that it rounds to, and with the next one.
func besideFloat(r *rand.Rand) (changed, bool) {
	bits := 53 + r.IntN(11)
	v := uint64(1)<<bits | r.Uint64N(1<<bits) | 1
	y := float64(v)
	if bits == 53 && float64(v)-math.Exp2(53) < 1 || y == math.Exp2(64) || uint64(y) == v {
		return changed{}, false
	}
	c := changed{actual: tensor.Of(v), expected: tensor.Of(y),
		check: []compare.Check{exact, compare.WithinSum(0, 0), compare.L2(0), compare.Indices(0),
			compare.Within(0, 0, compare.Median)}[r.IntN(5)]}
	if bits < 63 && r.IntN(2) == 0 {
		c.actual, c.expected = tensor.Of(-y), tensor.Of(-int64(v))
	}
	return c, true
}
