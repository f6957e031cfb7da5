package trtabi

// This file lists enumerators of TensorRT. If TensorRT 11 renumbered an enumeration, its table has
// numbers for 10.x and for 11.x; otherwise the numbers are the same in both.

// Gone stands for the number of an enumerator that a major version lacks.
const Gone = -1

// Enumerator is an enumerator's number in TensorRT 10.x and in 11.x.
type Enumerator struct {
	V10, V11 int
	Since    int // the first minor version of 10 that has it
}

// BuilderFlags are the builder's flags (BuilderFlag).
var BuilderFlags = map[string]Enumerator{
	"FP16":                         {0, Gone, 0},
	"INT8":                         {1, Gone, 0},
	"GPU_FALLBACK":                 {3, 3, 0},
	"REFIT":                        {4, 4, 0},
	"DISABLE_TIMING_CACHE":         {5, 5, 0},
	"TF32":                         {6, 6, 0},
	"SPARSE_WEIGHTS":               {7, 7, 0},
	"SAFETY_SCOPE":                 {8, 8, 0},
	"OBEY_PRECISION_CONSTRAINTS":   {9, Gone, 0},
	"PREFER_PRECISION_CONSTRAINTS": {10, Gone, 0},
	"DIRECT_IO":                    {11, 11, 0},
	"REJECT_EMPTY_ALGORITHMS":      {12, Gone, 0},
	"VERSION_COMPATIBLE":           {13, 12, 0},
	"EXCLUDE_LEAN_RUNTIME":         {14, 13, 0},
	"FP8":                          {15, Gone, 0},
	"ERROR_ON_TIMING_CACHE_MISS":   {16, 15, 0},
	"BF16":                         {17, Gone, 0},
	"DISABLE_COMPILATION_CACHE":    {18, 17, 0},
	"STRIP_PLAN":                   {19, 18, 0},
	"REFIT_IDENTICAL":              {20, 19, 0},
	"WEIGHT_STREAMING":             {21, 20, 0},
	"STRICT_NANS":                  {24, 23, 6},
	"EDITABLE_TIMING_CACHE":        {27, 26, 8},
	"DISTRIBUTIVE_INDEPENDENCE":    {28, 27, 12},
}

// NetworkFlags are the flags with which a network is created (NetworkDefinitionCreationFlag).
var NetworkFlags = map[string]Enumerator{
	"STRONGLY_TYPED": {1, 0, 0},
}

// TacticSources are the libraries from which the builder takes implementations (TacticSource).
var TacticSources = map[string]Enumerator{
	"CUBLAS":                 {0, Gone, 0},
	"CUBLAS_LT":              {1, Gone, 0},
	"CUDNN":                  {2, Gone, 0},
	"EDGE_MASK_CONVOLUTIONS": {3, 0, 0},
	"JIT_CONVOLUTIONS":       {4, 1, 0},
}

// PreviewFeatures are features that are off by default (PreviewFeature).
var PreviewFeatures = map[string]Enumerator{
	"PROFILE_SHARING_0806":            {0, Gone, 0},
	"ALIASED_PLUGIN_IO_10_03":         {1, 0, 3},
	"RUNTIME_ACTIVATION_RESIZE_10_10": {2, 1, 10},
}
