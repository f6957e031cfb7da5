package precision

import "github.com/modelparity/modelparity/internal/names"

// moving is the set of ONNX operators that only copy, select or negate values of their inputs. They
// are exact in every format.
var moving = names.Words(`Abs Compress Concat DepthToSpace Dropout Expand Flatten Gather
	GatherElements GatherND GlobalMaxPool Identity Max MaxPool Min Neg Pad ReduceMax ReduceMin
	Relu Reshape ReverseSequence ScatterElements ScatterND Slice SpaceToDepth Split Squeeze Tile
	TopK Transpose Unsqueeze Where`)

// computing is the set of ONNX operators that support float16 and compute in the element type of
// their inputs.
var computing = names.Words(`AveragePool Add BatchNormalization Celu Clip Conv ConvTranspose Cos Div
	Einsum Elu Erf Exp Gelu Gemm GlobalAveragePool GlobalLpPool GroupNormalization HardSigmoid
	HardSwish Hardmax InstanceNormalization LRN LSTM GRU RNN LayerNormalization LeakyRelu Log
	LogSoftmax LpNormalization LpPool MatMul Mean MeanVarianceNormalization Mish Mul PRelu Pow
	RMSNormalization Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMean ReduceProd
	ReduceSum ReduceSumSquare Resize Selu Sigmoid Sin Softmax Softplus Softsign Sqrt Sub Sum Swish
	Tanh ThresholdedRelu Upsample`)

// firstAlone is the set of operators whose first input is data and whose other inputs are settings.
// Only the data is rounded to the format.
var firstAlone = names.Words(`Dropout Resize Upsample`)

// random is the set of operators that generate random values.
var random = names.Words(`Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform
	RandomUniformLike`)

// sums contains the operators that compute a sum and then divide it or take its root. The sum can
// overflow in an engine that accumulates in float16, even if the result does not. Each function
// returns the ratio of the sum to the result, given the result's largest magnitude and the number
// of terms. For a mean, the ratio is the number of terms; for an L2 norm, it is the result itself.
var sums = map[string]func(largest float64, count int) float64{
	"ReduceMean":        func(_ float64, count int) float64 { return float64(count) },
	"GlobalAveragePool": func(_ float64, count int) float64 { return float64(count) },
	"ReduceL2":          func(largest float64, _ int) float64 { return largest },
}
