package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/x448/float16"

	"github.com/modelparity/modelparity/tensor"
)

// data is one pair of tensors, which every tool gets in memory.
type data struct {
	name             string // "float32"
	dtype            string // NumPy's descriptor
	actual, expected *tensor.Tensor
	atol, rtol       float64 // with which every element passes
}

// makeData makes n elements of each type. The float32 noise is around atol, so that the relative
// error decides many elements.
func makeData(n int) (float32s, halves, int8s data) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float32, n), make([]float32, n)
	hx, hy := make([]float16.Float16, n), make([]float16.Float16, n)
	bx, by := make([]int8, n), make([]int8, n)
	for i := range y {
		v := float32(r.NormFloat64())
		y[i] = 10 * v
		x[i] = y[i] * (1 + 2e-6*(r.Float32()-0.5))
		hy[i] = float16.Fromfloat32(v)
		hx[i] = hy[i] ^ float16.Float16(r.Uint32()&1)
		by[i] = int8(r.IntN(200) - 100)
		bx[i] = by[i] + int8(r.IntN(3)-1)
	}
	float32s = data{"float32", "<f4", tensor.Of(x...), tensor.Of(y...), 1e-5, 1e-5}
	halves = data{"float16", "<f2", tensor.Of(hx...), tensor.Of(hy...), 1e-3, 2e-3}
	int8s = data{"int8", "|i1", tensor.Of(bx...), tensor.Of(by...), 1, 0}
	return float32s, halves, int8s
}

// head is the first n elements.
func (d data) head(n int) data {
	cut := func(t *tensor.Tensor) *tensor.Tensor {
		all, err := tensor.Values[float32](t)
		if err != nil {
			panic(err)
		}
		return tensor.Of(all[:n]...)
	}
	d.name, d.actual, d.expected = d.name+" small", cut(d.actual), cut(d.expected)
	return d
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
	NumPy    bool    `json:"numpy"`
}

// write leaves every pair and the list of cases in folder.
func write(folder string, cases []benchCase) error {
	var jobs []job
	for _, c := range cases {
		if c.python == "" {
			continue
		}
		j := job{c.title(), c.data.dtype, c.data.name + ".actual", c.data.name + ".expected", c.python,
			c.data.atol, c.data.rtol, c.python == "elemwise"}
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
