package compare

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// Indices is Polygraphy's comparison of index lists, such as the outputs of a top-k. Each list lies
// along the last axis. With a tolerance t > 0, the last t entries of the actual list are ignored.
// Every other entry must equal the expected entry at the same position, or occur at most t
// positions away in the expected list; if the entry occurs more than once in the expected list, its
// first position counts. A tolerance of at least the lists' length is an error, because every entry
// would be ignored.
func Indices(tolerance int) Check {
	return Check{rule: indices{atMost{limited{float64(tolerance)}}}}
}

type indices struct{ atMost }

func (x indices) name() string { return "indices" }

func (x indices) text() string {
	return fmt.Sprintf("indices at most %s positions apart", figures.Exact(x.limit))
}

func (x indices) validate() error { return tolerance(x.name(), x.limit) }

func (indices) numeric() bool { return false } // lists of strings have positions, too

func (x indices) measure(p pair, r *Result) error {
	_, length := rows(p.actual)
	if x.limit >= float64(length) {
		r.hollow = hollow(fmt.Sprintf("set a tolerance below %d", length), "with a tolerance of "+
			"%s, no entry of a list of length %d is compared", figures.Exact(x.limit), length)
	}
	r.Value, r.Mismatches = p.indices(int(min(x.limit, math.MaxInt32)))
	return nil
}

func (x indices) holds(r *Result) bool { return r.Mismatches == 0 }

func (x indices) reason(r *Result) string { return counted{}.reason(r) }

func (x indices) mean([]Result) (Result, bool) { return Result{}, false }

// value is one element in a form that == can compare, even with an element of a different type. The
// comparison gives NumPy's result, but without rounding.
type value struct {
	text   string
	whole  whole   // set for integers, and for floats whose value is an integer
	number float64 // set for other floats; NaN never equals itself
}

func valueOf(t *tensor.Tensor, i int) value {
	if t.ElementType() == tensor.String {
		return value{text: t.Strings()[i]}
	}
	if v, ok := wholeAt(t, i); ok {
		return value{whole: v}
	}
	return value{number: t.Float64At(i)}
}

// indices compares lists of indices. It returns the largest distance between a value's positions on
// the two sides, which is +Inf if a value is missing on one side. It also returns the number of
// entries that are out of tolerance.
func (p pair) indices(tolerance int) (most float64, mismatches int) {
	count, length := rows(p.actual)
	for r := range count {
		m, n := p.indexList(r*length, length, tolerance)
		most = math.Max(most, m)
		mismatches += n
	}
	return most, mismatches
}

func (p pair) indexList(start, length, tolerance int) (most float64, mismatches int) {
	var places map[value]int // where each expected value lies; built only if entries differ
	for i := range max(0, length-tolerance) {
		v := valueOf(p.actual, start+i)
		if v == valueOf(p.expected, start+i) {
			continue
		}
		if places == nil {
			places = make(map[value]int, length)
			for j := length - 1; j >= 0; j-- { // backwards, so that the first position of a value counts
				places[valueOf(p.expected, start+j)] = j
			}
		}
		apart := math.Inf(1)
		if j, ok := places[v]; ok {
			apart = math.Abs(float64(j - i))
		}
		if apart > float64(tolerance) {
			mismatches++
		}
		most = max(most, apart)
	}
	return most, mismatches
}
