package trt

import "fmt"

// goNames maps enumerators to the names of their constants.
var goNames = map[any]string{
	FlagFP16:                                "FlagFP16",
	FlagINT8:                                "FlagINT8",
	FlagDebug:                               "FlagDebug",
	FlagGPUFallback:                         "FlagGPUFallback",
	FlagRefit:                               "FlagRefit",
	FlagDisableTimingCache:                  "FlagDisableTimingCache",
	FlagTF32:                                "FlagTF32",
	FlagSparseWeights:                       "FlagSparseWeights",
	FlagSafetyScope:                         "FlagSafetyScope",
	FlagObeyPrecisionConstraints:            "FlagObeyPrecisionConstraints",
	FlagPreferPrecisionConstraints:          "FlagPreferPrecisionConstraints",
	FlagDirectIO:                            "FlagDirectIO",
	FlagRejectEmptyAlgorithms:               "FlagRejectEmptyAlgorithms",
	FlagVersionCompatible:                   "FlagVersionCompatible",
	FlagExcludeLeanRuntime:                  "FlagExcludeLeanRuntime",
	FlagFP8:                                 "FlagFP8",
	FlagErrorOnTimingCacheMiss:              "FlagErrorOnTimingCacheMiss",
	FlagBF16:                                "FlagBF16",
	FlagDisableCompilationCache:             "FlagDisableCompilationCache",
	FlagStripPlan:                           "FlagStripPlan",
	FlagRefitIdentical:                      "FlagRefitIdentical",
	FlagWeightStreaming:                     "FlagWeightStreaming",
	FlagINT4:                                "FlagINT4",
	FlagRefitIndividual:                     "FlagRefitIndividual",
	FlagStrictNaNs:                          "FlagStrictNaNs",
	FlagMonitorMemory:                       "FlagMonitorMemory",
	FlagFP4:                                 "FlagFP4",
	FlagEditableTimingCache:                 "FlagEditableTimingCache",
	FlagDistributiveIndependence:            "FlagDistributiveIndependence",
	NoConstraints:                           "NoConstraints",
	Prefer:                                  "Prefer",
	Obey:                                    "Obey",
	EntropyCalibration2:                     "EntropyCalibration2",
	EntropyCalibration:                      "EntropyCalibration",
	MinMaxCalibration:                       "MinMaxCalibration",
	Workspace:                               "Workspace",
	DLAManagedSRAM:                          "DLAManagedSRAM",
	DLALocalDRAM:                            "DLALocalDRAM",
	DLAGlobalDRAM:                           "DLAGlobalDRAM",
	TacticDRAM:                              "TacticDRAM",
	TacticSharedMemory:                      "TacticSharedMemory",
	ThisGPU:                                 "ThisGPU",
	AmperePlus:                              "AmperePlus",
	SameComputeCapability:                   "SameComputeCapability",
	Standard:                                "Standard",
	Safety:                                  "Safety",
	DLAStandalone:                           "DLAStandalone",
	SameAsBuild:                             "SameAsBuild",
	WindowsAMD64:                            "WindowsAMD64",
	TilingNone:                              "TilingNone",
	TilingFast:                              "TilingFast",
	TilingModerate:                          "TilingModerate",
	TilingFull:                              "TilingFull",
	LayerNamesOnly:                          "LayerNamesOnly",
	NoLayers:                                "NoLayers",
	Detailed:                                "Detailed",
	CUBLAS:                                  "CUBLAS",
	CUBLASLt:                                "CUBLASLt",
	CUDNN:                                   "CUDNN",
	EdgeMaskConvolutions:                    "EdgeMaskConvolutions",
	JITConvolutions:                         "JITConvolutions",
	ProfileSharing0806:                      "ProfileSharing0806",
	AliasedPluginIO1003:                     "AliasedPluginIO1003",
	RuntimeActivationResize1010:             "RuntimeActivationResize1010",
	Linear:                                  "Linear",
	CHW2:                                    "CHW2",
	HWC8:                                    "HWC8",
	CHW4:                                    "CHW4",
	CHW16:                                   "CHW16",
	CHW32:                                   "CHW32",
	DHWC8:                                   "DHWC8",
	CDHW32:                                  "CDHW32",
	HWC:                                     "HWC",
	DLALinear:                               "DLALinear",
	DLAHWC4:                                 "DLAHWC4",
	HWC16:                                   "HWC16",
	DHWC:                                    "DHWC",
	NativeInstanceNorm:                      "NativeInstanceNorm",
	EnableUint8AndAsymmetricQuantizationDLA: "EnableUint8AndAsymmetricQuantizationDLA",
	ReportCapabilityDLA:                     "ReportCapabilityDLA",
	EnablePluginOverride:                    "EnablePluginOverride",
	AdjustForDLA:                            "AdjustForDLA",
	CalibrateBeforeFusion:                   "CalibrateBeforeFusion",
	Static:                                  "Static",
	OnProfileChange:                         "OnProfileChange",
	UserManaged:                             "UserManaged",
	LogInternalError:                        "LogInternalError",
	LogError:                                "LogError",
	LogWarning:                              "LogWarning",
	LogInfo:                                 "LogInfo",
	LogVerbose:                              "LogVerbose",
}

// inGo returns an enumerator as Go source: its constant, or a conversion if it has none.
func inGo[E ~string](kind string, e E) string {
	if name, ok := goNames[canonical(e)]; ok {
		return "trt." + name
	}
	return fmt.Sprintf("trt.%s(%q)", kind, string(canonical(e)))
}

// GoString returns the enumerator as Go source: trt.AmperePlus.
func (e Flag) GoString() string { return inGo("Flag", e) }

// GoString returns the enumerator as Go source.
func (e Constraints) GoString() string { return inGo("Constraints", e) }

// GoString returns the enumerator as Go source.
func (e CalibrationAlgorithm) GoString() string { return inGo("CalibrationAlgorithm", e) }

// GoString returns the enumerator as Go source.
func (e MemoryPool) GoString() string { return inGo("MemoryPool", e) }

// GoString returns the enumerator as Go source.
func (e HardwareLevel) GoString() string { return inGo("HardwareLevel", e) }

// GoString returns the enumerator as Go source.
func (e EngineCapability) GoString() string { return inGo("EngineCapability", e) }

// GoString returns the enumerator as Go source.
func (e RuntimePlatform) GoString() string { return inGo("RuntimePlatform", e) }

// GoString returns the enumerator as Go source.
func (e TilingLevel) GoString() string { return inGo("TilingLevel", e) }

// GoString returns the enumerator as Go source.
func (e Verbosity) GoString() string { return inGo("Verbosity", e) }

// GoString returns the enumerator as Go source.
func (e KernelSource) GoString() string { return inGo("KernelSource", e) }

// GoString returns the enumerator as Go source.
func (e PreviewFeature) GoString() string { return inGo("PreviewFeature", e) }

// GoString returns the enumerator as Go source.
func (e TensorFormat) GoString() string { return inGo("TensorFormat", e) }

// GoString returns the enumerator as Go source.
func (e ParserFlag) GoString() string { return inGo("ParserFlag", e) }

// GoString returns the enumerator as Go source.
func (e QuantizationFlag) GoString() string { return inGo("QuantizationFlag", e) }

// GoString returns the enumerator as Go source.
func (e LayerType) GoString() string { return inGo("LayerType", e) }

// GoString returns the enumerator as Go source.
func (e Strategy) GoString() string { return inGo("Strategy", e) }

// GoString returns the enumerator as Go source.
func (e Severity) GoString() string { return inGo("Severity", e) }
