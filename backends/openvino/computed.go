package openvino

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	abi "github.com/modelparity/modelparity/internal/openvino"
)

// moving lists the types of nodes that only move or convert values. OpenVINO inserts such nodes
// around nodes with a different precision.
var moving = []string{"Parameter", "Input", "Result", "Output", "Constant", "Reorder", "Convert",
	"Reshape", "Transpose"}

// computed returns the value of [backends.Provenance.Computed] for a compiled model. wide is true
// if the model has float64 operations, which OpenVINO computes in float32. group is the group size
// of dynamic quantization. Unless it is 0, matrix multiplications with compressed weights round
// their inputs to int8, which the kernels' names do not show.
func computed(kernels []abi.Kernel, wide bool, group string) string {
	if len(kernels) == 0 {
		return ""
	}
	all, quantized, lower := 0, 0, map[string]int{}
	for _, k := range kernels {
		if slices.Contains(moving, k.Type) {
			continue
		}
		all++
		precision := k.Name[strings.LastIndex(k.Name, "_")+1:]
		switch {
		case precision == "bf16", precision == "f16":
			lower[precision]++
		case strings.HasPrefix(k.Type, "FullyConnectedCompressed") && group != "" && group != "0":
			quantized++
		}
	}
	var found []string
	for _, precision := range []string{"bf16", "f16"} {
		if lower[precision] > 0 {
			found = append(found, fmt.Sprintf("%s in %d of %d nodes", precision, lower[precision], all))
		}
	}
	if quantized > 0 {
		found = append(found, fmt.Sprintf("int8 in %d of %d nodes (dynamic quantization, groups of %s)",
			quantized, all, group))
	}
	if wide {
		found = append(found, backends.Narrowed)
	}
	if len(found) == 0 {
		return backends.Float32
	}
	return strings.Join(found, ", ")
}
