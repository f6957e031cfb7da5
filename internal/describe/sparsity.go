package describe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// WeightSparsity says whether a weight is 2:4 sparse along an axis, as TensorRT's sparse kernels
// require: of every four neighbouring elements, at least two are zero.
type WeightSparsity struct {
	Name  string             `json:"name"`
	Type  tensor.ElementType `json:"type"`
	Shape tensor.Shape       `json:"shape"`
	Axis  int                `json:"axis"` // the reduction axis
	// Sparse is true if no group of four neighbouring elements has more than two nonzero elements.
	Sparse bool `json:"sparse"`
	// Dense counts the groups of four with more than two nonzero elements. Groups is the total.
	Dense  int `json:"dense"`
	Groups int `json:"groups"`
}

// Sparsities is the result of [Sparsity].
type Sparsities struct {
	Weights []WeightSparsity `json:"weights"`
	// LeftOut lists the weights that cannot be checked, each with the reason.
	LeftOut []string `json:"left_out,omitempty"`
}

// Sparsity checks whether the weights of Conv, MatMul and Gemm are 2:4 sparse. It also finds
// weights that pass through Cast, Transpose, QuantizeLinear or DequantizeLinear first. It does not
// check weights that are not float32, float16 or bfloat16, or whose length along the reduction axis
// is not a multiple of four.
func Sparsity(m *loaders.Model) (Sparsities, error) {
	var found Sparsities
	initializers, err := m.Initializers()
	if err != nil {
		return found, err
	}
	weights := map[string]loaders.Initializer{}
	for _, w := range initializers {
		weights[w.Name] = w
	}
	factors, err := m.File().Factors()
	for _, f := range factors {
		if err = sparsityOf(m, weights[f.Name], f.Sum, &found); err != nil {
			break
		}
	}
	return found, err
}

// sparsityOf checks one weight and adds the result to found.
func sparsityOf(m *loaders.Model, w loaders.Initializer, axis int, found *Sparsities) error {
	leave := func(why string) error {
		found.LeftOut = append(found.LeftOut, fmt.Sprintf("%v: %s", Weight{Initializer: w}, why))
		return nil
	}
	types := []tensor.ElementType{tensor.Float32, tensor.Float16, tensor.BFloat16}
	switch {
	case w.Sparse || !slices.Contains(types, w.Type):
		return leave("TensorRT has no sparse kernels for this type")
	case axis < 0:
		return leave("it has fewer than two axes")
	case w.Shape[axis]%4 != 0:
		return leave(fmt.Sprintf("its length along axis %d is not a multiple of 4", axis))
	}
	weight, err := m.Weight(w.Name)
	if err != nil {
		return err
	}
	one := WeightSparsity{Name: w.Name, Type: w.Type, Shape: w.Shape, Axis: axis}
	one.Dense, one.Groups = onnxfile.DenseGroups(weight, axis)
	one.Sparse = one.Dense == 0
	found.Weights = append(found.Weights, one)
	return nil
}

// Text returns one line per weight. It also lists the weights that were not checked.
func (s Sparsities) Text() string {
	var b strings.Builder
	sparse := 0
	for _, w := range s.Weights {
		state := fmt.Sprintf("dense: %d of %d groups of four along axis %d have over two nonzeros",
			w.Dense, w.Groups, w.Axis)
		if w.Sparse {
			sparse++
			state = fmt.Sprintf("2:4 sparse along axis %d", w.Axis)
		}
		fmt.Fprintf(&b, "%s %v%v  %s\n", w.Name, w.Type, w.Shape, state)
	}
	for _, left := range s.LeftOut {
		fmt.Fprintf(&b, "left out %s\n", left)
	}
	fmt.Fprintf(&b, "%d of %d weights are 2:4 sparse\n", sparse, len(s.Weights))
	return b.String()
}
