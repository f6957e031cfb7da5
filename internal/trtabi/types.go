package trtabi

// DataType is an element type (DataType), with the same numbers in 10.x and 11.x.
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
	FP4
	E8M0
)

// DataTypes are NVIDIA's names of the element types.
var DataTypes = []string{"FLOAT", "HALF", "INT8", "INT32", "BOOL", "UINT8", "FP8", "BF16", "INT64",
	"INT4", "FP4", "E8M0"}

// Algorithm is the method by which INT8 calibration determines scales (CalibrationAlgoType).
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

// Select selects a shape of an optimization profile (OptProfileSelector).
type Select int32

// The shapes of a profile.
const (
	Min Select = iota
	Opt
	Max
)

// MemoryPools are the memory pools with limits for a build (MemoryPoolType).
var MemoryPools = []string{"WORKSPACE", "DLA_MANAGED_SRAM", "DLA_LOCAL_DRAM", "DLA_GLOBAL_DRAM",
	"TACTIC_DRAM", "TACTIC_SHARED_MEMORY"}

// TensorFormats are the layouts of an input or output in memory (TensorFormat).
var TensorFormats = []string{"LINEAR", "CHW2", "HWC8", "CHW4", "CHW16", "CHW32", "DHWC8", "CDHW32",
	"HWC", "DLA_LINEAR", "DLA_HWC4", "HWC16", "DHWC"}

// Verbosities say how much an engine reports about its layers (ProfilingVerbosity).
var Verbosities = []string{"LAYER_NAMES_ONLY", "NONE", "DETAILED"}

// HardwareLevels are the sets of GPUs that an engine may support (HardwareCompatibilityLevel).
var HardwareLevels = []string{"NONE", "AMPERE_PLUS", "SAME_COMPUTE_CAPABILITY"}

// Capabilities are the possible restrictions of an engine (EngineCapability).
var Capabilities = []string{"STANDARD", "SAFETY", "DLA_STANDALONE"}

// Platforms are the platforms that an engine may be built for (RuntimePlatform).
var Platforms = []string{"SAME_AS_BUILD", "WINDOWS_AMD64"}

// TilingLevels say how much effort the builder puts into tiling (TilingOptimizationLevel).
var TilingLevels = []string{"NONE", "FAST", "MODERATE", "FULL"}

// Strategies say who allocates the memory of an execution context
// (ExecutionContextAllocationStrategy).
var Strategies = []string{"STATIC", "ON_PROFILE_CHANGE", "USER_MANAGED"}

// QuantizationFlags are options of INT8 calibration (QuantizationFlag; removed in TensorRT 11).
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
