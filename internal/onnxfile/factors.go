package onnxfile

import (
	"iter"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// Factor is an initializer that Conv, Gemm or MatMul multiplies by.
type Factor struct {
	Name string
	// Sum is the reduction axis: the second axis of Conv's weight, and the last or the second-to-last
	// axis of a matrix or of a batch of matrices. TensorRT's sparse kernels need two zeros in every
	// four elements along this axis. Sum is -1 for a weight with a single axis.
	Sum int
	// Scale names the initializer that a DequantizeLinear multiplies the weight by, or is "".
	Scale string
}

// Factors lists every [Factor] of the model once, in the order of the nodes, including weights that
// reach their node through quantizers, Cast or Transpose.
func (m *File) Factors() ([]Factor, error) {
	f := factorFinder{ranks: map[string]int{}, makers: map[string]*onnxwire.Node{},
		seen: map[string]bool{}}
	for i := range m.Structure.Graph.Initializers {
		t := &m.Structure.Graph.Initializers[i]
		f.ranks[t.Name] = len(t.Dims)
	}
	err := m.EachNode(func(_ int, n *onnxwire.Node, r *onnxwire.Reader) {
		switch n.Op {
		case "QuantizeLinear", "DequantizeLinear", "TRT_FP8QuantizeLinear",
			"TRT_FP8DequantizeLinear", "Cast", "Transpose":
			for _, name := range n.Outputs {
				f.makers[name] = n
			}
		}
		if !IsONNX(n.Domain) || len(n.Inputs) < 2 {
			return
		}
		switch n.Op {
		case "Conv":
			f.look(r, n.Inputs[1], 1)
		case "MatMul", "Gemm":
			attributes := r.AttributesByName(n.Span)
			for k, name := range n.Inputs[:2] {
				sum := -1 // of the first input
				transposed := attributes.Integer([]string{"transA", "transB"}[k], 0) == 1
				if transposed != (k == 1) {
					sum = -2
				}
				f.look(r, name, sum)
			}
		}
	})
	return f.found, err
}

type factorFinder struct {
	ranks  map[string]int            // of initializers
	makers map[string]*onnxwire.Node // nodes that convert or transpose a weight, by output
	seen   map[string]bool
	found  []Factor
}

// longest is the maximum number of quantizers, Casts and Transposes between a weight and the node
// that multiplies by it. The limit stops the search in a graph with a cycle.
const longest = 64

// look follows the input called name back to an initializer, through quantizers, Cast and
// Transpose, and adds the initializer to the factors. sum is the axis of the input along which the
// node sums; if it is negative, it counts from the end.
func (f *factorFinder) look(r *onnxwire.Reader, name string, sum int) {
	var perms [][]int // of the Transposes on the way; nil reverses the axes
	scale := ""
	for range longest {
		if rank, is := f.ranks[name]; is {
			if !f.seen[name] {
				f.seen[name] = true
				f.found = append(f.found, Factor{name, axisOf(sum, rank, perms), scale})
			}
			return
		}
		n := f.makers[name]
		if n == nil || len(n.Inputs) == 0 {
			return
		}
		switch n.Op {
		case "DequantizeLinear":
			if _, is := f.ranks[n.Inputs[min(1, len(n.Inputs)-1)]]; is {
				scale = n.Inputs[1]
			}
		case "Transpose":
			perm, err := r.AttributesByName(n.Span).Integers("perm")
			if err != nil {
				return
			}
			perms = append(perms, perm)
		}
		name = n.Inputs[0]
	}
}

// axisOf returns the weight's axis that becomes the given axis after the transpositions perms, or
// -1 if there is none.
func axisOf(axis, rank int, perms [][]int) int {
	if axis < 0 {
		axis += rank
	}
	for _, perm := range perms {
		switch {
		case perm == nil:
			axis = rank - 1 - axis
		case axis >= 0 && axis < len(perm):
			axis = perm[axis]
		}
	}
	if axis < 0 || axis >= rank || rank < 2 {
		return -1
	}
	return axis
}

// Lines iterates over the lines of elements along an axis. For each line, it yields the index of
// the first element and the distance from one element to the next.
func Lines(shape tensor.Shape, axis int) iter.Seq2[int, int] {
	return func(yield func(first, step int) bool) {
		step, _ := shape[axis+1:].Elements()
		outer, _ := shape[:axis].Elements()
		if shape[axis]*step == 0 { // outer may be any number
			return
		}
		for o := range outer {
			for i := range step {
				if !yield(o*shape[axis]*step+i, step) {
					return
				}
			}
		}
	}
}

// DenseGroups splits a tensor into groups of four neighbours along an axis; the length of the axis
// must be a multiple of four. groups is the number of groups, and dense is the number of groups
// with more than two nonzero elements. -0 counts as zero.
func DenseGroups(t *tensor.Tensor, axis int) (dense, groups int) {
	for first, step := range Lines(t.Shape(), axis) {
		for group := 0; group < t.Shape()[axis]; group += 4 {
			nonzero := 0
			for k := range 4 {
				if t.Float64At(first+(group+k)*step) != 0 {
					nonzero++
				}
			}
			groups++
			if nonzero > 2 {
				dense++
			}
		}
	}
	return dense, groups
}
