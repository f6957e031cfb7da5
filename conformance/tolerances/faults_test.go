package tolerances_test

import (
	"context"
	"errors"
	"math"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// large is the size in oracle σ from which a fault must be caught.
const large = 10

// change is a fault in one constant.
type change struct {
	name string
	bias bool // of a bias; otherwise of a weight
	to   func(values []float64)
}

// changes are the faults of engines that were seen in practice: a layer in lower precision, a wrong
// weight, a lost bias.
var changes = []change{
	{"in TF32", false, func(v []float64) { rounded(v, 11) }},
	{"in bfloat16", false, func(v []float64) { rounded(v, 8) }},
	{"with one weight 1 % off", false, func(v []float64) { v[greatest(v)] *= 1.01 }},
	{"with one weight doubled", false, func(v []float64) { v[greatest(v)] *= 2 }},
	{"0.1 % off", false, func(v []float64) {
		for i := range v {
			v[i] *= 1.001
		}
	}},
	{"lost", true, func(v []float64) { clear(v) }},
}

// rounded keeps the given number of bits of each value.
func rounded(values []float64, bits int) {
	for i, v := range values {
		if v != 0 {
			shift := bits - 1 - math.Ilogb(v)
			values[i] = math.Ldexp(math.RoundToEven(math.Ldexp(v, shift)), -shift)
		}
	}
}

func greatest(values []float64) int {
	at := 0
	for i, v := range values {
		if math.Abs(v) > math.Abs(values[at]) {
			at = i
		}
	}
	return at
}

// plantLarge plants faults in the first, the middle and the last layer. Faults of 10 oracle σ or
// more count.
func (b *bench) plantLarge(ctx context.Context, s subject) {
	GinkgoHelper()
	if s.wrong != nil {
		run := b.runIn(ctx, s.wrong, b.model, s.wrong.String())
		b.judgeLarge(s.wrong.String(), s.how, run.Outputs())
	}
	if b.oracle == nil {
		return
	}
	var weights, biases []string
	Expect(edit.Constants(b.model, func(c loaders.Constant) error {
		switch {
		case !c.Values.ElementType().IsFloat():
		case len(c.Values.Shape()) > 1 && c.Values.Len() >= 16:
			weights = append(weights, c.Name)
		case len(c.Values.Shape()) == 1 && c.Values.Len() > 1 && slices.ContainsFunc(c.Uses,
			func(u loaders.Use) bool { return u.Op == "Add" || u.Input == 2 }):
			biases = append(biases, c.Name)
		}
		return nil
	})).To(Succeed())
	other := ort.Engine(ort.OptimizationLevel(ort.OptimizeNone), ort.Threads(1))
	for _, f := range changes {
		names := weights
		if f.bias {
			names = biases
		}
		for _, name := range spaced(names) {
			outputs, err := backends.RunReweighed(ctx, other, b.model, b.inputs,
				func(c loaders.Constant) (*tensor.Tensor, error) {
					if c.Name != name {
						return nil, nil
					}
					values := c.Values.Float64s()
					f.to(values)
					wide, err := tensor.New(c.Values.Shape(), values)
					if err != nil {
						return nil, err
					}
					return wide.Convert(c.Values.ElementType())
				})
			Expect(err).NotTo(HaveOccurred())
			b.judgeLarge(name, f.name, outputs)
		}
	}
}

// spaced picks the first, the middle and the last of a list.
func spaced(list []string) []string {
	if len(list) < 4 {
		return list
	}
	return []string{list[0], list[len(list)/2], list[len(list)-1]}
}

// judgeLarge judges a fault by noise if the oracle sees it.
func (b *bench) judgeLarge(of, kind string, outputs []*tensor.Set) {
	GinkgoHelper()
	size := math.Inf(1)
	if b.oracle != nil {
		size = b.oracle.size(outputs[0], b.expected.Outputs()[0])
	}
	if size < large {
		return
	}
	var undecided *compare.Undecided
	if _, err := compare.WithinNoise(outputs, b.expected.Outputs(), b.noise, compare.Bars{},
		compare.Options{AllowEmpty: true}); errors.As(err, &undecided) {
		b.note("%s %s: a fault of %.3g oracle σ is undecided", of, kind, size)
		return
	}
	one := counts{Engines: 1}
	if passes, excess := b.judge(byNoise, b.noise, outputs, b.expected.Outputs()); passes {
		one.Wrong = 1
		b.note("%s %s: a fault of %.3g oracle σ is not caught, at %.3g times the limit", of, kind, size,
			excess)
	}
	if b.Large == nil {
		b.Large = map[string]counts{}
	}
	b.Large[kind] = b.Large[kind].plus(one)
}
