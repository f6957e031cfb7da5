package precision

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/tensor"
)

// noError is the signal-to-noise ratio, in dB, of equal tensors. It replaces infinity.
const noError = 999

// powers returns two sums: the squares of the expected values, and the squares of the differences.
// It ignores elements whose expected value is not finite.
func powers(actual, expected *tensor.Tensor) (signal, noise float64) {
	for k := range expected.Len() {
		if x := expected.Float64At(k); x-x == 0 {
			d := actual.Float64At(k) - x
			signal, noise = signal+float64(x*x), noise+float64(d*d)
		}
	}
	return signal, noise
}

// relativeError returns the norm-wise relative error.
func relativeError(signal, noise float64) float64 {
	if noise == 0 {
		return 0
	}
	return math.Sqrt(noise / signal)
}

func decibels(signal, noise float64) float64 {
	switch {
	case noise == 0:
		return noError
	case signal == 0 || noise != noise || math.IsInf(noise, 1):
		return -noError
	}
	return 10 * math.Log10(signal/noise)
}

// relative returns the norm-wise relative error of the worst output.
func relative(names []string, actual, expected []*tensor.Set) (float64, error) {
	least, err := ratio(names, actual, expected)
	if least == noError {
		return 0, err
	}
	return math.Pow(10, -least/20), err
}

// ratio returns the signal-to-noise ratio of the worst output.
func ratio(names []string, actual, expected []*tensor.Set) (float64, error) {
	totals, err := totalPowers(names, actual, expected)
	least := float64(noError)
	for _, t := range totals {
		least = min(least, decibels(t.signal, t.noise))
	}
	return least, err
}

// total contains the sums of [powers] over all iterations of an output, and the output's number of
// elements.
type total struct {
	signal, noise float64
	count         int
}

// totalPowers adds up the [powers] of each named output over all iterations. The total of an output
// that is not numeric is zero.
func totalPowers(names []string, actual, expected []*tensor.Set) ([]total, error) {
	if len(actual) != len(expected) {
		return nil, fmt.Errorf("%d iterations, want %d", len(actual), len(expected))
	}
	list := make([]total, len(names))
	for o, name := range names {
		for i := range actual {
			a, e, err := both(name, actual[i], expected[i])
			if err != nil {
				return nil, err
			}
			if a != nil {
				s, n := powers(a, e)
				list[o] = total{list[o].signal + s, list[o].noise + n, list[o].count + a.Len()}
			}
		}
	}
	return list, nil
}
