package trt

// replacement maps each enumerator that TensorRT 11 removed to advice on what to use instead.
var replacement = map[string]string{
	"INT8":                 quantizeModel,
	"FP8":                  quantizeModel,
	"CUBLAS":               "TensorRT now has its own kernels instead; remove the option",
	"CUBLAS_LT":            "TensorRT now has its own kernels instead; remove the option",
	"CUDNN":                "TensorRT now has its own kernels instead; remove the option",
	"PROFILE_SHARING_0806": "the feature is always on; remove the option",
}

const (
	quantizeModel = "TensorRT 11 takes all types from the model: add QuantizeLinear and " +
		"DequantizeLinear nodes to the model, for example with ModelOpt, or use TensorRT 10"
	typeModel = "TensorRT 11 takes all types from the model: add Cast nodes to the model, or use " +
		"TensorRT 10"
)
