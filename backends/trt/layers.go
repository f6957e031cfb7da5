package trt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
)

// layerTypes contains how many of an engine's layers compute in each type, as far as the engine's
// inspector reveals it.
type layerTypes struct {
	layers  int            // layers that compute something
	silent  int            // layers that do not report their types
	by      map[string]int // number of layers by the flag that allows their precision
	details bool           // the inspector reveals more than names
}

// typeWords lists the words that the inspector uses for the element types of tensors, as in "Half"
// or "Row-major linear FP16 format".
var typeWords = map[string][]string{
	flagFP16: {"fp16", "half"}, flagBF16: {"bf16", "bfloat16"}, flagINT8: {"int8"},
	flagFP8: {"fp8"}, flagINT4: {"int4"}, flagFP4: {"fp4"},
}

// readLayerTypes reads the inspector's JSON. A layer counts as using a precision if one of its
// inputs or outputs has that type. Layers that only move or convert data are not counted, because
// TensorRT inserts such layers wherever the precision changes, also at inputs and outputs.
//
// TF32 is not a tensor type. It is recognised by the names of kernels, but not every kernel that
// uses TF32 has it in its name.
func readLayerTypes(inspector []byte) layerTypes {
	found := layerTypes{by: map[string]int{}}
	var engine struct{ Layers []json.RawMessage }
	if json.Unmarshal(inspector, &engine) != nil {
		return found
	}
	for _, text := range engine.Layers {
		var layer struct {
			LayerType, TacticName string
			Inputs, Outputs       []struct {
				Type string `json:"Format/Datatype"`
			}
		}
		if json.Unmarshal(text, &layer) != nil { // the entry is only a name
			continue
		}
		found.details = true
		if !computes(layer.LayerType) {
			continue
		}
		found.layers++
		var types []string
		for _, t := range append(layer.Inputs, layer.Outputs...) {
			types = append(types, strings.ToLower(t.Type))
		}
		all := strings.Join(types, " ")
		if strings.TrimSpace(all) == "" || containsAny(strings.ToLower(layer.LayerType), opaque) {
			found.silent++
		}
		for flag, words := range typeWords {
			if containsAny(all, words) {
				found.by[flag]++
			}
		}
		if strings.Contains(strings.ToLower(layer.TacticName), "tf32") {
			found.by[flagTF32]++
		}
	}
	return found
}

// computes reports whether layers of the given kind compute anything.
func computes(kind string) bool {
	return !containsAny(strings.ToLower(kind), []string{"reformat", "constant", "noop", "shape",
		"wait", "signal", "host_to_device", "device_to_host", "copy", "shuffle"})
}

// opaque lists kinds of layers that contain other layers. The inspector reveals only the inputs and
// outputs of the outer layer.
var opaque = []string{"myelin", "foreign"}

func containsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// The first words of provenance entries about the use of a precision.
const (
	used     = "used"
	notUsed  = "not used"
	notKnown = "not known to be used"
)

// computed returns the value of [backends.Provenance.Computed] for an engine that may use the
// precisions that the flags allow. It is "" if layers do not report their types.
func (t layerTypes) computed(flags []string) string {
	var found []string
	for _, flag := range flags {
		if t.by[flag] > 0 {
			found = append(found, strings.ToLower(flag)+strings.TrimPrefix(t.use(flag), used))
		}
	}
	switch {
	case len(found) > 0:
		return strings.Join(found, ", ")
	case len(flags) == 0, t.details && t.silent == 0 && !slices.Contains(flags, flagTF32):
		return backends.Float32
	}
	return ""
}

// use returns text that says how many layers use the precision that the flag allows.
func (t layerTypes) use(flag string) string {
	n := t.by[flag]
	switch {
	case n > 0 && flag != flagTF32:
		return fmt.Sprintf("%s in %d of %d layers", used, n, t.layers)
	case n > 0:
		return fmt.Sprintf("%s in at least %d of %d layers", used, n, t.layers)
	case !t.details:
		return notKnown + ": the engine does not report layer types; build it with trt.Detailed()"
	case flag == flagTF32:
		return notKnown + ": no kernel's name contains tf32"
	case t.silent > 0:
		return fmt.Sprintf("%s: %d of %d layers do not report their types", notKnown, t.silent, t.layers)
	}
	return fmt.Sprintf("%s: none of %d layers has an input or output of this type", notUsed, t.layers)
}
