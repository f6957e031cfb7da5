package cli

import (
	"math"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// savedRun is a file with one run, of one output in each iteration.
func savedRun(t *testing.T, name string, iterations ...*tensor.Tensor) string {
	t.Helper()
	var all []backends.Iteration
	for _, value := range iterations {
		set, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: value})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, backends.Iteration{Outputs: set, Runtime: -1})
	}
	run := backends.NewRun(backends.Provenance{Backend: "made up"}, all...)
	path := filepath.Join(t.TempDir(), name+".json")
	if err := runs.WriteRuns(path, []runs.Named{{Name: name, Run: run}}); err != nil {
		t.Fatal(err)
	}
	return path
}

func matrix(t *testing.T, rows, columns int, values ...float32) *tensor.Tensor {
	t.Helper()
	m, err := tensor.New(tensor.Shape{rows, columns}, values)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestWhatProvesNothingIsNoPass(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one := func(v *tensor.Tensor) []*tensor.Tensor { return []*tensor.Tensor{v} }
	for _, row := range []struct {
		name             string
		actual, expected []*tensor.Tensor
		args             []string
		status           int
		says             string
	}{
		{"indices within the length of the list", one(tensor.Of[int64](1, 2, 3)),
			one(tensor.Of[int64](7, 8, 9)), []string{"--compare", "indices", "--index-tolerance", "3"},
			unusable, "no entry of a list of length 3 is compared"},
		{"top-1 of NaN", one(tensor.Of(nan, nan, nan)), one(tensor.Of(3.0, 2, 1)),
			[]string{"--postprocess", "top-1"}, unusable, "is all NaN"},
		{"top-3 of NaN", one(tensor.Of(nan, nan, nan)), one(tensor.Of(3.0, 2, 1)),
			[]string{"--postprocess", "top-3"}, unusable, "is all NaN"},
		{"top-1 along an axis of one", one(matrix(t, 3, 1, 1, 2, 3)), one(matrix(t, 3, 1, 9, 8, 7)),
			[]string{"--postprocess", "top-1"}, unusable, "the axis has length 1"},
		{"psnr, averaged", []*tensor.Tensor{tensor.Of(1.0, 2), tensor.Of(1000.0, -5)},
			[]*tensor.Tensor{tensor.Of(1.0, 2), tensor.Of(1.0, 2)},
			[]string{"--compare", "psnr", "--psnr-threshold", "30", "--check-average"}, differs, ""},
		{"snr, averaged", []*tensor.Tensor{tensor.Of(1.0, 2), tensor.Of(1000.0, -5)},
			[]*tensor.Tensor{tensor.Of(1.0, 2), tensor.Of(1.0, 2)},
			[]string{"--compare", "snr", "--check-average"}, differs, ""},
		{"psnr with an infinity", one(tensor.Of(inf, 2)), one(tensor.Of(inf, 5e20)),
			[]string{"--compare", "psnr", "--infinities-compare-equal"}, unusable, "contains an infinity"},
		{"snr with an infinity", one(tensor.Of(inf, 2)), one(tensor.Of(inf, 5e20)),
			[]string{"--compare", "snr", "--infinities-compare-equal"}, unusable, "contains an infinity"},
		{"norm_relative with an infinity", one(tensor.Of(inf, 2)), one(tensor.Of(inf, 5e20)),
			[]string{"--compare", "norm_relative", "--infinities-compare-equal"}, unusable,
			"contains an infinity"},
		{"l2 of what underflows", one(tensor.Of(1, 1e-170)), one(tensor.Of(1.0, 0)),
			[]string{"--compare", "l2", "--l2-threshold", "1e-200"}, differs, ""},
		{"int64 and float64", one(tensor.Of[int64](1<<53 + 1)), one(tensor.Of(0x1p53)),
			[]string{"--no-type-check", "--atol", "0", "--rtol", "0"}, differs, ""},
		{"empty outputs", one(tensor.Of[float32]()), one(tensor.Of[float32]()), nil, unusable,
			"nothing was compared"},
		{"empty outputs under a mean", one(tensor.Of[float32]()), one(tensor.Of[float32]()),
			[]string{"--check-error-stat", "mean"}, unusable, "--allow-empty"},
		{"empty outputs that may be", one(tensor.Of[float32]()), one(tensor.Of[float32]()),
			[]string{"--allow-empty", "--check-error-stat", "mean"}, equal, ""},
		{"one empty output of two", []*tensor.Tensor{tensor.Of[float32](), tensor.Of[float32](1)},
			[]*tensor.Tensor{tensor.Of[float32](), tensor.Of[float32](1)}, nil, equal, ""},
		{"kl of logits", one(tensor.Of(-1.0, 2)), one(tensor.Of(-1.5, 2)),
			[]string{"--compare", "kl"}, unusable, "apply softmax to logits"},
		{"an infinite tolerance", one(tensor.Of(1.0)), one(tensor.Of(9.0)),
			[]string{"--atol", "inf"}, unusable, "infinite tolerance"},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			args := append([]string{"compare", savedRun(t, "actual", row.actual...),
				savedRun(t, "expected", row.expected...)}, row.args...)
			status, stdout, stderr := modelparity(t, args...)
			g.Expect(status).To(Equal(row.status), "%s%s", stdout, stderr)
			g.Expect(stderr).To(ContainSubstring(row.says))
			_, report := reported(t, args...)
			verdict := map[int]string{equal: "pass", differs: "fail", unusable: "error"}[row.status]
			g.Expect(report).To(HaveKeyWithValue("verdict", verdict))
		})
	}
}
