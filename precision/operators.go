package precision

import "strings"

// moving are ONNX's own operators that copy, choose or negate what they are given, so that numbers
// that a format holds stay numbers that it holds. Where they run makes no difference by itself.
var moving = words(`Abs Compress Concat DepthToSpace Dropout Expand Flatten Gather GatherElements
	GatherND GlobalMaxPool Identity Max MaxPool Min Neg Pad ReduceMax ReduceMin Relu Reshape
	ReverseSequence ScatterElements ScatterND Slice SpaceToDepth Split Squeeze Tile TopK Transpose
	Unsqueeze Where`)

// computing are ONNX's own operators that compute in the element type of what they are given, in
// float16 too, from the first opset that has them on.
var computing = words(`AveragePool Add BatchNormalization Celu Clip Conv ConvTranspose Cos Div
	Einsum Elu Erf Exp Gelu Gemm GlobalAveragePool GlobalLpPool GroupNormalization HardSigmoid
	HardSwish Hardmax InstanceNormalization LRN LSTM GRU RNN LayerNormalization LeakyRelu Log
	LogSoftmax LpNormalization LpPool MatMul Mean MeanVarianceNormalization Mish Mul PRelu Pow
	RMSNormalization Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMean ReduceProd
	ReduceSum ReduceSumSquare Resize Selu Sigmoid Sin Softmax Softplus Softsign Sqrt Sub Sum Swish
	Tanh ThresholdedRelu Upsample`)

// firstAlone are operators whose first input alone has the element type that they compute in: what
// else they take is a setting.
var firstAlone = words(`Dropout Resize Upsample`)

// random are operators that make something without being given it.
var random = words(`Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform
	RandomUniformLike`)

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// sums is, of operators that add up and then scale or take a root, what an engine that adds in the
// format itself meets on the way: the sum is count times the mean, or the square of the norm.
var sums = map[string]func(greatest float64, count int) float64{
	"ReduceMean":        func(_ float64, count int) float64 { return float64(count) },
	"GlobalAveragePool": func(_ float64, count int) float64 { return float64(count) },
	"ReduceL2":          func(greatest float64, _ int) float64 { return greatest },
}
