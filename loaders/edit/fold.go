package edit

import (
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// notFolded reports whether an operator must not be computed ahead of time: its result is random,
// or it is a quantizer, which engines need to find in the model.
func notFolded(op string) bool {
	switch op {
	case "QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "Multinomial", "Bernoulli":
		return true
	}
	return strings.HasPrefix(op, "Random")
}

// foldable lists the tensors to replace by weights: tensors that depend only on weights, but are
// read by a node that cannot be folded. After the replacement, the nodes that compute these tensors
// are redundant. The list excludes outputs of the model, outputs of Constant nodes, sequences,
// results of custom operators, and the names in stays.
func foldable(m *loaders.Model, stays map[string]bool) (names []string, err error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	graph := &m.File().Structure.Graph
	constant := map[string]bool{"": true} // tensors that depend only on weights
	for i := range graph.Initializers {
		constant[graph.Initializers[i].Name] = true
	}
	for _, v := range graph.Inputs {
		constant[v.Name] = false
	}
	output := map[string]bool{}
	for _, v := range graph.Outputs {
		output[v.Name] = true
	}
	computed, read := map[string]bool{}, map[string]bool{}
	err = m.File().EachNode(func(_ int, n *onnxwire.Node, r *onnxwire.Reader) {
		reads := onnxfile.Reads(n, r)
		folds := onnxfile.IsONNX(n.Domain) && !notFolded(n.Op) && givesTensors(n.Op)
		for _, name := range reads {
			folds = folds && constant[name]
		}
		for _, name := range n.Outputs {
			folds = folds && !output[name] && !stays[name]
		}
		for _, name := range reads {
			read[name] = read[name] || !folds
		}
		for _, name := range n.Outputs {
			if name != "" && folds {
				constant[name], computed[name] = true, n.Op != "Constant"
			}
		}
	})
	for name := range computed {
		if computed[name] && read[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, err
}

func givesTensors(op string) bool {
	return !strings.HasPrefix(op, "Sequence") && !strings.HasPrefix(op, "Optional") &&
		op != "SplitToSequence"
}

// staticShapes computes the graph's Shape and Size nodes, if the declared shape of their input has
// no dynamic dimensions.
func staticShapes(m *loaders.Model) (values []tensor.Entry, err error) {
	shapes := map[string]tensor.Shape{}
	if err := m.Load(); err != nil {
		return nil, err
	}
	err = m.File().EachDeclared(func(v onnxwire.Value) {
		if v.Type.Kind != onnxwire.TensorKind || !v.Type.HasShape {
			return
		}
		shape := tensor.Shape{}
		for _, d := range v.Type.Dims {
			if d.Size < 0 {
				return
			}
			shape = append(shape, int(d.Size))
		}
		shapes[v.Name] = shape
	})
	if err != nil {
		return nil, err
	}
	err = m.File().EachNode(func(_ int, n *onnxwire.Node, r *onnxwire.Reader) {
		if !onnxfile.IsONNX(n.Domain) || n.Op != "Shape" && n.Op != "Size" || len(n.Inputs) != 1 ||
			len(n.Outputs) != 1 {
			return
		}
		shape, static := shapes[n.Inputs[0]]
		if !static || len(r.Attributes(n.Span)) > 0 { // the engine computes slices of a shape
			return
		}
		value, err := sizesOf(shape, n.Op)
		r.Fail(err)
		values = append(values, tensor.Entry{Name: n.Outputs[0], Tensor: value})
	})
	return values, err
}

// sizesOf computes the operator Shape or Size for a tensor of the given shape.
func sizesOf(shape tensor.Shape, op string) (*tensor.Tensor, error) {
	if op == "Size" {
		n, err := shape.Elements()
		if err != nil {
			return nil, err
		}
		return tensor.New(tensor.Shape{}, []int64{int64(n)})
	}
	sizes := make([]int64, len(shape))
	for i, d := range shape {
		sizes[i] = int64(d)
	}
	return tensor.New(tensor.Shape{len(sizes)}, sizes)
}

// withConstants returns the model with the constants stored as initializers, so that no node has to
// compute them, and without the nodes and weights that become redundant. Outputs of the model are
// still computed by nodes. same maps tensors to other tensors with the same value, which nodes then
// read instead.
func withConstants(m *loaders.Model, same map[string]string, constants ...tensor.Entry) (
	*loaders.Model, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	known := map[string]*tensor.Tensor{}
	for _, v := range constants {
		known[v.Name] = v.Tensor
	}
	for _, v := range m.File().Structure.Graph.Outputs {
		delete(known, v.Name)
	}
	names, err := m.File().TensorNames()
	if err != nil {
		return nil, err
	}
	with, err := rewrite(m, func(r *rewriting) {
		var initializers []byte
		r.AtEnd = func(graph *spliced) {
			graph.Write(initializers)
			initializers = nil
		}
		r.Change = func(out *spliced, in onnxwire.Message, f onnxwire.Field) bool {
			if !isNode(in, f) {
				return false
			}
			n := r.Node(f.Body)
			rename := map[string]string{}
			for _, name := range n.Outputs {
				value, shared := known[name], same[name] != ""
				if value == nil && !shared {
					continue
				}
				if !shared {
					message, err := onnxpb.Append(nil, name, value)
					r.Fail(err)
					initializers = onnxwire.AppendMessage(initializers, onnxwire.GraphInitializer, message)
				}
				rename[name] = fresh(names, name, "/computed")
			}
			reads := slices.ContainsFunc(n.Inputs, func(name string) bool { return same[name] != "" })
			if len(rename) == 0 && !reads || len(rename) > 0 && len(rename) == len(n.Outputs) {
				return len(rename) > 0
			}
			out.WriteMessage(onnxwire.GraphNode, onnxwire.RewriteNode(r.Bytes(f.Body), same, rename))
			return true
		}
	})
	if err != nil {
		return nil, err
	}
	return Cleanup(with)
}
