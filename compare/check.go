package compare

import (
	"fmt"
	"math"
)

var nan = math.NaN()

// rule tells the kinds of [Check] apart.
type rule uint8

const (
	ruleNone rule = iota
	ruleWithin
	ruleSum
	ruleULP
	ruleL2
	ruleCosine
	rulePSNR
	ruleSNR
	ruleNorm
	ruleKL
	ruleTopK
	ruleIndices
	ruleDefaults
)

// Check is one rule that an output is held to. Make one with [Within] or a function beside it; it
// prints itself. The zero value is not a check.
type Check struct {
	rule       rule
	stat       Stat
	atol, rtol float64 // of Within and WithinSum
	limit      float64 // of every rule with one number
	k          int     // of TopKAgreement
	allow      float64 // the fraction of elements that may mismatch
}

// Within is Polygraphy's rule: one tolerance satisfied is enough. With
//
//	abs = |actual − expected|      rel = abs / |expected|
//
// the elementwise check fails where, for some element, abs > atol and rel > rtol; the other
// statistics fail where stat(abs) > atol and stat(rel) > rtol. A NaN error exceeds any tolerance.
// Equality with the tolerance passes. Both tolerances are float64 and so is the comparison.
//
//   - Errors are computed in float32 for element types up to 32 bits, in float64 for float64, and
//     exactly for integers, which Polygraphy lets wrap.
//   - A floating-point reference of zero is replaced by 2⁻⁵² in the division; an integer or bool
//     reference of zero is not, and gives 0/0 = NaN or x/0 = +Inf.
//   - NaN against NaN, and an infinity against the same one, is a NaN error; see NaNEqual and
//     InfinitiesEqual of [Options].
//   - Bools differ by 0 or 1. Strings are equal or not, whatever the tolerances.
//   - An empty tensor passes, except for mean (NaN) and quantile (+Inf), as in Polygraphy.
//
// A NaN or negative tolerance is an error when the check is used; +Inf is allowed.
func Within(atol, rtol float64, stat Stat) Check {
	return Check{rule: ruleWithin, atol: atol, rtol: rtol, stat: stat}
}

// WithinSum is the additive rule of NumPy and torch, for every element:
//
//	|actual − expected| ≤ atol + rtol·|expected|
//
// in float64. An element with a NaN, or with infinities that are not the same, mismatches; equal
// infinities are equal, as in numpy.isclose. NaN equals NaN only under NaNEqual of [Options].
func WithinSum(atol, rtol float64) Check {
	return Check{rule: ruleSum, atol: atol, rtol: rtol, stat: Elementwise}
}

// ULP passes where no element is more than n representable values of its type away from the
// expected one. Both zeros are one value; an infinity is one step from the greatest finite value;
// NaN mismatches. Integers count by their difference. Both sides need one element type.
func ULP(n int) Check { return Check{rule: ruleULP, limit: float64(n)} }

// L2 passes where √Σ(actual−expected)² ≤ limit, summed in float64.
func L2(limit float64) Check { return Check{rule: ruleL2, limit: limit} }

// CosineSimilarity passes where Σab / (√Σa²·√Σb²) ≥ limit. Two zero vectors have similarity 1, one
// zero vector has 0. Sums are float64 and scaled, so that large float32 values do not overflow
// into a false pass as they do in Polygraphy.
func CosineSimilarity(limit float64) Check { return Check{rule: ruleCosine, limit: limit} }

// PSNR passes where 20·log10(peak) − 10·log10(mean squared error) ≥ limit, in decibels. The peak
// is the expected side's greatest value, or 1 where that is not positive; Polygraphy takes the
// other side. Equal tensors have +Inf.
func PSNR(limit float64) Check { return Check{rule: rulePSNR, limit: limit} }

// SNR passes where 10·log10(Σexpected² / Σ(actual−expected)²) ≥ limit, in decibels. The signal is
// the expected side; Polygraphy takes the other. Equal tensors have +Inf, zeros among them; a
// difference from an expected side of zeros has −Inf.
func SNR(limit float64) Check { return Check{rule: ruleSNR, limit: limit} }

// NormRelative passes where ‖actual−expected‖₂ / ‖expected‖₂ ≤ limit. 0/0 is 0.
func NormRelative(limit float64) Check { return Check{rule: ruleNorm, limit: limit} }

// KL passes where the Kullback-Leibler divergence Σ p·ln(p/q) ≤ limit, in nats, for every
// distribution p (expected) and q (actual) along the last axis. Each is scaled to sum 1. A negative
// or non-finite value, or a distribution of zeros, fails; q = 0 where p > 0 is +Inf.
func KL(limit float64) Check { return Check{rule: ruleKL, limit: limit} }

// TopKAgreement passes where at least the fraction limit of the rows along the last axis have the
// same k greatest elements on both sides, in any order; ties go to the lower index.
// TopKAgreement(1, 0.99) is "99 % of the predictions stay". A row with NaN does not agree.
func TopKAgreement(k int, limit float64) Check {
	return Check{rule: ruleTopK, k: k, limit: limit}
}

// Indices is Polygraphy's comparison of index lists, such as the outputs of a top-k. The last axis
// is a list and the axes before it are batches. With a tolerance t > 0 the last t entries of the
// actual list are left out. Each entry left must equal the expected entry at its position, or be
// found at most t positions away; the first position of a value counts.
func Indices(tolerance int) Check { return Check{rule: ruleIndices, limit: float64(tolerance)} }

// Defaults is Within(atol, rtol, Elementwise) with the tolerances that torch.testing.assert_close
// has for the element type, and JAX's where torch has none:
//
//	float64    atol 1e-7  rtol 1e-7        float16   atol 1e-5  rtol 1e-3
//	float32    atol 1e-5  rtol 1.3e-6      bfloat16  atol 1e-5  rtol 1.6e-2
//	float8 …   atol 1e-1  rtol 1e-1        integers, bool, string: equal
//
// Where the two sides differ in type (AnyElementType), the coarser type's tolerances hold. It is a
// choice to be named: nothing in modelparity falls back to it.
func Defaults() Check { return Check{rule: ruleDefaults, stat: Elementwise} }

// AllowMismatch lets up to that fraction of the elements mismatch: Within(…).AllowMismatch(0.001)
// passes with at most one element in a thousand out of tolerance. It applies to the elementwise
// rules (Within, WithinSum, ULP, Defaults); elsewhere, or outside [0,1), it is an error when the
// check is used.
func (c Check) AllowMismatch(fraction float64) Check {
	c.allow = fraction
	return c
}

// Tolerances is atol and rtol of [Within] and [WithinSum], and whether c is one of them.
func (c Check) Tolerances() (atol, rtol float64, ok bool) {
	return c.atol, c.rtol, c.rule == ruleWithin || c.rule == ruleSum
}

// With is c with other tolerances, for [Within] and [WithinSum]; other checks stay as they are.
func (c Check) With(atol, rtol float64) Check {
	if _, _, ok := c.Tolerances(); ok {
		c.atol, c.rtol = atol, rtol
	}
	return c
}

// Limit is the number that a rule with one number is held to (L2, CosineSimilarity, PSNR, …), and
// NaN for any other.
func (c Check) Limit() float64 {
	switch c.rule {
	case ruleNone, ruleWithin, ruleSum, ruleDefaults:
		return nan
	}
	return c.limit
}

// Stat is the statistic that c looks at: Within's, Elementwise for the other elementwise rules, and
// the rule's own name elsewhere ("l2", "indices").
func (c Check) Stat() Stat {
	if c.stat != "" {
		return c.stat
	}
	return Stat(ruleNames[c.rule])
}

// ruleNames are the names in JSON and in messages.
var ruleNames = [...]string{
	ruleNone: "none", ruleWithin: "within", ruleSum: "within_sum", ruleULP: "ulp", ruleL2: "l2",
	ruleCosine: "cosine_similarity", rulePSNR: "psnr", ruleSNR: "snr",
	ruleNorm: "norm_relative", ruleKL: "kl", ruleTopK: "topk_agreement", ruleIndices: "indices",
	ruleDefaults: "defaults",
}

// String is the check as a reader would say it, such as "elementwise: abs ≤ 1e-05 or rel ≤ 1e-05".
func (c Check) String() string {
	text := c.bare()
	if c.allow > 0 {
		text += ", in all but " + percent(c.allow) + " of the elements"
	}
	return text
}

func (c Check) bare() string {
	switch c.rule {
	case ruleWithin:
		if c.stat == Elementwise {
			return fmt.Sprintf("elementwise: abs ≤ %s or rel ≤ %s", number(c.atol), number(c.rtol))
		}
		return fmt.Sprintf("%[1]s: %[1]s abs ≤ %[2]s or %[1]s rel ≤ %[3]s", c.stat,
			number(c.atol), number(c.rtol))
	case ruleSum:
		return fmt.Sprintf("elementwise: abs ≤ %s + %s·|expected|", number(c.atol), number(c.rtol))
	case ruleULP:
		return fmt.Sprintf("ulp distance ≤ %s", number(c.limit))
	case ruleL2:
		return fmt.Sprintf("l2 norm of the error ≤ %s", number(c.limit))
	case ruleCosine:
		return fmt.Sprintf("cosine similarity ≥ %s", number(c.limit))
	case rulePSNR:
		return fmt.Sprintf("psnr ≥ %s dB", number(c.limit))
	case ruleSNR:
		return fmt.Sprintf("snr ≥ %s dB", number(c.limit))
	case ruleNorm:
		return fmt.Sprintf("norm-wise relative error ≤ %s", number(c.limit))
	case ruleKL:
		return fmt.Sprintf("kl divergence ≤ %s", number(c.limit))
	case ruleTopK:
		return fmt.Sprintf("top-%d agreement ≥ %s", c.k, number(c.limit))
	case ruleIndices:
		return fmt.Sprintf("indices at most %s positions apart", number(c.limit))
	case ruleDefaults:
		return "default tolerances of the element type, elementwise"
	}
	return "no check"
}

// elementwise reports whether the check counts mismatching elements.
func (c Check) elementwise() bool {
	switch c.rule {
	case ruleSum, ruleULP, ruleDefaults:
		return true
	}
	return c.rule == ruleWithin && c.stat == Elementwise
}

// averages reports whether the check looks at numbers that can be averaged over iterations.
func (c Check) averages() bool { return !c.elementwise() && c.rule != ruleIndices }

func (c Check) validate() error {
	switch c.rule {
	case ruleNone:
		return fmt.Errorf("compare: the zero Check is no check: use Within or another constructor")
	case ruleWithin, ruleSum:
		if err := c.stat.validate(); err != nil {
			return err
		}
		if err := tolerance("atol", c.atol); err != nil {
			return err
		}
		if err := tolerance("rtol", c.rtol); err != nil {
			return err
		}
	case ruleTopK:
		if c.k < 1 {
			return fmt.Errorf("compare: top-%d agreement: k must be at least 1", c.k)
		}
		if !(c.limit >= 0 && c.limit <= 1) {
			return fmt.Errorf("compare: top-%d agreement: the limit %v is not a fraction between 0 "+
				"and 1", c.k, c.limit)
		}
	case ruleULP, ruleL2, ruleNorm, ruleKL, ruleIndices:
		if err := tolerance(ruleNames[c.rule], c.limit); err != nil {
			return err
		}
	case ruleCosine, rulePSNR, ruleSNR:
		if math.IsNaN(c.limit) {
			return fmt.Errorf("compare: %s: the limit is NaN, which nothing can meet", ruleNames[c.rule])
		}
	}
	if c.allow != 0 {
		if !c.elementwise() {
			return fmt.Errorf("compare: %s: AllowMismatch needs an elementwise check", c.bare())
		}
		if !(c.allow > 0 && c.allow < 1) {
			return fmt.Errorf("compare: AllowMismatch(%v): want a fraction from 0 up to, but not "+
				"including, 1", c.allow)
		}
	}
	return nil
}

// tolerance rejects what Polygraphy takes: a NaN tolerance passes everything there, a negative one
// nothing.
func tolerance(name string, v float64) error {
	if math.IsNaN(v) || v < 0 {
		return fmt.Errorf("compare: %s is %v: a tolerance is a number that is not negative", name, v)
	}
	return nil
}
