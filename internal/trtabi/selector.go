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
func (l *Library) Selector(s Selector) (*Callback, error) {
	reader, err := l.tacticReader()
	if err != nil {
		return nil, err
	}
	return l.newCallback(C.TRT_SELECTOR, selection{s, reader}), nil
}

// SetSelector sets the selector of tactics.
func (c Config) SetSelector(selector *Callback) error {
	slot, err := c.l.slot(C.trt_VBuilderConfig_setAlgorithmSelector)
	if err == nil {
		C.VBuilderConfig_setAlgorithmSelector(slot, c.p, selector.pointer())
	}
	return err
}

type selection struct {
	Selector
	tacticReader
}

// tacticReader reads TensorRT's descriptions of tactics. It looks up the slots of methods once,
// because a build has thousands of tactics.
type tacticReader struct {
	name, inputs, outputs                    C.trt_slot // of a VAlgorithmContext
	variant, tensor                          C.trt_slot // of a VAlgorithm
	implementation, tactic                   C.trt_slot // of a VAlgorithmVariant
	elem, strides, vectorizedDim, components C.trt_slot // of a VAlgorithmIOInfo
}

func (l *Library) tacticReader() (r tacticReader, err error) {
	for row, to := range map[C.int]*C.trt_slot{
		C.trt_VAlgorithmContext_getName:                &r.name,
		C.trt_VAlgorithmContext_getNbInputs:            &r.inputs,
		C.trt_VAlgorithmContext_getNbOutputs:           &r.outputs,
		C.trt_VAlgorithm_getAlgorithmVariant:           &r.variant,
		C.trt_VAlgorithm_getAlgorithmIOInfoByIndex:     &r.tensor,
		C.trt_VAlgorithmVariant_getImplementation:      &r.implementation,
		C.trt_VAlgorithmVariant_getTactic:              &r.tactic,
		C.trt_VAlgorithmIOInfo_getDataType:             &r.elem,
		C.trt_VAlgorithmIOInfo_getStrides:              &r.strides,
		C.trt_VAlgorithmIOInfo_getVectorizedDim:        &r.vectorizedDim,
		C.trt_VAlgorithmIOInfo_getComponentsPerElement: &r.components,
	} {
		if *to, err = l.slot(row); err != nil {
			return r, err
		}
	}
	return r, nil
}

// layer returns the name of the layer that a context describes.
func (r tacticReader) layer(context unsafe.Pointer) string {
	return C.GoString(C.VAlgorithmContext_getName(r.name, context))
}

// read returns the description of a tactic. Its tensors have consecutive numbers: first the inputs,
// then the outputs.
func (r tacticReader) read(context, tactic unsafe.Pointer) Tactic {
	variant := C.VAlgorithm_getAlgorithmVariant(r.variant, tactic)
	t := Tactic{
		Implementation: int64(C.VAlgorithmVariant_getImplementation(r.implementation, variant)),
		Tactic:         int64(C.VAlgorithmVariant_getTactic(r.tactic, variant)),
	}
	inputs := int(C.VAlgorithmContext_getNbInputs(r.inputs, context))
	all := inputs + int(C.VAlgorithmContext_getNbOutputs(r.outputs, context))
	for i := range all {
		info := C.VAlgorithm_getAlgorithmIOInfoByIndex(r.tensor, tactic, C.int32_t(i))
		tensor := TacticTensor{
			Type:          DataType(C.VAlgorithmIOInfo_getDataType(r.elem, info)),
			Strides:       goDims(C.VAlgorithmIOInfo_getStrides(r.strides, info)),
			VectorizedDim: int(C.VAlgorithmIOInfo_getVectorizedDim(r.vectorizedDim, info)),
			Components:    int(C.VAlgorithmIOInfo_getComponentsPerElement(r.components, info)),
		}
		if i < inputs {
			t.Inputs = append(t.Inputs, tensor)
		} else {
			t.Outputs = append(t.Outputs, tensor)
		}
	}
	return t
}
