package bound

import (
	"fmt"
	"math"
)

// computation prepares to compute the node's first output.
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
	case "Conv":
		return convolution(n, a)
	case "MaxPool", "AveragePool":
		return pool(n, a)
	case "Softmax", "LogSoftmax":
		return softmax(n, a)
	case "LayerNormalization", "InstanceNormalization", "GroupNormalization", "RMSNormalization",
		"SimplifiedLayerNormalization":
		return normalization(n, a)
	case "BatchNormalization":
		return batchNormalization(n, a)
	}
	if reducers[n.Op] != nil {
		return reduce(n, a)
	}
	return elementwise(n, a)
}

// contributed is the set of operators from ONNX Runtime's own domain that this package can compute.
var contributed = map[string]bool{"Gelu": true, "SimplifiedLayerNormalization": true}

// slice is the number of elements that an elementwise operator computes as one group. The comment
// of [computation] says what a group is.
const slice = 1 << 12

// elementwise computes operators that broadcast their operands and then work element by element.
func elementwise(n *Node, a Arithmetic) (*computation, error) {
	f := formatOf(a.Sums)
	of := n.function(f)
	if of == nil {
		return nil, &Unknown{n.Op}
	}
	operands, err := n.operands(len(n.Inputs), a)
	if err != nil {
		return nil, err
	}
	var shapes [][]int
	for _, o := range operands {
		if o != nil { // Clip may omit a limit
			shapes = append(shapes, o.shape)
		}
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

// simple maps operators to functions of one argument. For the accuracy of each operator, see
// [reorder.Accuracy].
var simple = map[string]func(float64) float64{
	"Acos": math.Acos, "Acosh": math.Acosh, "Asin": math.Asin, "Asinh": math.Asinh,
	"Atan": math.Atan, "Atanh": math.Atanh, "Cos": math.Cos, "Cosh": math.Cosh, "Erf": math.Erf,
	"Exp": math.Exp, "Sigmoid": sigmoid, "Sin": math.Sin, "Sinh": math.Sinh,
	"Softplus": softplus, "Tan": math.Tan, "Tanh": math.Tanh,
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// known applies the function of an operator in the table [simple], with the operator's error bound.
func (f format) known(op string, x number) number {
	relative, floor := accuracy(op)
	return f.apply(simple[op], x, relative, floor)
}

var unary = map[string]func(format, number) number{
	"Abs":        func(_ format, x number) number { return magnitude(x) },
	"HardSwish":  func(f format, x number) number { return f.mul(x, f.hard(x, 1.0/6, 0.5)) },
	"Identity":   func(_ format, x number) number { return x },
	"Log":        logarithm,
	"Neg":        func(_ format, x number) number { return number{-x.v, x.e} },
	"Reciprocal": func(f format, x number) number { return f.div(exactly(1), x) },
	"Relu":       func(_ format, x number) number { return number{max(x.v, 0), x.e} },
	"Softsign":   func(f format, x number) number { return f.div(x, f.add(exactly(1), magnitude(x))) },
	"Sqrt":       format.sqrt,
	"Mish": func(f format, x number) number {
		return f.mul(x, f.known("Tanh", f.known("Softplus", x)))
	},
}

var binary = map[string]func(f format, a, b number) number{"Add": format.add, "Sub": format.sub,
	"Mul": format.mul, "Div": format.div, "Pow": format.power}

// many maps each operator that takes any number of operands to the reduction that combines them.
var many = map[string]string{"Sum": "ReduceSum", "Mean": "ReduceMean", "Max": "ReduceMax",
	"Min": "ReduceMin"}

// function returns a function that computes one element of the node's output, or nil if the
// operator is unknown.
func (n *Node) function(f format) func(in []number) number {
	if simple[n.Op] != nil {
		return func(in []number) number { return f.known(n.Op, in[0]) }
	}
	if of := unary[n.Op]; of != nil {
		return func(in []number) number { return of(f, in[0]) }
	}
	if of := binary[n.Op]; of != nil {
		return func(in []number) number { return of(f, in[0], in[1]) }
	}
	if of := reducers[many[n.Op]]; of != nil {
		return func(in []number) number {
			return of(f, len(in), func(i int) number { return in[i] })
		}
	}
	switch n.Op {
	case "Clip":
		low := n.Attributes.Float("min", -math.MaxFloat32)
		high := n.Attributes.Float("max", math.MaxFloat32)
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
		slope := exactly(n.Attributes.Float("alpha", 0.01))
		return func(in []number) number {
			switch {
			case in[0].v >= 0:
				return in[0]
			case len(in) > 1:
				return f.mul(in[0], in[1])
			}
			return f.mul(in[0], slope)
		}
	case "Elu":
		alpha := n.Attributes.Float("alpha", 1)
		relative, floor := accuracy(n.Op)
		return func(in []number) number {
			return f.apply(func(x float64) float64 {
				if x > 0 {
					return x
				}
				return float64(alpha * math.Expm1(x))
			}, in[0], relative, floor*max(1, math.Abs(alpha)))
		}
	case "HardSigmoid":
		return func(in []number) number {
			return f.hard(in[0], n.Attributes.Float("alpha", 0.2), n.Attributes.Float("beta", 0.5))
		}
	case "Swish":
		slope := exactly(n.Attributes.Float("alpha", 1))
		return func(in []number) number {
			return f.mul(in[0], f.known("Sigmoid", f.mul(slope, in[0])))
		}
	case "Gelu":
		return f.gelu(n.Attributes.Word("approximate") == "tanh")
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
