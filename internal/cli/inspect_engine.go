package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// engineText describes an engine for people, with one line for each input and output. If detailed
// is true, it adds a line for each layer. The text ends with a newline.
func engineText(info trt.Information, detailed bool) string {
	var b strings.Builder
	refit := "its weights cannot be replaced"
	if info.Refittable {
		refit = "its weights can be replaced"
	}
	fmt.Fprintf(&b, "engine of TensorRT %s: %s, %s, %s\n", info.TensorRT,
		figures.Plural(info.Layers, "layer"), figures.Plural(info.Profiles, "optimization profile"),
		figures.Plural(info.AuxStreams, "auxiliary stream"))
	fmt.Fprintf(&b, "%s; an inference takes %d bytes on the GPU; %d bytes of weights can be "+
		"streamed\n", refit, info.DeviceMemory, info.StreamableWeight)
	for _, t := range info.Tensors {
		what := "output"
		if t.Input {
			what = "input"
		}
		fmt.Fprintf(&b, "  %-6s %s %s%v  %s\n", what, t.Name, t.Type, tensor.Shape(t.Shape), t.Format)
		for i, shapes := range t.Profiles {
			fmt.Fprintf(&b, "         profile %d", i)
			for k, bound := range []string{"min", "opt", "max"} {
				fmt.Fprintf(&b, "  %s %v", bound, tensor.Shape(shapes[k]))
			}
			b.WriteByte('\n')
		}
	}
	if detailed {
		layersText(&b, info.Inspector)
	}
	return b.String()
}

// layersText writes the layers in the inspector's JSON. The JSON contains names or, if the engine
// was built with DETAILED verbosity, objects that also name the tactic.
func layersText(b *strings.Builder, inspector json.RawMessage) {
	var said struct{ Layers []json.RawMessage }
	if json.Unmarshal(inspector, &said) != nil {
		return
	}
	for i, layer := range said.Layers {
		var name string
		var detail struct{ Name, LayerType, TacticName string }
		if json.Unmarshal(layer, &name) != nil && json.Unmarshal(layer, &detail) == nil {
			name = strings.Join(slices.DeleteFunc([]string{detail.Name, detail.LayerType,
				detail.TacticName}, func(s string) bool { return s == "" }), "  ")
		}
		fmt.Fprintf(b, "  layer %-4d %s\n", i, name)
	}
}
