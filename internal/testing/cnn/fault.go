package cnn

import (
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// Fault is a kind of mistake that can be planted in a node of a network. The node's operator must
// be one of ops.
type Fault struct {
	Name string
	ops  []string
	// Plant plants the fault in node i of the network, and reports whether the node is suitable. The
	// fault may have no effect: for example, the average and the maximum of equal values are equal.
	Plant func(n *Network, i int) bool
}

// Faults returns all five faults.
func Faults() []Fault {
	return []Fault{
		{"one weight changed", []string{"Conv", "Gemm", "MatMul"}, func(n *Network, i int) bool {
			return n.change(i, 1, func(values []float32) { values[len(values)/2] += 1 })
		}},
		{"weights rounded to bfloat16", []string{"Conv", "Gemm", "MatMul"}, func(n *Network, i int) bool {
			return n.change(i, 1, func(values []float32) {
				for k, v := range values {
					values[k] = tensor.BF16FromFloat32(v).Float32()
				}
			})
		}},
		{"a bias doubled, plus 0.25", []string{"Conv", "Gemm", "Add"}, func(n *Network, i int) bool {
			at := 2
			if n.nodes[i].Op == "Add" {
				at = 1
			}
			return n.change(i, at, func(values []float32) {
				for k := range values {
					values[k] = 2*values[k] + 0.25
				}
			})
		}},
		{"another operator", []string{"Relu", "Add"}, func(n *Network, i int) bool {
			other, ok := others[n.nodes[i].Op]
			if ok {
				n.nodes[i] = n.nodes[i].rewritten(other, n.nodes[i].Inputs)
			}
			return ok
		}},
		{"a wrong wire", []string{"Sum", "Add"}, func(n *Network, i int) bool {
			one := n.nodes[i]
			if !slices.Contains([]string{"Add", "Sum", "Mul"}, one.Op) || len(one.Inputs) < 2 ||
				n.weights[one.Inputs[0]] != nil || n.weights[one.Inputs[1]] != nil {
				return false
			}
			n.nodes[i] = one.rewritten(one.Op, []string{one.Inputs[0], one.Inputs[0]})
			return true
		}},
	}
}

// others maps each operator to a different one that can replace it.
var others = map[string]string{
	"Relu": "Softplus", "Sum": "Max", "Add": "Sub", "MaxPool": "AveragePool",
	"GlobalAveragePool": "GlobalMaxPool", "Erf": "Tanh", "Tanh": "Softsign", "Sqrt": "Exp",
	"Softmax": "LogSoftmax",
}

// change replaces a weight of node i by a changed copy. pos is the index of the weight among the
// node's inputs. change reports whether the node is suitable and a value changed.
func (n *Network) change(i, pos int, change func([]float32)) bool {
	one := n.nodes[i]
	if !slices.Contains([]string{"Conv", "Gemm", "MatMul", "Add"}, one.Op) || len(one.Inputs) <= pos {
		return false
	}
	weight := n.weights[one.Inputs[pos]]
	values, err := tensor.Values[float32](weight)
	if err != nil || len(values) < 2 {
		return false
	}
	changed := slices.Clone(values)
	change(changed)
	if slices.Equal(changed, values) {
		return false
	}
	planted, err := tensor.New(weight.Shape(), changed)
	if err != nil {
		return false
	}
	// The node gets its own weight, since other nodes may share the old weight.
	name := one.Inputs[pos] + "/planted"
	n.set(name, planted)
	inputs := slices.Clone(one.Inputs)
	inputs[pos] = name
	n.nodes[i] = one.rewritten(one.Op, inputs)
	return true
}
