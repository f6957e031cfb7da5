package trt

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/trtabi"
)

// The enumerations of the options. Values are NVIDIA's names without the k. Options accept them in
// any case, so that a flag's value can be converted directly: trt.HardwareLevel("ampere_plus").
type (
	// Flag is a builder flag, for [BuilderFlag]. Most flags also have their own option.
	Flag string
	// Constraints says how strictly the builder follows [LayerPrecision].
	Constraints string
	// CalibrationAlgorithm computes INT8 scales from the values seen in calibration.
	CalibrationAlgorithm string
	// MemoryPool is what [PoolLimit] limits.
	MemoryPool string
	// HardwareLevel says on which other GPUs an engine runs.
	HardwareLevel string
	// EngineCapability restricts an engine.
	EngineCapability string
	// RuntimePlatform is the operating system an engine is for.
	RuntimePlatform string
	// TilingLevel says how much effort the builder spends on tiling.
	TilingLevel string
	// Verbosity says how much an engine reveals about its layers.
	Verbosity string
	// KernelSource is a library from which the builder takes kernels: NVIDIA's tactic source.
	KernelSource string
	// PreviewFeature is a feature that is off by default.
	PreviewFeature string
	// TensorFormat is the layout of a tensor in memory.
	TensorFormat string
	// ParserFlag is a flag of the ONNX parser.
	ParserFlag string
	// QuantizationFlag is a flag of INT8 calibration.
	QuantizationFlag string
	// LayerType is a kind of layer: "CONVOLUTION", "SOFTMAX", …; the error for an unknown one lists
	// all of them.
	LayerType string
	// Strategy says when an inference allocates its working memory.
	Strategy string
	// Severity is the severity of a line of TensorRT's log.
	Severity string
)

// The builder flags.
const (
	FlagFP16                       Flag = "FP16"
	FlagINT8                       Flag = "INT8"
	FlagDebug                      Flag = "DEBUG"
	FlagGPUFallback                Flag = "GPU_FALLBACK"
	FlagRefit                      Flag = "REFIT"
	FlagDisableTimingCache         Flag = "DISABLE_TIMING_CACHE"
	FlagTF32                       Flag = "TF32"
	FlagSparseWeights              Flag = "SPARSE_WEIGHTS"
	FlagSafetyScope                Flag = "SAFETY_SCOPE"
	FlagObeyPrecisionConstraints   Flag = "OBEY_PRECISION_CONSTRAINTS"
	FlagPreferPrecisionConstraints Flag = "PREFER_PRECISION_CONSTRAINTS"
	FlagDirectIO                   Flag = "DIRECT_IO"
	FlagRejectEmptyAlgorithms      Flag = "REJECT_EMPTY_ALGORITHMS"
	FlagVersionCompatible          Flag = "VERSION_COMPATIBLE"
	FlagExcludeLeanRuntime         Flag = "EXCLUDE_LEAN_RUNTIME"
	FlagFP8                        Flag = "FP8"
	FlagErrorOnTimingCacheMiss     Flag = "ERROR_ON_TIMING_CACHE_MISS"
	FlagBF16                       Flag = "BF16"
	FlagDisableCompilationCache    Flag = "DISABLE_COMPILATION_CACHE"
	FlagStripPlan                  Flag = "STRIP_PLAN"
	FlagRefitIdentical             Flag = "REFIT_IDENTICAL"
	FlagWeightStreaming            Flag = "WEIGHT_STREAMING"
	FlagINT4                       Flag = "INT4"
	FlagRefitIndividual            Flag = "REFIT_INDIVIDUAL"
	FlagStrictNaNs                 Flag = "STRICT_NANS"
	FlagMonitorMemory              Flag = "MONITOR_MEMORY"
	FlagFP4                        Flag = "FP4"
	FlagEditableTimingCache        Flag = "EDITABLE_TIMING_CACHE"
	FlagDistributiveIndependence   Flag = "DISTRIBUTIVE_INDEPENDENCE"
)

// The constraints.
const (
	NoConstraints Constraints = "NONE"   // ignore it
	Prefer        Constraints = "PREFER" // follow it if TensorRT can
	Obey          Constraints = "OBEY"   // fail the build if TensorRT cannot follow it
)

// The algorithms of calibration.
const (
	EntropyCalibration2 CalibrationAlgorithm = "ENTROPY_CALIBRATION_2" // the default
	EntropyCalibration  CalibrationAlgorithm = "ENTROPY_CALIBRATION"
	MinMaxCalibration   CalibrationAlgorithm = "MINMAX_CALIBRATION" // smallest and largest values
	legacyCalibration   CalibrationAlgorithm = "LEGACY_CALIBRATION" // of [LegacyCalibration]
)

// The memory pools.
const (
	Workspace          MemoryPool = "WORKSPACE"
	DLAManagedSRAM     MemoryPool = "DLA_MANAGED_SRAM"
	DLALocalDRAM       MemoryPool = "DLA_LOCAL_DRAM"
	DLAGlobalDRAM      MemoryPool = "DLA_GLOBAL_DRAM"
	TacticDRAM         MemoryPool = "TACTIC_DRAM"
	TacticSharedMemory MemoryPool = "TACTIC_SHARED_MEMORY"
)

// The levels of hardware compatibility.
const (
	ThisGPU               HardwareLevel = "NONE" // the default
	AmperePlus            HardwareLevel = "AMPERE_PLUS"
	SameComputeCapability HardwareLevel = "SAME_COMPUTE_CAPABILITY" // TensorRT 10.9 and later
)

// The capabilities of an engine.
const (
	Standard      EngineCapability = "STANDARD" // the default
	Safety        EngineCapability = "SAFETY"
	DLAStandalone EngineCapability = "DLA_STANDALONE"
)

// The platforms.
const (
	SameAsBuild  RuntimePlatform = "SAME_AS_BUILD" // the default
	WindowsAMD64 RuntimePlatform = "WINDOWS_AMD64"
)

// The levels of tiling.
const (
	TilingNone     TilingLevel = "NONE" // the default
	TilingFast     TilingLevel = "FAST"
	TilingModerate TilingLevel = "MODERATE"
	TilingFull     TilingLevel = "FULL"
)

// The verbosities of an engine.
const (
	LayerNamesOnly Verbosity = "LAYER_NAMES_ONLY"
	NoLayers       Verbosity = "NONE"
	Detailed       Verbosity = "DETAILED"
)

// The sources of kernels.
const (
	CUBLAS               KernelSource = "CUBLAS"    // TensorRT 10
	CUBLASLt             KernelSource = "CUBLAS_LT" // TensorRT 10
	CUDNN                KernelSource = "CUDNN"     // TensorRT 10
	EdgeMaskConvolutions KernelSource = "EDGE_MASK_CONVOLUTIONS"
	JITConvolutions      KernelSource = "JIT_CONVOLUTIONS"
)

// The preview features.
const (
	ProfileSharing0806          PreviewFeature = "PROFILE_SHARING_0806" // TensorRT 10
	AliasedPluginIO1003         PreviewFeature = "ALIASED_PLUGIN_IO_10_03"
	RuntimeActivationResize1010 PreviewFeature = "RUNTIME_ACTIVATION_RESIZE_10_10"
)

// The formats of tensors.
const (
	Linear    TensorFormat = "LINEAR" // row-major
	CHW2      TensorFormat = "CHW2"
	HWC8      TensorFormat = "HWC8"
	CHW4      TensorFormat = "CHW4"
	CHW16     TensorFormat = "CHW16"
	CHW32     TensorFormat = "CHW32"
	DHWC8     TensorFormat = "DHWC8"
	CDHW32    TensorFormat = "CDHW32"
	HWC       TensorFormat = "HWC"
	DLALinear TensorFormat = "DLA_LINEAR"
	DLAHWC4   TensorFormat = "DLA_HWC4"
	HWC16     TensorFormat = "HWC16"
	DHWC      TensorFormat = "DHWC"
)

// The parser's flags.
const (
	NativeInstanceNorm                      ParserFlag = "NATIVE_INSTANCENORM" // the default
	EnableUint8AndAsymmetricQuantizationDLA ParserFlag = "ENABLE_UINT8_AND_ASYMMETRIC_QUANTIZATION_DLA"
	ReportCapabilityDLA                     ParserFlag = "REPORT_CAPABILITY_DLA"
	EnablePluginOverride                    ParserFlag = "ENABLE_PLUGIN_OVERRIDE"
	AdjustForDLA                            ParserFlag = "ADJUST_FOR_DLA"
)

// CalibrateBeforeFusion calibrates the model's layers instead of the fused ones.
const CalibrateBeforeFusion QuantizationFlag = "CALIBRATE_BEFORE_FUSION"

// The strategies of allocation.
const (
	Static          Strategy = "STATIC"            // enough for every profile; the default
	OnProfileChange Strategy = "ON_PROFILE_CHANGE" // enough for the profile in use
	UserManaged     Strategy = "USER_MANAGED"      // enough for the inputs' shapes
)

// The severities of TensorRT's log.
const (
	LogInternalError Severity = "INTERNAL_ERROR"
	LogError         Severity = "ERROR"
	LogWarning       Severity = "WARNING"
	LogInfo          Severity = "INFO"
	LogVerbose       Severity = "VERBOSE"
)

// The valid values of each enumeration, in TensorRT's order if that is the same in all versions.
var (
	flags                 = slices.Sorted(maps.Keys(trtabi.BuilderFlags))
	constraints           = []string{"OBEY", "PREFER", "NONE"}
	calibrationAlgorithms = []string{"LEGACY_CALIBRATION", "ENTROPY_CALIBRATION",
		"ENTROPY_CALIBRATION_2", "MINMAX_CALIBRATION"}
	kernelSources   = slices.Sorted(maps.Keys(trtabi.TacticSources))
	previewFeatures = slices.Sorted(maps.Keys(trtabi.PreviewFeatures))
	severities      = []string{"INTERNAL_ERROR", "ERROR", "WARNING", "INFO", "VERBOSE"}
)

// canonical returns an enumerator's name as NVIDIA writes it.
func canonical[E ~string](e E) E {
	return E(strings.ToUpper(strings.ReplaceAll(string(e), "-", "_")))
}

// known finds an enumerator, or returns an error that lists the valid ones.
func known[E ~string](what string, e E, names []string) (E, error) {
	e = canonical(e)
	if !slices.Contains(names, string(e)) {
		return e, fmt.Errorf("unknown %s %q; there are %s", what, string(e), strings.Join(names, ", "))
	}
	return e, nil
}
