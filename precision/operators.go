package precision

import "strings"

// moving lists ONNX operators that copy, select or negate values. Their outputs are values of their
// inputs, perhaps negated, so these nodes are exact in every format.
var moving = words(`Abs Compress Concat DepthToSpace Dropout Expand Flatten Gather GatherElements
	GatherND GlobalMaxPool Identity Max MaxPool Min Neg Pad ReduceMax ReduceMin Relu Reshape
	ReverseSequence ScatterElements ScatterND Slice SpaceToDepth Split Squeeze Tile TopK Transpose
	Unsqueeze Where`)

// computing lists the ONNX operators that support float16 and compute in the element type of their
// inputs.
var computing = words(`AveragePool Add BatchNormalization Celu Clip Conv ConvTranspose Cos Div
	Einsum Elu Erf Exp Gelu Gemm GlobalAveragePool GlobalLpPool GroupNormalization HardSigmoid
	HardSwish Hardmax InstanceNormalization LRN LSTM GRU RNN LayerNormalization LeakyRelu Log
	LogSoftmax LpNormalization LpPool MatMul Mean MeanVarianceNormalization Mish Mul PRelu Pow
	RMSNormalization Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMean ReduceProd
	ReduceSum ReduceSumSquare Resize Selu Sigmoid Sin Softmax Softplus Softsign Sqrt Sub Sum Swish
	Tanh ThresholdedRelu Upsample`)

// firstAlone lists operators that compute in the element type of their first input; their other
// inputs are settings.
var firstAlone = words(`Dropout Resize Upsample`)

// random lists operators that generate random values.
var random = words(`Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform
	RandomUniformLike`)

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// sums lists operators that compute a sum and then scale it or take its root. Each function returns
// the ratio of that sum to the result: the number of elements for a mean, the norm for a norm. The
// sum can overflow in an engine that accumulates in the format.
var sums = map[string]func(greatest float64, count int) float64{
	"ReduceMean":        func(_ float64, count int) float64 { return float64(count) },
	"GlobalAveragePool": func(_ float64, count int) float64 { return float64(count) },
	"ReduceL2":          func(greatest float64, _ int) float64 { return greatest },
}
