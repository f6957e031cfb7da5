package describe

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// WeightSparsity says whether a weight is 2:4 sparse along an axis, as TensorRT's sparse kernels
// require: of every four neighbouring elements, at least two are zero.
type WeightSparsity struct {
	Name  string             `json:"name"`
	Type  tensor.ElementType `json:"type"`
	Shape tensor.Shape       `json:"shape"`
	Axis  int                `json:"axis"` // axis that products are summed over
	// Sparse is true if no group of four neighbouring elements has more than two nonzero elements.
	Sparse bool `json:"sparse"`
	// Dense is the number of groups of four with more than two nonzero elements. Groups is the
	// number of all groups.
	Dense  int `json:"dense"`
	Groups int `json:"groups"`
}

// Sparsities is the result of [Sparsity].
type Sparsities struct {
	Weights []WeightSparsity `json:"weights"`
	// LeftOut lists the weights that cannot be checked, each with the reason.
	LeftOut []string `json:"left_out,omitempty"`
}

// Sparsity checks whether the weights of Conv, MatMul and Gemm are 2:4 sparse. It finds weights
// that pass through Cast, Transpose, QuantizeLinear and DequantizeLinear. It leaves out weights
// that are not float32, float16 or bfloat16, or whose length along the axis is not a multiple of
// four.
func Sparsity(m *loaders.Model) (Sparsities, error) {
	var found Sparsities
	nodes, err := m.Nodes()
	if err != nil {
		return found, err
	}
	initializers, err := m.Initializers()
	if err != nil {
		return found, err
	}
	weights := map[string]loaders.Initializer{}
	for _, w := range initializers {
		weights[w.Name] = w
	}
	perms, err := attributeTexts(m, "perm", "transA", "transB")
	if err != nil {
		return found, err
	}
	producers := map[string]loaders.Node{}
	for _, n := range nodes {
		for _, out := range n.Outputs {
			producers[out] = n
		}
	}
	seen := map[string]bool{}
	look := func(name string, axis int) error {
		for range 64 { // longer chains, or cycles, do not lead to a weight
			if w, ok := weights[name]; ok {
				if seen[name] {
					return nil
				}
				seen[name] = true
				return sparsityOf(m, w, axis, &found)
			}
			n := producers[name]
			switch {
			case len(n.Inputs) == 0:
				return nil
			case n.Op == "Transpose":
				at, ok := permuted(perms[n.Index]["perm"], axis)
				if !ok {
					return nil
				}
				axis = at
			case !slices.Contains([]string{"Cast", "QuantizeLinear", "DequantizeLinear",
				"TRT_FP8QuantizeLinear", "TRT_FP8DequantizeLinear"}, n.Op):
				return nil
			}
			name = n.Inputs[0]
		}
		return nil
	}
	for _, n := range nodes {
		if len(n.Inputs) < 2 {
			continue
		}
		switch set := perms[n.Index]; n.Op {
		case "Conv":
			err = look(n.Inputs[1], 1)
		case "MatMul":
			err = errors.Join(look(n.Inputs[0], 1), look(n.Inputs[1], 0))
		case "Gemm":
			a, b := 1, 0
			if set["transA"] == "1" {
				a = 0
			}
			if set["transB"] == "1" {
				b = 1
			}
			err = errors.Join(look(n.Inputs[0], a), look(n.Inputs[1], b))
		}
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// attributeTexts returns attributes of Transpose and Gemm nodes as text, by node index and
// attribute name.
func attributeTexts(m *loaders.Model, names ...string) (map[int]map[string]string, error) {
	all := map[int]map[string]string{}
	err := m.File().EachNode(func(i int, n *onnxwire.Node, r *onnxwire.Reader) error {
		if !slices.Contains([]string{"Transpose", "Gemm"}, n.Op) {
			return nil
		}
		attributes, err := r.Attributes(n.Span)
		for _, a := range attributes {
			if slices.Contains(names, a.Name) {
				if all[i] == nil {
					all[i] = map[string]string{}
				}
				all[i][a.Name] = a.Text
			}
		}
		return err
	})
	return all, err
}

// permuted returns the input axis that a Transpose moves to the given output axis. perm is
// formatted like "[1,0]".
func permuted(perm string, axis int) (int, bool) {
	parts := strings.Split(strings.Trim(perm, "[]"), ",")
	if axis >= len(parts) {
		return 0, false
	}
	var from int
	_, err := fmt.Sscan(strings.TrimSpace(parts[axis]), &from)
	return from, err == nil && from >= 0
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
		return leave("its type has no sparse kernels")
	case axis >= len(w.Shape):
		return leave(fmt.Sprintf("it has no axis %d", axis))
	case w.Shape[axis]%4 != 0:
		return leave(fmt.Sprintf("its length along axis %d is not a multiple of 4", axis))
	}
	weight, err := m.Weight(w.Name)
	if err != nil {
		return err
	}
	one := WeightSparsity{Name: w.Name, Type: w.Type, Shape: w.Shape, Axis: axis}
	one.Dense, one.Groups = denseGroups(weight, axis)
	one.Sparse = one.Dense == 0
	found.Weights = append(found.Weights, one)
	return nil
}

// denseGroups counts the groups of four neighbours along an axis, and how many have more than two
// nonzero elements. -0 counts as zero.
func denseGroups(t *tensor.Tensor, axis int) (dense, groups int) {
	shape := t.Shape()
	length, stride := shape[axis], 1
	for _, n := range shape[axis+1:] {
		stride *= n
	}
	zero := zeros(t)
	for at := 0; length > 0 && stride > 0 && at < t.Len(); at += length * stride {
		for inner := range stride {
			for group := 0; group < length; group += 4 {
				nonzero := 0
				for k := range 4 {
					if !zero(at + (group+k)*stride + inner) {
						nonzero++
					}
				}
				groups++
				if nonzero > 2 {
					dense++
				}
			}
		}
	}
	return dense, groups
}

// zeros returns a function that reports, from its bits, whether an element of a floating-point
// tensor is zero.
func zeros(t *tensor.Tensor) func(i int) bool {
	data := t.Bytes()
	size := 2
	if t.ElementType() == tensor.Float32 {
		size = 4
	}
	return func(i int) bool {
		for k, b := range data[i*size : (i+1)*size] {
			if k == size-1 {
				b &= 0x7f
			}
			if b != 0 {
				return false
			}
		}
		return true
	}
}

// Text returns one line per weight, including the weights that were left out.
func (s Sparsities) Text() string {
	var b strings.Builder
	sparse := 0
	for _, w := range s.Weights {
		state := fmt.Sprintf("dense: %d of %d groups of four along axis %d", w.Dense, w.Groups, w.Axis)
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
