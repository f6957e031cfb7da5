//go:build linux || darwin

package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/x448/float16"

	"github.com/modelparity/modelparity/tensor"
)

// data is a pair of tensors that both tools compare.
type data struct {
	name             string // "float32"
	dtype            string // NumPy's descriptor, or "" if NumPy lacks the type
	actual, expected *tensor.Tensor
	atol, rtol       float64 // tolerances within which all elements agree
}

// makeFloat32 returns n elements with noise of about atol, so that the relative tolerance decides
// for many of them.
func makeFloat32(n int) data {
	return made("float32", "<f4", n, 1e-5, 1e-5, func(r *rand.Rand) (x, y float32) {
		y = 10 * float32(r.NormFloat64())
		return y * (1 + 2e-6*(r.Float32()-0.5)), y
	})
}

// others lists functions that return n elements, one function for each element type other than
// float32.
var others = []func(n int) data{
	func(n int) data { // the tensors differ in the last bit
		return made("float16", "<f2", n, 1e-3, 2e-3, func(r *rand.Rand) (x, y float16.Float16) {
			y = float16.Fromfloat32(float32(r.NormFloat64()))
			return y ^ float16.Float16(r.Uint32()&1), y
		})
	},
	func(n int) data { // a type that NumPy lacks
		return made("bfloat16", "", n, 1e-2, 2e-2, func(r *rand.Rand) (x, y tensor.BF16) {
			y = tensor.BF16FromFloat32(float32(r.NormFloat64()))
			return y ^ tensor.BF16(r.Uint32()&1), y
		})
	},
	func(n int) data {
		return made("float64", "<f8", n, 1e-5, 1e-5, func(r *rand.Rand) (x, y float64) {
			y = 10 * r.NormFloat64()
			return y * (1 + 2e-6*(r.Float64()-0.5)), y
		})
	},
	func(n int) data {
		return made("int8", "|i1", n, 1, 0, func(r *rand.Rand) (x, y int8) {
			y = int8(r.IntN(200) - 100)
			return y + int8(r.IntN(3)-1), y
		})
	},
	func(n int) data {
		return made("uint8", "|u1", n, 1, 0, func(r *rand.Rand) (x, y uint8) {
			y = uint8(r.IntN(200) + 1)
			return y + uint8(r.IntN(3)-1), y
		})
	},
	func(n int) data {
		return made("int64", "<i8", n, 1, 0, func(r *rand.Rand) (x, y int64) {
			y = int64(r.IntN(1 << 40))
			return y + int64(r.IntN(3)-1), y
		})
	},
	func(n int) data { // atol is less than 1, the largest difference between two bools
		return made("bool", "|b1", n, 0.5, 0, func(r *rand.Rand) (x, y bool) {
			y = r.IntN(2) == 1
			return y, y
		})
	},
}

func made[T tensor.Native](name, dtype string, n int, atol, rtol float64,
	draw func(r *rand.Rand) (x, y T)) data {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([]T, n), make([]T, n)
	for i := range y {
		x[i], y[i] = draw(r)
	}
	return data{name, dtype, tensor.Of(x...), tensor.Of(y...), atol, rtol}
}

// job is one case for bench.py.
type job struct {
	Name     string  `json:"name"`
	Dtype    string  `json:"dtype"`
	Actual   string  `json:"actual"`
	Expected string  `json:"expected"`
	Stat     string  `json:"stat"`
	Atol     float64 `json:"atol"`
	Rtol     float64 `json:"rtol"`
}

// write writes the pairs of tensors, and the list of jobs, to folder.
func write(folder string, cases []benchCase) error {
	var jobs []job
	for _, c := range cases {
		if c.data.dtype == "" {
			continue
		}
		j := job{c.title(), c.data.dtype, c.data.name + ".actual", c.data.name + ".expected", c.python,
			c.data.atol, c.data.rtol}
		for name, t := range map[string]*tensor.Tensor{j.Actual: c.data.actual,
			j.Expected: c.data.expected} {
			if err := os.WriteFile(filepath.Join(folder, name), t.Bytes(), 0o600); err != nil {
				return err
			}
		}
		jobs = append(jobs, j)
	}
	text, err := json.Marshal(jobs)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "cases.json"), text, 0o600)
}
