package tolerances_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// oracle knows the spread of a model's outputs, from 64 runs with permuted hidden axes (oracle.npz
// of make/make_models.py). It has no output whose order of sums no permutation changes.
type oracle map[string]*known

// known is what an oracle knows of one output.
type known struct {
	sigma       []float64
	shape       tensor.Shape
	independent float64 // elements
}

// oracleRuns is the number of runs behind an oracle.
const oracleRuns = 64

// oracle reads what make/make_models.py stored, if anything.
func (s subject) oracle() oracle {
	GinkgoHelper()
	file := filepath.Join(s.folder, "oracle.npz")
	if _, err := os.Stat(file); s.folder == "" || err != nil {
		return nil
	}
	o := oracle{}
	for set, err := range fixtures.Load(file).All() {
		Expect(err).NotTo(HaveOccurred())
		for key, t := range set.All() {
			at := strings.LastIndex(key, ":") // names have colons, too
			name, what := key[:at], key[at+1:]
			if o[name] == nil {
				o[name] = &known{}
			}
			if what == "sigma" {
				o[name].sigma, o[name].shape = moderated(t), t.Shape()
			} else {
				o[name].independent = t.Float64At(0)
			}
		}
	}
	return o
}

// moderated adds one run with the mean variance of the element's column, so that an element that no
// permutation moves has a σ.
func moderated(t *tensor.Tensor) []float64 {
	sigma := t.Float64s()
	columns, inner := 1, 1
	if shape := t.Shape(); len(shape) == 4 {
		columns, inner = shape[1], shape[2]*shape[3]
	} else if len(shape) > 1 {
		columns = shape[len(shape)-1]
	}
	of := func(i int) int { return i / inner % columns }
	means := make([]float64, columns)
	for i, s := range sigma {
		means[of(i)] += s * s * float64(columns) / float64(len(sigma))
	}
	for i, s := range sigma {
		sigma[i] = math.Sqrt(((oracleRuns-1)*s*s + means[of(i)]) / oracleRuns)
	}
	return sigma
}

// errors returns the errors of an output in σ: their root mean square and the greatest.
func (k *known) errors(actual, expected *tensor.Tensor) (rms, greatest float64) {
	values, reference := actual.Float64s(), expected.Float64s()
	for i, v := range values {
		sigma := max(k.sigma[i], lastBit(reference[i], expected.ElementType())/math.Sqrt(12))
		e := math.Abs(v-reference[i]) / sigma
		if v == reference[i] || v != v && reference[i] != reference[i] {
			e = 0
		} else if e != e {
			e = math.Inf(1)
		}
		rms, greatest = rms+e*e/float64(len(values)), max(greatest, e)
	}
	return math.Sqrt(rms), greatest
}

// lastBit is the distance to the next number.
func lastBit(v float64, of tensor.ElementType) float64 {
	if of == tensor.Float64 {
		return math.Nextafter(math.Abs(v), math.Inf(1)) - math.Abs(v)
	}
	f := float32(math.Abs(v))
	return float64(math.Nextafter32(f, float32(math.Inf(1)))) - float64(f)
}

// excess is the ratio of error to the bar that the oracle needs for the same probability of false
// alarm, over all outputs that it knows: the bars of compare.WithinNoise for a known σ.
func (o oracle) excess(actual, expected *tensor.Set) float64 {
	worst := 0.0
	share := 1e-4 / 2 / float64(max(1, expected.Len()))
	for name, k := range o {
		a, _ := actual.Get(name)
		e, found := expected.Get(name)
		if !found || a.Len() != e.Len() {
			continue
		}
		rms, greatest := k.errors(a, e)
		chi := distuv.ChiSquared{K: k.independent}
		worst = max(worst,
			rms/math.Sqrt(2*chi.Quantile(1-share)/k.independent),
			greatest/math.Sqrt2/distuv.UnitNormal.Quantile(1-share/2/float64(a.Len())))
	}
	return worst
}

// size is the greatest root mean square of an output's errors, in σ.
func (o oracle) size(actual, expected *tensor.Set) float64 {
	worst := 0.0
	for name, k := range o {
		a, _ := actual.Get(name)
		if e, found := expected.Get(name); found && a.Len() == e.Len() {
			rms, _ := k.errors(a, e)
			worst = max(worst, rms)
		}
	}
	return worst
}
