//go:build linux && cgo

package trtabi

// #include "call.h"
import "C"

import (
	"fmt"
	"slices"
)

// Decompose allows TensorRT to compute each attention layer of the network with several kernels if
// there is no fused kernel for it (10.14 and later).
func (n Network) Decompose() error {
	attention, err := n.l.slot(C.trt_VAttentionBoundaryLayer_getAttention)
	if err != nil {
		return err
	}
	set, err := n.l.slot(C.trt_VAttention_setDecomposable)
	if err != nil {
		return err
	}
	first := slices.Index(LayerTypes, "ATTENTION_INPUT")
	for _, layer := range n.Layers() {
		if layer.Type() != first {
			continue
		}
		o, err := n.l.wrap(C.VAttentionBoundaryLayer_getAttention(attention, layer.p), "attention")
		if err == nil && !bool(C.VAttention_setDecomposable(set, o.p, true)) {
			err = fmt.Errorf("TensorRT %v cannot decompose the attention layer", n.l.Version())
		}
		if err != nil {
			return fmt.Errorf("layer %q: %w", layer.Name(), err)
		}
	}
	return nil
}
