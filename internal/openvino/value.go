package openvino

import (
	"time"

	"github.com/modelparity/modelparity/internal/dlopen"
	"github.com/modelparity/modelparity/tensor"
)

// Patience is how long OpenVINO may take to stop after a context has ended.
const Patience = 2 * time.Second

// Feed is a tensor and the input that it is for.
type Feed struct {
	Input  int // index of the input
	Tensor *tensor.Tensor
}

// Port describes one input or output of a model.
type Port struct {
	Name    string // one of the port's names; "" if it has none
	Type    int    // the C API's number for the element type; see [Codes]
	HasRank bool
	Dims    []int // -1 if the dimension has no fixed size
}

// Kernel describes the code that computes a node of a compiled model: the node's type, such as
// FullyConnected, and the kernel's name, which ends in the precision, such as brgemm_avx512_f32.
type Kernel struct{ Type, Name string }

// Codes lists the element types by the C API's numbers (enum ov_element_type_e). OpenVINO also has
// types that package tensor lacks: U1, U3, U6 and NF4. Strings are valid in models, but not as
// inputs and outputs of a run.
var Codes = dlopen.Codes{
	1:  tensor.Bool,
	2:  tensor.BFloat16,
	3:  tensor.Float16,
	4:  tensor.Float32,
	5:  tensor.Float64,
	6:  tensor.Int4,
	7:  tensor.Int8,
	8:  tensor.Int16,
	9:  tensor.Int32,
	10: tensor.Int64,
	12: tensor.Uint2,
	14: tensor.Uint4,
	16: tensor.Uint8,
	17: tensor.Uint16,
	18: tensor.Uint32,
	19: tensor.Uint64,
	21: tensor.Float8E4M3FN,
	22: tensor.Float8E5M2,
	23: tensor.String,
	24: tensor.Float4E2M1,
	25: tensor.Float8E8M0,
}
