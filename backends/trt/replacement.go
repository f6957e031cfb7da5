package trt

// replacement maps each enumerator that TensorRT 11 removed to advice on what to use instead.
var replacement = map[string]string{
	"INT8":                    quantizeModel,
	"FP8":                     quantizeModel,
	"REJECT_EMPTY_ALGORITHMS": "use an editable timing cache (EDITABLE_TIMING_CACHE) instead",
	"CUBLAS":                  "its implementations are now TensorRT's own; remove it",
	"CUBLAS_LT":               "its implementations are now TensorRT's own; remove it",
	"CUDNN":                   "its implementations are now TensorRT's own; remove it",
	"PROFILE_SHARING_0806":    "it is always on; remove it",
}

const (
	quantizeModel = "networks are strongly typed there: put QuantizeLinear and DequantizeLinear " +
		"nodes into the model, for instance with ModelOpt, or use TensorRT 10"
	typeModel = "networks are strongly typed there: put Cast nodes into the model where a type " +
		"matters, or use TensorRT 10"
)
