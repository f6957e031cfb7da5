package trtabi

import "fmt"

// DataType is an element type, nvinfer1::DataType. The numbers are the same in 10.x and 11.x.
type DataType int32

// The element types.
const (
	Float32 DataType = iota
	Float16
	Int8
	Int32
	Bool
	Uint8
	FP8
	BFloat16
	Int64
	Int4
)

// DataTypes are NVIDIA's names of the element types.
var DataTypes = []string{"FLOAT", "HALF", "INT8", "INT32", "BOOL", "UINT8", "FP8", "BF16", "INT64",
	"INT4", "FP4", "E8M0"}

// String returns NVIDIA's name of the type: "FLOAT".
func (t DataType) String() string {
	if t < 0 || int(t) >= len(DataTypes) {
		return fmt.Sprintf("type %d", int(t))
	}
	return DataTypes[t]
}

// MarshalText makes JSON contain the name.
func (t DataType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Algorithm is the method by which INT8 calibration computes scales (CalibrationAlgoType).
type Algorithm int32

// The algorithms.
const (
	Legacy Algorithm = iota
	Entropy
	Entropy2
	MinMax
)

// onHost is the tensor location for CPU memory (TensorLocation).
const onHost = 1

// Select names one of the three shapes in an optimization profile (OptProfileSelector).
type Select int32

// The shapes of a profile.
const (
	Min Select = iota
	Opt
	Max
)

// MemoryPools are the memory pools that can be limited in a build (MemoryPoolType).
var MemoryPools = []string{"WORKSPACE", "DLA_MANAGED_SRAM", "DLA_LOCAL_DRAM", "DLA_GLOBAL_DRAM",
	"TACTIC_DRAM", "TACTIC_SHARED_MEMORY"}

// TensorFormats are the memory layouts that an input or output can have (TensorFormat).
var TensorFormats = []string{"LINEAR", "CHW2", "HWC8", "CHW4", "CHW16", "CHW32", "DHWC8", "CDHW32",
	"HWC", "DLA_LINEAR", "DLA_HWC4", "HWC16", "DHWC"}

// Verbosities say how much an engine reports about its layers (ProfilingVerbosity).
var Verbosities = []string{"LAYER_NAMES_ONLY", "NONE", "DETAILED"}

// HardwareLevels are the groups of GPUs on which an engine can run (HardwareCompatibilityLevel).
var HardwareLevels = []string{"NONE", "AMPERE_PLUS", "SAME_COMPUTE_CAPABILITY"}

// Capabilities are the restrictions with which an engine can be built (EngineCapability).
var Capabilities = []string{"STANDARD", "SAFETY", "DLA_STANDALONE"}

// Platforms are the platforms for which an engine can be built (RuntimePlatform).
var Platforms = []string{"SAME_AS_BUILD", "WINDOWS_AMD64"}

// TilingLevels say how much time the builder spends on tiling (TilingOptimizationLevel).
var TilingLevels = []string{"NONE", "FAST", "MODERATE", "FULL"}

// Strategies say who allocates the memory of an execution context
// (ExecutionContextAllocationStrategy).
var Strategies = []string{"STATIC", "ON_PROFILE_CHANGE", "USER_MANAGED"}

// QuantizationFlags are flags of INT8 calibration (QuantizationFlag; removed in TensorRT 11).
var QuantizationFlags = []string{"CALIBRATE_BEFORE_FUSION"}

// ParserFlags are the ONNX parser's flags (OnnxParserFlag).
var ParserFlags = []string{"NATIVE_INSTANCENORM", "ENABLE_UINT8_AND_ASYMMETRIC_QUANTIZATION_DLA",
	"REPORT_CAPABILITY_DLA", "ENABLE_PLUGIN_OVERRIDE", "ADJUST_FOR_DLA"}

// LayerTypes are the kinds of layer (LayerType).
var LayerTypes = []string{"CONVOLUTION", "CAST", "ACTIVATION", "POOLING", "LRN", "SCALE", "SOFTMAX",
	"DECONVOLUTION", "CONCATENATION", "ELEMENTWISE", "PLUGIN", "UNARY", "PADDING", "SHUFFLE",
	"REDUCE", "TOPK", "GATHER", "MATRIX_MULTIPLY", "RAGGED_SOFTMAX", "CONSTANT", "IDENTITY",
	"PLUGIN_V2", "SLICE", "SHAPE", "PARAMETRIC_RELU", "RESIZE", "TRIP_LIMIT", "RECURRENCE",
	"ITERATOR", "LOOP_OUTPUT", "SELECT", "FILL", "QUANTIZE", "DEQUANTIZE", "CONDITION",
	"CONDITIONAL_INPUT", "CONDITIONAL_OUTPUT", "SCATTER", "EINSUM", "ASSERTION", "ONE_HOT",
	"NON_ZERO", "GRID_SAMPLE", "NMS", "REVERSE_SEQUENCE", "NORMALIZATION", "PLUGIN_V3", "SQUEEZE",
	"UNSQUEEZE", "CUMULATIVE", "DYNAMIC_QUANTIZE", "ATTENTION_INPUT", "ATTENTION_OUTPUT",
	"ROTARY_EMBEDDING", "KVCACHE_UPDATE"}
