package openvino

import (
	"github.com/modelparity/modelparity/backends/internal/native"
	abi "github.com/modelparity/modelparity/internal/openvino"
	"github.com/modelparity/modelparity/tensor"
)

// numbers maps element types to the library's type codes.
var numbers = native.Codes[abi.ElementType]{
	tensor.Float16:      abi.Float16,
	tensor.BFloat16:     abi.BFloat16,
	tensor.Float32:      abi.Float32,
	tensor.Float64:      abi.Float64,
	tensor.Int8:         abi.Int8,
	tensor.Int16:        abi.Int16,
	tensor.Int32:        abi.Int32,
	tensor.Int64:        abi.Int64,
	tensor.Uint8:        abi.Uint8,
	tensor.Uint16:       abi.Uint16,
	tensor.Uint32:       abi.Uint32,
	tensor.Uint64:       abi.Uint64,
	tensor.Bool:         abi.Bool,
	tensor.String:       abi.String, // only in declarations; see [session.runnable]
	tensor.Float8E4M3FN: abi.Float8E4M3,
	tensor.Float8E5M2:   abi.Float8E5M2,
	tensor.Int4:         abi.Int4,
	tensor.Uint4:        abi.Uint4,
	tensor.Float8E8M0:   abi.Float8E8M0,
	tensor.Float4E2M1:   abi.Float4E2M1,
	tensor.Uint2:        abi.Uint2,
}
