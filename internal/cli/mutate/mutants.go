package mutate

import (
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// The kinds of mutants, in the order of the report.
var kinds = []string{"weight", "scale", "activation", "epsilon", "operand", "precision", "golden"}

// site is a place at which one fault can be planted.
type site struct {
	kind, text string
	plant      func(m *loaders.Model) (*loaders.Model, error)
}

// sitesOf returns the places in a model, up to most per kind, evenly spaced.
func sitesOf(m *loaders.Model, most int) ([]site, error) {
	var all []site
	err := edit.Constants(m, func(c loaders.Constant) error {
		all = append(all, constantSites(c)...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var chosen []site
	for _, kind := range kinds {
		var of []site
		for _, s := range all {
			if s.kind == kind {
				of = append(of, s)
			}
		}
		chosen = append(chosen, spaced(of, most)...)
	}
	return chosen, nil
}

// spaced returns up to n evenly spaced elements of a list, including the first and the last.
func spaced[T any](list []T, n int) (taken []T) {
	if len(list) <= n {
		return list
	}
	for i := range n {
		taken = append(taken, list[i*(len(list)-1)/max(1, n-1)])
	}
	return taken
}

// scaleBy is the factor of a wrong scale, and epsilonBy of a wrong epsilon: 1e-5 becomes 1e-2.
const (
	scaleBy   = 1.05
	epsilonBy = 1000
)

// constantSites returns the faults that can be planted in a constant.
func constantSites(c loaders.Constant) []site {
	float := c.Values.ElementType() == tensor.Float32 || c.Values.ElementType() == tensor.Float64 ||
		c.Values.ElementType() == tensor.Float16 || c.Values.ElementType() == tensor.BFloat16
	weight, scale, added := false, false, false
	for _, u := range c.Uses {
		quantizer := u.Op == "DequantizeLinear" || u.Op == "QuantizeLinear"
		weight = weight || u.Addends > 0 || u.Op == "DequantizeLinear" && u.Input == 0 ||
			u.Op == "Gather" && u.Input == 0 && float
		scale = scale || u.Addends > 0 && float || quantizer && u.Input == 1
		added = added || u.Op == "Add" || u.Op == "Max"
	}
	var all []site
	plant := func(kind, text string, change func([]float64)) {
		all = append(all, site{kind, text + " " + c.Name,
			func(m *loaders.Model) (*loaders.Model, error) { return withConstant(m, c.Name, change) }})
	}
	if weight && c.Values.Len() > 1 {
		plant("weight", "the sign of the greatest weight of", func(values []float64) {
			i := greatest(values)
			values[i] = -values[i]
		})
	}
	if scale {
		plant("scale", fmt.Sprintf("a factor of %v on", scaleBy), func(values []float64) {
			for i := range values {
				values[i] *= scaleBy
			}
		})
	}
	if c.Values.Len() == 1 && float && added {
		if v := c.Values.Float64At(0); v > 0 && v <= 1e-3 {
			plant("epsilon", fmt.Sprintf("a factor of %v on", epsilonBy), func(values []float64) {
				values[0] *= epsilonBy
			})
		}
	}
	if weight && c.Values.ElementType() == tensor.Float32 {
		plant("precision", "bfloat16 in", func(values []float64) {
			for i, v := range values {
				values[i] = float64(tensor.BF16FromFloat32(float32(v)).Float32())
			}
		})
	}
	return all
}

// greatest returns the index of the number of the greatest magnitude.
func greatest(values []float64) (at int) {
	for i, v := range values {
		if math.Abs(v) > math.Abs(values[at]) {
			at = i
		}
	}
	return at
}

// withConstant returns the model, with its external data in the file, and the named constant
// changed.
func withConstant(m *loaders.Model, name string, change func([]float64)) (*loaders.Model, error) {
	return edit.ReplaceConstants(m, func(c loaders.Constant) (*tensor.Tensor, error) {
		if c.Name != name {
			return nil, nil
		}
		values := slices.Clone(c.Values.Float64s())
		change(values)
		wide, err := tensor.New(c.Values.Shape(), values)
		if err != nil {
			return nil, err
		}
		return wide.Convert(c.Values.ElementType())
	})
}
