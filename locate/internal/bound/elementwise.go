package bound

import (
	"fmt"
	"math"
)

// computation returns how to compute the node.
func (n *Node) computation(a Arithmetic) (*computation, error) {
	if len(n.Inputs) == 0 || n.Inputs[0].Tensor == nil {
		return nil, &Unknown{n.Op + " without its first input"}
	}
	if n.Domain != "" && n.Domain != "ai.onnx" && !contributed[n.Op] {
		return nil, &Unknown{n.Domain + "." + n.Op}
	}
	switch n.Op {
	case "MatMul":
		return matMul(n, a)
	case "Gemm":
		return gemm(n, a)
	case "Conv", "ConvTranspose":
		return convolution(n, a, n.Op == "ConvTranspose")
	case "Softmax", "LogSoftmax":
		return softmax(n, a)
	case "LayerNormalization", "InstanceNormalization", "GroupNormalization", "RMSNormalization",
		"SimplifiedLayerNormalization":
		return normalization(n, a)
	case "BatchNormalization":
		return batchNormalization(n, a)
	case "GlobalAveragePool", "GlobalMaxPool":
		return globalPool(n, a)
	case "AveragePool", "MaxPool":
		return pool(n, a)
	}
	if reducers[n.Op] != nil {
		return reduce(n, a)
	}
	return elementwise(n, a)
}

// contributed lists the operators of ONNX Runtime's own domain that this package computes.
var contributed = map[string]bool{"Gelu": true, "FastGelu": true, "QuickGelu": true,
	"SimplifiedLayerNormalization": true}

// slice is the number of elements that form a group in an elementwise operator.
const slice = 1 << 12

// elementwise computes operators that broadcast their operands.
func elementwise(n *Node, a Arithmetic) (*computation, error) {
	f := formatOf(a.Sums)
	of := n.function(f)
	if of == nil {
		return nil, &Unknown{n.Op}
	}
	var operands []*operand
	var shapes [][]int
	for i := range n.Inputs {
		o, err := n.operand(i, a)
		if err != nil {
			return nil, err
		}
		if o == nil { // Clip without a limit
			operands = append(operands, nil)
			continue
		}
		operands, shapes = append(operands, o), append(shapes, o.shape)
	}
	shape, err := broadcast(shapes...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.Op, err)
	}
	positions := make([]spreading, len(operands))
	for i, o := range operands {
		if o != nil {
			positions[i] = spread(o.shape, shape)
		}
	}
	count := product(shape)
	if shape == nil {
		shape = []int{}
	}
	return inGroups(shape, (count+slice-1)/slice, slice, func(g int, put func(int, number)) {
		in := make([]number, len(operands))
		for i := g * slice; i < min(count, (g+1)*slice); i++ {
			for k, o := range operands {
				if o == nil {
					in[k] = exactly(math.NaN())
					continue
				}
				in[k] = o.at(positions[k].at(i))
			}
			put(i, of(in))
		}
	}), nil
}

// simple lists the functions of one argument whose accuracy [reorder.Accuracy] knows.
var simple = map[string]func(float64) float64{
	"Acos": math.Acos, "Acosh": math.Acosh, "Asin": math.Asin, "Asinh": math.Asinh,
	"Atan": math.Atan, "Atanh": math.Atanh, "Cos": math.Cos, "Cosh": math.Cosh, "Erf": math.Erf,
	"Exp": math.Exp, "Sigmoid": sigmoid, "Sin": math.Sin, "Sinh": math.Sinh,
	"Softplus": softplus, "Tan": math.Tan, "Tanh": math.Tanh,
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// known computes one of the functions in simple, with the accuracy known for op.
func (f format) known(op string, x number) number {
	relative, floor := accuracy(op)
	return f.apply(simple[op], x, relative, floor)
}

// function returns a function that computes one element of the node's output, or nil for an unknown
// operator.
func (n *Node) function(f format) func(in []number) number {
	if simple[n.Op] != nil {
		return func(in []number) number { return f.known(n.Op, in[0]) }
	}
	alpha := func(otherwise float32) number { return exactly(n.float("alpha", otherwise)) }
	relative, floor := accuracy(n.Op)
	switch n.Op {
	case "Add":
		return func(in []number) number { return f.add(in[0], in[1]) }
	case "Sub":
		return func(in []number) number { return f.sub(in[0], in[1]) }
	case "Mul":
		return func(in []number) number { return f.mul(in[0], in[1]) }
	case "Div":
		return func(in []number) number { return f.div(in[0], in[1]) }
	case "Pow":
		return func(in []number) number { return f.power(in[0], in[1]) }
	case "Sum", "Mean":
		reduce := map[string]func(format, int, func(int) number) number{"Sum": sum, "Mean": mean}[n.Op]
		return func(in []number) number {
			return reduce(f, len(in), func(i int) number { return in[i] })
		}
	case "Max":
		return func(in []number) number {
			return greatest(f, len(in), func(i int) number { return in[i] })
		}
	case "Min":
		return func(in []number) number {
			return reducers["ReduceMin"](f, len(in), func(i int) number { return in[i] })
		}
	case "Sqrt":
		return func(in []number) number { return f.sqrt(in[0]) }
	case "Log":
		return func(in []number) number { return logarithm(f, in[0]) }
	case "Reciprocal":
		return func(in []number) number { return f.div(exactly(1), in[0]) }
	case "Abs":
		return func(in []number) number { return magnitude(in[0]) }
	case "Neg":
		return func(in []number) number { return number{-in[0].v, in[0].e} }
	case "Identity":
		return func(in []number) number { return in[0] }
	case "Relu":
		return func(in []number) number { return number{max(in[0].v, 0), in[0].e} }
	case "Clip":
		low, high := n.float("min", -math.MaxFloat32), n.float("max", math.MaxFloat32)
		return func(in []number) number {
			x, from, to := in[0], low, high
			if len(in) > 1 && !math.IsNaN(in[1].v) {
				from = in[1].v
			}
			if len(in) > 2 && !math.IsNaN(in[2].v) {
				to = in[2].v
			}
			return number{min(max(x.v, from), to), x.e}
		}
	case "LeakyRelu", "PRelu":
		slope := alpha(0.01)
		return func(in []number) number {
			switch {
			case in[0].v >= 0:
				return in[0]
			case len(in) > 1:
				return f.mul(in[0], in[1])
			}
			return f.mul(in[0], slope)
		}
	case "ThresholdedRelu":
		return func(in []number) number {
			if in[0].v > alpha(1).v {
				return in[0]
			}
			return number{}
		}
	case "Elu", "Selu", "Celu":
		a, gamma := alpha(1).v, 1.0
		if n.Op == "Selu" {
			a, gamma = n.float("alpha", 1.67326319217681884765625),
				n.float("gamma", 1.05070102214813232421875)
		}
		scale := 1.0
		if n.Op == "Celu" {
			scale = a
		}
		return func(in []number) number {
			return f.apply(func(x float64) float64 {
				if x > 0 {
					return float64(gamma * x)
				}
				return float64(gamma * a * math.Expm1(x/scale))
			}, in[0], relative, floor*max(1, math.Abs(float64(a*gamma))))
		}
	case "HardSigmoid":
		return func(in []number) number {
			return f.hard(in[0], n.float("alpha", 0.2), n.float("beta", 0.5))
		}
	case "HardSwish":
		return func(in []number) number { return f.mul(in[0], f.hard(in[0], 1.0/6, 0.5)) }
	case "Softsign":
		return func(in []number) number {
			return f.div(in[0], f.add(exactly(1), magnitude(in[0])))
		}
	case "Swish", "QuickGelu":
		slope := alpha(map[string]float32{"Swish": 1, "QuickGelu": 1.702}[n.Op])
		return func(in []number) number {
			return f.mul(in[0], f.known("Sigmoid", f.mul(slope, in[0])))
		}
	case "Mish":
		return func(in []number) number {
			return f.mul(in[0], f.known("Tanh", f.known("Softplus", in[0])))
		}
	case "Gelu":
		return f.gelu(n.text("approximate") == "tanh")
	case "FastGelu":
		if len(n.Inputs) > 1 { // with a bias
			return nil
		}
		return f.gelu(true)
	}
	return nil
}

// hard computes x·alpha + beta, clipped to [0, 1].
func (f format) hard(x number, alpha, beta float64) number {
	n := f.add(f.mul(x, f.constant(alpha)), exactly(beta))
	return number{min(max(n.v, 0), 1), n.e}
}

// gelu returns the function x/2·(1 + erf(x/√2)) or, if tanh is set, its approximation by tanh.
func (f format) gelu(tanh bool) func(in []number) number {
	return func(in []number) number {
		x := in[0]
		var inner number
		if tanh {
			cube := f.mul(f.mul(x, x), f.mul(x, f.constant(0.044715)))
			inner = f.known("Tanh", f.mul(f.add(x, cube), f.constant(math.Sqrt(2/math.Pi))))
		} else {
			inner = f.known("Erf", f.mul(x, f.constant(math.Sqrt2/2)))
		}
		return f.mul(f.mul(x, exactly(0.5)), f.add(exactly(1), inner))
	}
}

// power computes x^y. Its bound allows for an engine that computes exp(y·log x).
func (f format) power(x, y number) number {
	relative, _ := accuracy("Pow")
	v := math.Pow(x.v, y.v)
	if v == 0 || math.IsNaN(v) {
		return number{v, f.least}
	}
	logarithm := math.Abs(math.Log(math.Abs(x.v)))
	e := float64(math.Abs(y.v)*x.e/math.Abs(x.v)) + float64(y.e*logarithm)
	return f.rounded(v, float64(math.Abs(v)*math.Expm1(e)), relative)
}
