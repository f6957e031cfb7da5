//go:build linux && cgo

package trt

import (
	"fmt"
	"maps"
	"strings"

	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/tensor"
)

// computed is the tensors of a network that can be outputs or debug tensors: those that the GPU
// computes. Shape tensors live on the CPU, and a tensor within a loop has no single value.
// Constants are left out, as Polygraphy leaves them out: they differ between no two engines. Every
// one has a name that no other has: the parser may leave two tensors within operators with one.
func computed(n trtabi.Network) []trtabi.Tensor {
	var tensors []trtabi.Tensor
	seen := map[string]trtabi.Tensor{}
	inLoop := false
	for _, layer := range n.Layers() {
		switch layerType(layer) {
		case "TRIP_LIMIT", "ITERATOR", "RECURRENCE":
			inLoop = true
		case "LOOP_OUTPUT":
			inLoop = false
		case "SHAPE", "CONSTANT":
			continue
		}
		if inLoop {
			continue
		}
		for _, t := range layer.Outputs() {
			if t.IsShape() || !t.IsExecution() {
				continue
			}
			name := t.Name()
			for i, other := 2, seen[name]; other.Exists() && other != t; i++ {
				name = fmt.Sprintf("%s_%d", t.Name(), i)
				other = seen[name]
			}
			if name != t.Name() {
				t.SetName(name)
			}
			seen[name] = t
			tensors = append(tensors, t)
		}
	}
	return tensors
}

// layerType is the name of a layer's type; "" for one that came after this was written.
func layerType(layer trtabi.Layer) string {
	if i := layer.Type(); i < len(trtabi.LayerTypes) {
		return trtabi.LayerTypes[i]
	}
	return ""
}

func tensorNames(tensors []trtabi.Tensor) []string {
	names := make([]string, len(tensors))
	for i, t := range tensors {
		names[i] = t.Name()
	}
	return names
}

// markOutput makes a tensor an output by the name that it has in the network. The parser leaves the
// tensors within an operator unnamed where that becomes several layers; as outputs of an engine
// those would be called by the layer's number, as "(Unnamed Layer* 14) [Matrix Multiply]_output".
func markOutput(n trtabi.Network, t trtabi.Tensor) {
	t.SetName(t.Name())
	n.MarkOutput(t)
}

// markDebug makes a tensor a debug tensor by that name, and reports whether TensorRT takes it.
func markDebug(n trtabi.Network, t trtabi.Tensor) bool {
	t.SetName(t.Name())
	return n.MarkDebug(t)
}

// apply marks tensors of a network as outputs and takes marks away.
func (m marks) apply(n trtabi.Network) error {
	tensors := computed(n)
	if err := unfit(m.Names, tensorNames(tensors), "tensor"); err != nil {
		return err
	}
	for _, t := range tensors {
		if (m.All || fits(m.Names, t.Name())) && !t.IsOutput() {
			markOutput(n, t)
		}
	}
	for _, layer := range n.Layers() {
		for _, kind := range m.Types {
			if layerType(layer) != kind {
				continue
			}
			for _, t := range layer.Outputs() {
				if !t.IsOutput() && !t.IsShape() && t.IsExecution() {
					markOutput(n, t)
				}
			}
		}
	}
	outputs := n.Outputs()
	if err := unfit(m.Exclude, tensorNames(outputs), "output"); err != nil {
		return err
	}
	for _, t := range outputs {
		if fits(m.Exclude, t.Name()) {
			n.UnmarkOutput(t)
		}
	}
	if len(n.Outputs()) == 0 {
		return fmt.Errorf("no output is left of %s", abridged(tensorNames(outputs)))
	}
	return nil
}

// setTypes sets the element types and layouts that the options ask for.
func (b buildSettings) setTypes(n trtabi.Network) error {
	layers := n.Layers()
	for pattern, name := range b.LayerTypes {
		elem, err := tensor.ParseElementType(name)
		if err != nil {
			return err
		}
		found := false
		for _, layer := range layers {
			if !fits([]string{pattern}, layer.Name()) ||
				(layer.Name() != pattern && !computesFloats(layer)) {
				continue
			}
			found = true
			if err := setPrecision(layer, dataTypes[elem]); err != nil {
				return instead(err, typeModel)
			}
		}
		if !found && b.Part {
			continue // another part has the layer
		}
		if !found {
			names := make([]string, len(layers))
			for i, layer := range layers {
				names[i] = layer.Name()
			}
			if err := unfit([]string{pattern}, names, "layer"); err != nil {
				return err
			}
			return fmt.Errorf("no layer that fits %q computes floats, so none has a precision to "+
				"choose", pattern)
		}
	}
	bindings := append(n.Inputs(), n.Outputs()...)
	find := func(name string) (trtabi.Tensor, error) {
		for _, t := range bindings {
			if t.Name() == name {
				return t, nil
			}
		}
		return trtabi.Tensor{}, unfit([]string{name}, tensorNames(bindings), "input or output")
	}
	for name, typeName := range everyOne(b.TensorTypes, bindings) {
		t, err := find(name)
		if err != nil && b.Part {
			continue
		}
		if err != nil {
			return err
		}
		elem, err := tensor.ParseElementType(typeName)
		if err != nil {
			return err
		}
		if err := t.SetType(dataTypes[elem]); err != nil {
			return instead(err, typeModel)
		}
	}
	for name, formats := range everyOne(b.Formats, bindings) {
		t, err := find(name)
		if err != nil && b.Part {
			continue
		}
		if err != nil {
			return err
		}
		var bits uint32
		for _, format := range strings.Split(formats, "|") {
			bits |= 1 << index(trtabi.TensorFormats, format)
		}
		t.SetAllowedFormats(bits)
	}
	return nil
}

// everyOne spells "*" out: the setting of all inputs and outputs that have none of their own.
func everyOne(settings map[string]string, bindings []trtabi.Tensor) map[string]string {
	all, given := settings["*"]
	if !given {
		return settings
	}
	each := maps.Clone(settings)
	delete(each, "*")
	for _, t := range bindings {
		if _, named := each[t.Name()]; !named {
			each[t.Name()] = all
		}
	}
	return each
}

// computesFloats reports whether a layer's precision can be chosen. The others compute shapes,
// indices and truth values, and TensorRT builds no engine where one of them is given a float type.
func computesFloats(layer trtabi.Layer) bool {
	floats := false
	for _, output := range layer.Outputs() {
		floats = floats || isFloat(output.Type())
		if output.IsShape() {
			return false
		}
	}
	return floats
}

func isFloat(t trtabi.DataType) bool {
	return t == trtabi.Float32 || t == trtabi.Float16 || t == trtabi.BFloat16
}

// setPrecision sets what a layer computes in, and its outputs' types as far as they are floats:
// those of a comparison or a shape stay what they are.
func setPrecision(layer trtabi.Layer, t trtabi.DataType) error {
	if err := layer.SetPrecision(t); err != nil {
		return err
	}
	for i, output := range layer.Outputs() {
		if isFloat(output.Type()) {
			if err := layer.SetOutputType(i, t); err != nil {
				return err
			}
		}
	}
	return nil
}
