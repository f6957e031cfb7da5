//go:build linux || darwin

package main

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// tolerance is the absolute and the relative tolerance of every case. All elements are within it.
const tolerance = 1e-5

// draw returns a pair of tensors of n elements that differ by about the tolerance, so that the
// relative tolerance decides for many of them.
func draw(n int) (actual, expected *tensor.Tensor) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float32, n), make([]float32, n)
	for i := range y {
		y[i] = 10 * float32(r.NormFloat64())
		x[i] = y[i] * (1 + 2e-6*(r.Float32()-0.5))
	}
	return tensor.Of(x...), tensor.Of(y...)
}

// withNaN returns a copy of t in which 60 % of the elements, chosen at random, are NaN.
func withNaN(t *tensor.Tensor) *tensor.Tensor {
	values, _ := tensor.Values[float32](t)
	values = slices.Clone(values)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range values {
		if r.Float64() < 0.6 {
			values[i] = float32(math.NaN())
		}
	}
	return tensor.Of(values...)
}

// job is one case for bench.py.
type job struct {
	Name      string  `json:"name"`
	Stat      string  `json:"stat"`
	Tolerance float64 `json:"tolerance"`
}

// write writes the tensors and the list of jobs to folder.
func write(folder string, actual, expected *tensor.Tensor, cases []benchCase) error {
	var jobs []job
	for _, c := range cases {
		if !c.nan {
			jobs = append(jobs, job{c.title(), c.python, tolerance})
		}
	}
	text, err := json.Marshal(jobs)
	return errors.Join(err, os.WriteFile(filepath.Join(folder, "cases.json"), text, 0o600),
		os.WriteFile(filepath.Join(folder, "actual"), actual.Bytes(), 0o600),
		os.WriteFile(filepath.Join(folder, "expected"), expected.Bytes(), 0o600))
}
