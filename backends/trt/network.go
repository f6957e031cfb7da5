//go:build linux && cgo

package trt

import (
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/tensor"
)

// computed returns the tensors of a network that the GPU computes: the tensors that can be outputs
// or debug tensors. It omits shape tensors, because they are on the CPU, and tensors within a loop,
// because they have no single value. Like Polygraphy, it also omits constants, which are the same
// in all engines. It makes the names unique, because the parser may give two tensors inside
// operators the same name.
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

// layerType returns the name of a layer's type, or "" for a type that is newer than this package.
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

// markOutput marks a tensor as an output. It also sets the tensor's name, because the engine would
// otherwise use a different name for a tensor between two layers of one operator, such as
// "(Unnamed Layer* 14) [Matrix Multiply]_output".
func markOutput(n trtabi.Network, t trtabi.Tensor) {
	t.SetName(t.Name())
	n.MarkOutput(t)
}

// markDebug marks a tensor as a debug tensor, keeps its name in the network, and reports whether
// TensorRT accepts the mark.
func markDebug(n trtabi.Network, t trtabi.Tensor) bool {
	t.SetName(t.Name())
	return n.MarkDebug(t)
}

// markOutputs adds and removes outputs as the options require, and lists the intermediate tensors
// that the engine will return.
func (c *construction) markOutputs() error {
	tensors := computed(c.network)
	inside, err := c.Marks.find(tensors, c.casts != nil)
	if err != nil {
		return err
	}
	c.artifact = &artifact{AsOutput: c.asOutput, Inside: inside}
	return c.Marks.apply(c.network, tensors)
}

// markInside marks the intermediate tensors that this engine returns, as debug tensors or as
// outputs. If requested, it also marks all tensors that remain after fusion.
func (c *construction) markInside() error {
	for _, t := range computed(c.network) {
		wanted := func(s shown) bool { return s.Name == t.Name() }
		switch {
		case t.IsOutput() || !slices.ContainsFunc(c.artifact.Inside, wanted):
		case c.asOutput:
			markOutput(c.network, t)
		case !markDebug(c.network, t):
			return fmt.Errorf("TensorRT rejects %q as a debug tensor", t.Name())
		}
	}
	if c.Marks.Unfused {
		return c.network.MarkUnfused()
	}
	return nil
}

// apply adds and removes outputs of a network, as the marks say. tensors are the network's computed
// tensors.
func (m marks) apply(n trtabi.Network, tensors []trtabi.Tensor) error {
	if err := unfit(m.Only, tensorNames(tensors), "tensor"); err != nil {
		return err
	}
	if len(m.Only) > 0 {
		for _, t := range n.Outputs() {
			if !fits(m.Only, t.Name()) {
				n.UnmarkOutput(t)
			}
		}
	}
	for _, t := range tensors {
		if (m.All || fits(m.Only, t.Name())) && !t.IsOutput() {
			markOutput(n, t)
		}
	}
	m.applyTypes(n)
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
		return fmt.Errorf("the exclusions leave no outputs; there were "+
			"%s", abridged(tensorNames(outputs)))
	}
	return nil
}

// applyTypes marks the outputs of layers as outputs of the network, for the layer types that the
// option MarkTypes names.
func (m marks) applyTypes(n trtabi.Network) {
	for _, layer := range n.Layers() {
		if !slices.Contains(m.Types, LayerType(layerType(layer))) {
			continue
		}
		for _, t := range layer.Outputs() {
			if !t.IsOutput() && !t.IsShape() && t.IsExecution() {
				markOutput(n, t)
			}
		}
	}
}

// setLayerTypes sets the precisions of layers.
func (c *construction) setLayerTypes() error {
	if c.library.Version().Major == 11 {
		return nil // the model has them, by casts
	}
	layers := c.network.Layers()
	names := make([]string, len(layers))
	for i, layer := range layers {
		names[i] = layer.Name()
	}
	types, err := c.typesOf(names, func(i int) bool { return computesFloats(layers[i]) })
	for i, elem := range types {
		if err := setPrecision(layers[i], dataTypes[elem].code); err != nil {
			return err
		}
	}
	return err
}

// decompose lets TensorRT compute attention with several kernels if the options allow it.
func (c *construction) decompose() error {
	if !c.Decomposable {
		return nil
	}
	return c.network.Decompose()
}

// setBindings sets the element types and memory layouts of inputs and outputs.
func (c *construction) setBindings() error {
	bindings := append(c.network.Inputs(), c.network.Outputs()...)
	err := forEach(c, bindings, c.TensorTypes, func(t trtabi.Tensor, elem tensor.ElementType) error {
		return instead(t.SetType(dataTypes[elem].code), typeModel)
	})
	if err != nil {
		return err
	}
	return forEach(c, bindings, c.Formats, func(t trtabi.Tensor, formats []TensorFormat) error {
		var bits uint32
		for _, format := range formats {
			bits |= 1 << index(trtabi.TensorFormats, format)
		}
		t.SetAllowedFormats(bits)
		return nil
	})
}

// forEach applies settings to inputs and outputs. The setting for "*" applies to every input and
// output without a setting of its own. In a part of a model, forEach ignores settings for inputs
// and outputs that the part lacks.
func forEach[V any](c *construction, bindings []trtabi.Tensor, settings map[string]V,
	do func(trtabi.Tensor, V) error) error {
	names := tensorNames(bindings)
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if name != "*" && !c.part && !slices.Contains(names, name) {
			return unfit([]string{name}, names, "input or output")
		}
	}
	for i, t := range bindings {
		setting, given := settings[names[i]]
		if !given {
			setting, given = settings["*"]
		}
		if given {
			if err := do(t, setting); err != nil {
				return err
			}
		}
	}
	return nil
}

// computesFloats reports whether a layer's precision can be chosen. Other layers compute shapes,
// indices or truth values, and TensorRT cannot build an engine in which one of them has a float
// type.
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

// setPrecision sets the type in which a layer computes and the types of its float outputs. Other
// outputs, such as the outputs of a comparison or a shape, keep their types.
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
