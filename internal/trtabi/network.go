//go:build linux && cgo

package trtabi

// #include "callback.h"
import "C"

import (
	"errors"
	"unsafe"
)

// Network is a graph of layers (INetworkDefinition).
type Network struct{ object }

// Layer is one layer of a network (ILayer). The network owns it.
type Layer struct{ object }

// Tensor is a tensor in a network (ITensor). The network owns it.
type Tensor struct{ object }

// Layers returns the layers in the order in which they were added.
func (n Network) Layers() []Layer {
	return list[Layer](n.l, C.VNetworkDefinition_getNbLayers(n.major(), n.p),
		func(i C.int32_t) unsafe.Pointer {
			return C.VNetworkDefinition_getLayer(n.major(), n.p, i)
		})
}

// Inputs returns the network's inputs.
func (n Network) Inputs() []Tensor {
	return list[Tensor](n.l, C.VNetworkDefinition_getNbInputs(n.major(), n.p),
		func(i C.int32_t) unsafe.Pointer {
			return C.VNetworkDefinition_getInput(n.major(), n.p, i)
		})
}

// Outputs returns the tensors marked as outputs.
func (n Network) Outputs() []Tensor {
	return list[Tensor](n.l, C.VNetworkDefinition_getNbOutputs(n.major(), n.p),
		func(i C.int32_t) unsafe.Pointer {
			return C.VNetworkDefinition_getOutput(n.major(), n.p, i)
		})
}

// MarkOutput makes a tensor an output.
func (n Network) MarkOutput(t Tensor) { C.VNetworkDefinition_markOutput(n.major(), n.p, t.p) }

// UnmarkOutput undoes MarkOutput.
func (n Network) UnmarkOutput(t Tensor) { C.VNetworkDefinition_unmarkOutput(n.major(), n.p, t.p) }

// MarkDebug makes a tensor a debug tensor, and reports whether TensorRT accepted it.
func (n Network) MarkDebug(t Tensor) bool {
	return bool(C.VNetworkDefinition_markDebug(n.major(), n.p, t.p))
}

// MarkUnfused makes every tensor that remains after fusion a debug tensor (10.12 and later).
func (n Network) MarkUnfused() error {
	slot, err := n.l.slot(C.trt_VNetworkDefinition_markUnfusedTensorsAsDebugTensors)
	if err == nil && !bool(C.VNetworkDefinition_markUnfusedTensorsAsDebugTensors(slot, n.p)) {
		err = errors.New("TensorRT cannot mark unfused tensors as debug tensors")
	}
	return err
}

// Name returns the layer's name.
func (l Layer) Name() string { return C.GoString(C.VLayer_getName(l.major(), l.p)) }

// Type returns the layer's kind as an index into [LayerTypes].
func (l Layer) Type() int { return int(C.VLayer_getType(l.major(), l.p)) }

// Outputs returns the layer's outputs. Absent optional outputs are left out.
func (l Layer) Outputs() []Tensor {
	return list[Tensor](l.l, C.VLayer_getNbOutputs(l.major(), l.p),
		func(i C.int32_t) unsafe.Pointer { return C.VLayer_getOutput(l.major(), l.p, i) })
}

// Inputs returns the layer's inputs. Absent optional inputs are left out.
func (l Layer) Inputs() []Tensor {
	return list[Tensor](l.l, C.VLayer_getNbInputs(l.major(), l.p),
		func(i C.int32_t) unsafe.Pointer { return C.VLayer_getInput(l.major(), l.p, i) })
}

// list returns the objects at the indices below n, without null pointers.
func list[T ~struct{ object }](l *Library, n C.int32_t, at func(C.int32_t) unsafe.Pointer) []T {
	all := make([]T, 0, n)
	for i := range n {
		if p := at(i); uintptr(p) >= nothing {
			all = append(all, T{object{l, p}})
		}
	}
	return all
}

// SetPrecision sets the type in which the layer computes (removed in TensorRT 11).
func (l Layer) SetPrecision(t DataType) error {
	return l.l.varying(C.trt_VLayer_setPrecision, func(slot C.trt_slot) {
		C.VLayer_setPrecision(slot, l.p, C.int32_t(t))
	})
}

// SetOutputType sets the type of one output (removed in TensorRT 11).
func (l Layer) SetOutputType(i int, t DataType) error {
	return l.l.varying(C.trt_VLayer_setOutputType, func(slot C.trt_slot) {
		C.VLayer_setOutputType(slot, l.p, C.int32_t(i), C.int32_t(t))
	})
}

// Name returns the tensor's name. If a tensor has no name in the model, TensorRT makes one from the
// name of the layer. The network and the engine then have different names for the tensor.
func (t Tensor) Name() string { return C.GoString(C.VTensor_getName(t.major(), t.p)) }

// SetName sets the tensor's name in the network and in the engine. TensorRT copies the name.
func (t Tensor) SetName(name string) {
	named(name, func(name *C.char) struct{} {
		C.VTensor_setName(t.major(), t.p, name)
		return struct{}{}
	})
}

// Shape returns the tensor's shape: -1 for a dynamic dimension, nil for an unknown rank.
func (t Tensor) Shape() []int { return goDims(C.VTensor_getDimensions(t.major(), t.p)) }

// Type returns the tensor's element type.
func (t Tensor) Type() DataType { return DataType(C.VTensor_getType(t.major(), t.p)) }

// IsOutput reports whether the tensor is an output of the network.
func (t Tensor) IsOutput() bool { return bool(C.VTensor_isNetworkOutput(t.major(), t.p)) }

// IsShape reports whether shapes depend on the values of the tensor. Such a tensor is computed on
// the CPU.
func (t Tensor) IsShape() bool { return bool(C.VTensor_isShapeTensor(t.major(), t.p)) }

// IsExecution reports whether the tensor is computed on the GPU.
func (t Tensor) IsExecution() bool { return bool(C.VTensor_isExecutionTensor(t.major(), t.p)) }

// SetAllowedFormats sets the memory layouts that an input or output may have. Bit i stands for the
// i-th of [TensorFormats].
func (t Tensor) SetAllowedFormats(bits uint32) {
	C.VTensor_setAllowedFormats(t.major(), t.p, C.uint32_t(bits))
}

// SetType sets the element type of an input or output (removed in TensorRT 11).
func (t Tensor) SetType(elem DataType) error {
	return t.l.varying(C.trt_VTensor_setType, func(slot C.trt_slot) {
		C.VTensor_setType(slot, t.p, C.int32_t(elem))
	})
}
