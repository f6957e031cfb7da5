package edit

import (
	"slices"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
)

// Values of TensorProto.DataType.
const (
	wireFloat32 = 1
	wireInt64   = 7
	wireString  = 8
)

// floatness says whether a type is float32, a different type, or unknown.
type floatness uint8

const (
	unknownType floatness = iota
	isFloat32
	isOther
)

func floatOf(elem int32) floatness {
	switch elem {
	case 0:
		return unknownType
	case wireFloat32:
		return isFloat32
	}
	return isOther
}

// onlyFloat32 lists ONNX's operators that read or return float32 but not float16, with the first
// opset in which they support float16; forever means that no opset does. The list is from onnx.defs
// of onnx 1.22.0; a test compares the list with onnx.defs.
var onlyFloat32 = map[string]int64{
	"Celu": forever, "CumSum": 14, "IsInf": 20, "NonMaxSuppression": forever, "Range": forever,
	"TfIdfVectorizer": forever, "DynamicQuantizeLinear": forever,
	// Later opsets define these operators in float16, but rounding a scale would move every value.
	"QuantizeLinear": forever, "DequantizeLinear": forever, "QLinearConv": forever,
	"QLinearMatMul": forever,
	// For these operators, an attribute or a sequence determines the type.
	"BlackmanWindow": forever, "HammingWindow": forever, "HannWindow": forever,
	"MelWeightMatrix": forever, "BitCast": forever, "EyeLike": forever, "Bernoulli": forever,
	"Multinomial": forever, "RandomNormal": forever, "RandomNormalLike": forever,
	"RandomUniform": forever, "RandomUniformLike": forever, "ConcatFromSequence": forever,
	"Optional": forever, "OptionalGetElement": forever, "OptionalHasElement": forever,
	"SequenceAt": forever, "SequenceConstruct": forever, "SequenceEmpty": forever,
	"SequenceErase": forever, "SequenceInsert": forever, "SequenceLength": forever,
	"SequenceMap": forever, "SplitToSequence": forever,
}

const forever = 1 << 30

// pinned lists, for each operator, the inputs that are always float32, even in a float16 node.
var pinned = map[string][]int{"Resize": {1, 2}, "Upsample": {1}}

// isPinned reports whether input i of a node stays float32. Resize's second input is its scales
// before opset 11, and its region of interest from then on.
func (c *halving) isPinned(n *onnxwire.Node, i int) bool {
	if n.Op == "Resize" && c.opset >= 11 && i == 1 { // the region of interest
		return false
	}
	return onnxfile.IsONNX(n.Domain) && slices.Contains(pinned[n.Op], i)
}

// typeFrom maps operators to the input that determines the output type, if that is not the first
// input.
var typeFrom = map[string]int{"Where": 1, "OneHot": 2, "CastLike": 1, "RMSNormalization": 1}

// neverFloat lists operators without floating-point outputs.
var neverFloat = map[string]bool{
	"Shape": true, "Size": true, "NonZero": true, "ArgMax": true, "ArgMin": true, "Equal": true,
	"Greater": true, "GreaterOrEqual": true, "Less": true, "LessOrEqual": true, "And": true,
	"Or": true, "Xor": true, "Not": true, "IsNaN": true, "IsInf": true, "QuantizeLinear": true,
	"QLinearConv": true, "QLinearMatMul": true, "MatMulInteger": true, "ConvInteger": true,
	"NonMaxSuppression": true, "Multinomial": true, "SequenceLength": true,
	"OptionalHasElement": true, "StringNormalizer": true, "StringConcat": true, "StringSplit": true,
	"RegexFullMatch": true, "SequenceConstruct": true, "SequenceEmpty": true, "SequenceInsert": true,
	"SequenceErase": true, "SplitToSequence": true, "SequenceMap": true, "Optional": true,
}

// firstOnly lists operators whose outputs after the first are indices, counts or masks.
var firstOnly = map[string]bool{"TopK": true, "MaxPool": true, "Unique": true}

// outputType returns the type of output i of a node whose inputs have the given types. typed is the
// type in the node's attribute, or 0 if no attribute contains a type. bodies contains the types of
// the outputs of the node's bodies.
func (c *halving) outputType(n *onnxwire.Node, i int, inputs []floatness, typed int32,
	bodies [][]floatness) floatness {
	input := func(k int) floatness {
		if k < len(inputs) {
			return inputs[k]
		}
		return unknownType
	}
	switch {
	case c.functions[n.Domain+"."+n.Op]:
		return unknownType
	case n.Domain == "ai.onnx.ml" && mlFloats[n.Op] == i+1,
		n.Domain == "ai.onnx.ml" && mlSame[n.Op],
		n.Domain == "com.microsoft" && fused[n.Op] && i == 0:
		if mlFloats[n.Op] > 0 {
			return isFloat32
		}
		return input(0)
	case !onnxfile.IsONNX(n.Domain):
		return unknownType
	case n.Op == "If" || n.Op == "Loop" || n.Op == "Scan":
		if n.Op == "Loop" {
			i++ // skip Loop's condition
		}
		if len(bodies) > 0 && i < len(bodies[0]) {
			return bodies[0][i]
		}
		return unknownType
	case neverFloat[n.Op], firstOnly[n.Op] && i > 0, n.Op == "Dropout" && i > 0 && c.opset >= 10:
		return isOther
	case n.Op == "DynamicQuantizeLinear":
		return floatOf(int32(min(i, 1)) + 2*int32(1-i%2)) // uint8, float, uint8
	case n.Op == "LayerNormalization" && i > 0:
		return floatOf(max(typed, wireFloat32)) // the attribute stash_type
	case typed != 0:
		return floatOf(typed)
	}
	switch n.Op {
	case "ConstantOfShape", "RandomNormal", "RandomUniform", "TfIdfVectorizer", "BlackmanWindow",
		"HammingWindow", "HannWindow", "MelWeightMatrix":
		return isFloat32 // the default of the attribute
	case "DequantizeLinear":
		return input(1)
	case "SequenceAt", "ConcatFromSequence", "OptionalGetElement":
		return unknownType
	}
	return input(typeFrom[n.Op])
}

// mlFloats lists operators of classic machine learning, with the number of the output that is
// float32, counted from 1. mlSame lists operators of classic machine learning that return the type
// of their input. fused lists operators that ONNX Runtime's optimiser creates.
var (
	mlFloats = map[string]int{
		"FeatureVectorizer": 1, "LinearClassifier": 2, "LinearRegressor": 1, "Normalizer": 1,
		"OneHotEncoder": 1, "SVMClassifier": 2, "SVMRegressor": 1, "Scaler": 1,
		"TreeEnsembleClassifier": 2, "TreeEnsembleRegressor": 1,
	}
	mlSame = map[string]bool{"ArrayFeatureExtractor": true, "Binarizer": true, "Imputer": true,
		"TreeEnsemble": true}
	fused = map[string]bool{
		"FusedConv": true, "FusedGemm": true, "FusedMatMul": true, "Gelu": true, "BiasGelu": true,
		"FastGelu": true, "QuickGelu": true, "BiasSoftmax": true, "Attention": true,
		"MultiHeadAttention": true, "GroupQueryAttention": true, "RotaryEmbedding": true,
		"SkipLayerNormalization": true, "SkipSimplifiedLayerNormalization": true,
	}
)

// typeAttributes maps operators to the name of the attribute that contains the output type.
var typeAttributes = map[string]string{
	"Cast": "to", "EyeLike": "dtype", "Bernoulli": "dtype", "RandomNormal": "dtype",
	"RandomNormalLike": "dtype", "RandomUniform": "dtype", "RandomUniformLike": "dtype",
	"BlackmanWindow": "output_datatype", "HammingWindow": "output_datatype", "BitCast": "to",
	"HannWindow": "output_datatype", "MelWeightMatrix": "output_datatype",
	"DequantizeLinear": "output_dtype", "LayerNormalization": "stash_type",
}

// sizes lists, for each operator, the inputs that are shapes, counts or indices.
var sizes = map[string][]int{
	"Reshape": {1}, "Expand": {1}, "ConstantOfShape": {0}, "Tile": {1}, "Slice": {1, 2, 3, 4},
	"Resize": {1, 2, 3}, "Upsample": {1}, "Pad": {1}, "TopK": {1}, "OneHot": {0, 1}, "Split": {1},
	"Range": {0, 1, 2}, "Gather": {1}, "GatherElements": {1}, "GatherND": {1}, "ScatterND": {1},
	"ScatterElements": {1}, "Unsqueeze": {1}, "Squeeze": {1}, "Loop": {0}, "AffineGrid": {1},
	"EyeLike": {0}, "Trilu": {1}, "CumSum": {1}, "Col2Im": {1, 2}, "CenterCropPad": {1},
}

// counting is the set of operators that commonly compute shapes and indices.
var counting = map[string]bool{
	"Cast": true, "Mul": true, "Div": true, "Add": true, "Sub": true, "Floor": true, "Ceil": true,
	"Round": true, "Concat": true, "Gather": true, "Unsqueeze": true, "Squeeze": true, "Slice": true,
	"Reshape": true, "Min": true, "Max": true, "Mod": true, "Constant": true, "Identity": true,
	"Sqrt": true, "Where": true, "Range": true, "Pow": true, "Neg": true, "Abs": true, "Log": true,
	"ReduceProd": true, "ReduceMax": true, "ReduceMin": true, "ReduceSum": true, "Clip": true,
	"Expand": true, "Transpose": true,
}
