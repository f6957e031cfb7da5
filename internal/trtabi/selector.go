//go:build linux && cgo

package trtabi

// #include "callback.h"
import "C"

import "unsafe"

// Selector chooses the tactics of a build (IAlgorithmSelector; removed in TensorRT 11).
type Selector interface {
	// Select returns the indices of the choices that TensorRT may use for a layer. If Select
	// returns none, TensorRT chooses freely, or cancels the build if REJECT_EMPTY_ALGORITHMS is
	// set.
	Select(layer string, choices []Tactic) []int
	// Report is called with the choice that TensorRT made for a layer.
	Report(layer string, chosen Tactic)
}

// Selector returns a callback through which TensorRT calls s; pass it to [Config.SetSelector].
func (l *Library) Selector(s Selector) *Callback {
	return l.newCallback(C.TRT_SELECTOR, selection{s, l})
}

// SetSelector sets the selector of tactics.
func (c Config) SetSelector(selector *Callback) error {
	return c.l.varying(C.trt_VBuilderConfig_setAlgorithmSelector, func(slot C.trt_slot) {
		C.VBuilderConfig_setAlgorithmSelector(slot, c.p, selector.pointer())
	})
}

// selection reads TensorRT's descriptions of tactics. All releases of TensorRT 10 have the methods
// that it calls.
type selection struct {
	Selector
	library *Library
}

// slot returns the position of a method in its class's table of methods; row identifies the method.
// The position exists, because all releases of TensorRT 10 have the methods that are called here.
func (s selection) slot(row C.int) C.trt_slot {
	slot, _ := s.library.slot(row)
	return slot
}

// layer returns the name of the layer that an IAlgorithmContext describes.
func (s selection) layer(context unsafe.Pointer) string {
	return C.GoString(C.VAlgorithmContext_getName(s.slot(C.trt_VAlgorithmContext_getName), context))
}

// read returns the description of a tactic. The tensors of a tactic have consecutive numbers: first
// the inputs, then the outputs.
func (s selection) read(context, tactic unsafe.Pointer) Tactic {
	variant := C.VAlgorithm_getAlgorithmVariant(s.slot(C.trt_VAlgorithm_getAlgorithmVariant), tactic)
	t := Tactic{
		Implementation: int64(C.VAlgorithmVariant_getImplementation(
			s.slot(C.trt_VAlgorithmVariant_getImplementation), variant)),
		Tactic: int64(C.VAlgorithmVariant_getTactic(s.slot(C.trt_VAlgorithmVariant_getTactic), variant)),
	}
	inputs := C.VAlgorithmContext_getNbInputs(s.slot(C.trt_VAlgorithmContext_getNbInputs), context)
	outputs := C.VAlgorithmContext_getNbOutputs(s.slot(C.trt_VAlgorithmContext_getNbOutputs), context)
	for i := range inputs + outputs {
		info := C.VAlgorithm_getAlgorithmIOInfoByIndex(
			s.slot(C.trt_VAlgorithm_getAlgorithmIOInfoByIndex), tactic, i)
		tensor := TacticTensor{
			Type: DataType(C.VAlgorithmIOInfo_getDataType(
				s.slot(C.trt_VAlgorithmIOInfo_getDataType), info)),
			Strides: goDims(C.VAlgorithmIOInfo_getStrides(
				s.slot(C.trt_VAlgorithmIOInfo_getStrides), info)),
			VectorizedDim: int(C.VAlgorithmIOInfo_getVectorizedDim(
				s.slot(C.trt_VAlgorithmIOInfo_getVectorizedDim), info)),
			Components: int(C.VAlgorithmIOInfo_getComponentsPerElement(
				s.slot(C.trt_VAlgorithmIOInfo_getComponentsPerElement), info)),
		}
		if i < inputs {
			t.Inputs = append(t.Inputs, tensor)
		} else {
			t.Outputs = append(t.Outputs, tensor)
		}
	}
	return t
}
