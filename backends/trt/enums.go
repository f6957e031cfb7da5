package trt

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/internal/trtabi"
)

// The types of enumerated arguments of options. A value is NVIDIA's name without the leading k, in
// upper or lower case, so a command-line argument can be converted directly:
// trt.MemoryPool("workspace").
type (
	// Constraints says how strictly the builder follows [LayerPrecision].
	Constraints string
	// MemoryPool is a kind of memory that [PoolLimit] limits.
	MemoryPool string
	// KernelSource is a library from which the builder takes kernels: NVIDIA's tactic source.
	KernelSource string
	// TensorFormat is the layout of a tensor in memory.
	TensorFormat string
	// LayerType is a kind of layer: "CONVOLUTION", "SOFTMAX", …; the error for an unknown type
	// lists all of them.
	LayerType string
)

// The names of builder flags that have further effects in this package.
const (
	flagFP16               = "FP16"
	flagBF16               = "BF16"
	flagINT8               = "INT8"
	flagFP8                = "FP8"
	flagINT4               = "INT4"
	flagFP4                = "FP4"
	flagTF32               = "TF32"
	flagObey               = "OBEY_PRECISION_CONSTRAINTS"
	flagPrefer             = "PREFER_PRECISION_CONSTRAINTS"
	flagDirectIO           = "DIRECT_IO"
	flagGPUFallback        = "GPU_FALLBACK"
	flagVersionCompatible  = "VERSION_COMPATIBLE"
	flagStripPlan          = "STRIP_PLAN"
	flagDisableTimingCache = "DISABLE_TIMING_CACHE"
	flagRejectEmpty        = "REJECT_EMPTY_ALGORITHMS"

	detailed          = "DETAILED"           // the value that Detailed sets
	legacyCalibration = "LEGACY_CALIBRATION" // the algorithm of LegacyCalibration
)

// The constraints.
const (
	Prefer Constraints = "PREFER" // follow it if TensorRT can
	Obey   Constraints = "OBEY"   // fail the build if TensorRT cannot follow it
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

// The sources of kernels.
const (
	CUBLAS               KernelSource = "CUBLAS"    // TensorRT 10
	CUBLASLt             KernelSource = "CUBLAS_LT" // TensorRT 10
	CUDNN                KernelSource = "CUDNN"     // TensorRT 10
	EdgeMaskConvolutions KernelSource = "EDGE_MASK_CONVOLUTIONS"
	JITConvolutions      KernelSource = "JIT_CONVOLUTIONS"
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

// The valid values of each enumeration. They are listed in TensorRT's order if the order is the
// same in all versions.
var (
	constraints           = []string{"OBEY", "PREFER"}
	calibrationAlgorithms = []string{legacyCalibration, "ENTROPY_CALIBRATION",
		"ENTROPY_CALIBRATION_2", "MINMAX_CALIBRATION"}
	kernelSources = slices.Sorted(maps.Keys(trtabi.TacticSources))
)

// canonical returns an enumerator in NVIDIA's spelling.
func canonical[E ~string](e E) E {
	return E(strings.ToUpper(strings.ReplaceAll(string(e), "-", "_")))
}

// known returns an error if one of the values is not in names. The error lists the names.
func known[E ~string](what string, names []string, values ...E) error {
	for _, e := range values {
		if !slices.Contains(names, string(e)) {
			return fmt.Errorf("unknown %s %q; it must be one of %s", what, string(e),
				strings.Join(names, ", "))
		}
	}
	return nil
}

// inGo returns an enumerator as an option's argument. In Go source, it is a string literal.
func inGo[E ~string](e E) option.Argument { return option.Enum(e, strconv.Quote(string(e))) }

func allInGo[E ~string](list []E) (all []option.Argument) {
	for _, e := range list {
		all = append(all, inGo(e))
	}
	return all
}
