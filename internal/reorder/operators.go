package reorder

import "github.com/modelparity/modelparity/internal/names"

// accuracy is the error that an operator's result may have in a correct engine, in units of the
// unit roundoff u (see [unit]).
type accuracy struct {
	// relative is the largest of the random relative errors that a result gets. They are distributed
	// uniformly from 0 to relative. All have the same sign, so relative is twice the error of an
	// engine that may err in either direction.
	relative float64
	// floor is the largest absolute error in either direction. It is for functions such as Sigmoid,
	// whose error does not shrink in proportion to the result when the result is small.
	floor float64
}

// ends lists functions that engines compute less accurately near the ends of the function's range.
// For example, tract returns 7.5·u where Sigmoid is 0, and 1 - 10·u where Tanh is 1, and OpenVINO
// returns up to 128·u where Softplus is 0. u is the unit roundoff; see [unit].
//
// The ends are middle - half and middle + half. If half is 0, there is only one end. To imitate
// these engines, [builder.shifted] adds a random error to a result near an end. At the end, the
// error is up to width·u in either direction. It decreases to zero at the distance width·u from the
// end. width may be smaller than the errors of real engines, because the limits of a comparison are
// several times the random errors.
//
// GRU and LSTM are listed because their gates are Sigmoids. If a gate is 0 in one engine and
// several u in another, only the second engine lets a part of the value pass.
var ends = map[string]struct{ middle, half, width float64 }{
	"GRU": {0, 0, 10}, "LSTM": {0, 0, 10},
	"Sigmoid": {0.5, 0.5, 10}, "Softplus": {0, 0, 60}, "Tanh": {0, 1, 12},
}

// arithmetic is the largest relative error, in units of the unit roundoff, of an elementary
// operation, which rounds once. An error of this size moves some results to the neighbouring
// number, as if they had been rounded in the other direction.
const arithmetic = 1

// shortArithmetic is the largest relative error, in units of the unit roundoff, of an operation on
// 16-bit floats. It is larger than [arithmetic] because engines differ in how many intermediate
// results they round to 16 bits.
const shortArithmetic = 4

// functions lists the operators whose accuracy ONNX leaves to the engine. The first number is the
// relative error, which is twice the largest error of the usual implementations (2 to 5 units in
// the last place). The second number is the absolute error; see [accuracy].
var functions = map[string]accuracy{
	"Acos": {8, 2}, "Acosh": {8, 2}, "Asin": {8, 2}, "Asinh": {8, 2}, "Atan": {8, 2}, "Atanh": {8, 2},
	"Celu": {8, 4}, "Cos": {8, 4}, "Cosh": {8, 0}, "Elu": {8, 4}, "Erf": {16, 10}, "Exp": {8, 0},
	"FastGelu": {12, 6}, "Gelu": {12, 6}, "HardSigmoid": {2, 1}, "HardSwish": {4, 1}, "Log": {8, 1},
	"LogSoftmax": {8, 4}, "Mish": {18, 10}, "Pow": {8, 0}, "QuickGelu": {12, 2}, "Selu": {20, 40},
	"Sigmoid": {6, 1}, "Sin": {8, 4}, "Sinh": {8, 0}, "Softmax": {6, 0}, "Softplus": {16, 12},
	"Softsign": {4, 0}, "Swish": {12, 2}, "Tan": {8, 2}, "Tanh": {8, 1}, "ThresholdedRelu": {1, 0},
	"AveragePool": {4, 0}, "LpPool": {4, 0}, "GlobalLpPool": {8, 0}, "LpNormalization": {8, 0},
	"MeanVarianceNormalization": {8, 4}, "LRN": {8, 0}, "GroupNormalization": {8, 4},
	"LayerNormalization": {8, 2}, "SkipLayerNormalization": {8, 2},
	"SimplifiedLayerNormalization": {8, 0}, "RMSNormalization": {8, 0},
	"InstanceNormalization": {8, 2}, "BatchNormalization": {2, 0},
	"RoiAlign": {8, 4},
}

// gateError is the largest random absolute error that [plan.results] adds to the outputs of GRU and
// LSTM, in units of the unit roundoff u. Results near 0 get a further error; see [ends]. In real
// engines, rounding changes a gate g near 1 by up to u, and then changes 1 - g by up to u again.
// Together, the two errors are up to 2·u.
const gateError = 2

// Accuracy returns the errors to expect from an operator whose accuracy ONNX leaves to the engine,
// in units of the unit roundoff. relative is twice the largest relative error of the usual
// implementations. floor is an absolute error, and end is a larger absolute error near the ends of
// the operator's range.
func Accuracy(op string) (relative, floor, end float64) {
	of := functions[op]
	return of.relative, of.floor, ends[op].width
}

// rounding lists the elementary operations, which round once.
var rounding = names.Words(`Add Sub Mul Div Sum Mean Sqrt Reciprocal LeakyRelu PRelu
	DequantizeLinear Mod Normalizer Scaler`)

// exact lists operators whose results get no random error. They move, choose or compare numbers,
// draw random numbers, or have an exactly defined result, such as Cast and Floor.
var exact = names.Words(`Abs And ArgMax ArgMin Bernoulli BitShift BitwiseAnd BitwiseNot BitwiseOr
	BitwiseXor Cast CastLike Ceil Clip Compress Concat ConcatFromSequence Constant ConstantOfShape
	DepthToSpace Dropout Equal Expand EyeLike Flatten Floor Gather GatherElements GatherND
	GlobalMaxPool Greater GreaterOrEqual Hardmax Identity IsInf IsNaN Less LessOrEqual Max MaxPool
	MaxRoiPool MaxUnpool Min Multinomial Neg NonMaxSuppression NonZero Not OneHot Optional
	OptionalGetElement OptionalHasElement Or Pad QuantizeLinear RandomNormal RandomNormalLike
	RandomUniform RandomUniformLike Range ReduceMax ReduceMin Relu Reshape ReverseSequence Round
	ScatterElements ScatterND Scatter SequenceAt SequenceConstruct SequenceEmpty SequenceErase
	SequenceInsert SequenceLength Shape Shrink Sign Size Slice SpaceToDepth Split SplitToSequence
	Squeeze StringNormalizer Tile TopK Transpose Trilu Unique Unsqueeze Upsample Where Xor
	MatMulInteger ConvInteger QLinearMatMul QLinearConv DynamicQuantizeLinear`)

// reductions lists operators that sum along axes.
var reductions = names.Words(`ReduceSum ReduceMean ReduceSumSquare ReduceL1 ReduceL2 ReduceLogSum
	ReduceLogSumExp GlobalAveragePool`)

// normalizations lists operators that sum along axes and whose result has the shape of the input.
var normalizations = names.Words(`LayerNormalization InstanceNormalization GroupNormalization
	RMSNormalization SimplifiedLayerNormalization`)
