package compare

import "github.com/modelparity/modelparity/tensor"

// Defaults returns Within(atol, rtol, Elementwise) with the tolerances that
// torch.testing.assert_close uses for the element type. For types without such tolerances, it uses
// JAX's tolerances:
//
//	float64    atol 1e-7  rtol 1e-7        float16   atol 1e-5  rtol 1e-3
//	float32    atol 1e-5  rtol 1.3e-6      bfloat16  atol 1e-5  rtol 1.6e-2
//	float8 …   atol 1e-1  rtol 1e-1        integers, bool, string: equal
//
// If the two sides differ in type (AnyElementType), the tolerances of the coarser type apply. No
// function of modelparity uses Defaults unless you ask for it.
func Defaults() Check { return Check{rule: defaults{}} }

type defaults struct{ counted }

func (defaults) name() string { return "defaults" }
func (defaults) text() string { return "default tolerances of the element type, elementwise" }

func (defaults) parameters() parameters {
	return parameters{stat: Elementwise, atol: nan, rtol: nan, limit: nan}
}

func (defaults) validate() error { return nil }

func (d defaults) measure(p pair, r *Result) error {
	atol, _ := d.tolerances(p)
	r.Mismatches, r.hollow = p.countMismatches(d), p.accepts(atol, 0)
	return nil
}

func (d defaults) elements() elementRule { return d }

func (d defaults) suggest(p pair, r Result, s *Required) {
	atol, rtol := d.tolerances(p)
	within{tolerances{atol: atol, rtol: rtol}}.suggest(p, r, s)
}

func (d defaults) mismatching(p pair, lo, hi int, s *scratch) int {
	atol, rtol := d.tolerances(p)
	return p.mismatches(lo, hi, atol, rtol, s)
}

// tolerances returns the larger of the two element types' default atol, and the larger of their
// default rtol.
func (defaults) tolerances(p pair) (atol, rtol float64) {
	xa, xr := defaultTolerances(p.actual.ElementType())
	ya, yr := defaultTolerances(p.expected.ElementType())
	return max(xa, ya), max(xr, yr)
}

func defaultTolerances(t tensor.ElementType) (atol, rtol float64) {
	switch t {
	case tensor.Float64:
		return 1e-7, 1e-7
	case tensor.Float32:
		return 1e-5, 1.3e-6
	case tensor.Float16:
		return 1e-5, 1e-3
	case tensor.BFloat16:
		return 1e-5, 1.6e-2
	}
	if t.IsFloat() { // float8
		return 1e-1, 1e-1
	}
	return 0, 0
}
