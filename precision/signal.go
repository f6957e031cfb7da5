package precision

import (
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
	least := float64(noError)
	for _, name := range names {
		signal, noise := 0.0, 0.0
		for i := range expected {
			a, e, err := both(name, actual[i], expected[i])
			if err != nil {
				return 0, err
			}
			if a != nil {
				s, n := powers(a, e)
				signal, noise = signal+s, noise+n
			}
		}
		least = min(least, decibels(signal, noise))
	}
	return least, nil
}
