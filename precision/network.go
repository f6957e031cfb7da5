package precision

import (
	"slices"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// network describes a graph for the search for nodes to keep in float32.
type network struct {
	model  *loaders.Model
	format Format
	opset  int64
	nodes  []layer
	seen   *seen
	// crosses reports whether the model has patterns that ONNX Runtime fuses across casts.
	crosses        bool
	floats, inputs map[string]bool // the float32 tensors that nodes compute; the float32 inputs
	weights        map[string]weight
	outputs        []loaders.Value
	kept           map[string]bool // tensors needed in float32: outputs, and tensors that bodies read
	maker          map[string]int  // node index by output name
	users          map[string][]int
	settled        map[string]bool // tensors that depend on constants alone
	// steps lists the compute nodes in graph order. leaves maps each tensor to the nodes that read it
	// directly or after data movement: compute nodes, and nodes that always stay in float32.
	steps  []int
	leaves map[string][]int
	// told contains, for each node, the names of the engine's layers that compute it. It is nil if the
	// engine did not report its layers.
	told [][]string
}

// layer is a node and its role in the search.
type layer struct {
	loaders.Node
	role role
	step int // the index of a compute node among the network's steps
	// takes lists the float32 inputs that would be rounded, and data the ones that are not
	// constant. makes lists the float32 outputs.
	takes, data, makes []string
	// factor is nonzero only if a sum inside the node could overflow in an engine that accumulates in
	// the format. It is the ratio of that sum to the output.
	factor float64
}

// role says whether a node can compute in the network's format, such as float16.
type role int

const (
	fixed role = iota // stays in float32: not supported by the format, or no floats
	moves             // only moves data, in the type of its input
	computes
)

type weight struct {
	largest float64 // the largest finite magnitude
	error   float64 // the rounding error relative to the norm
	exact   bool
}

// newNetwork analyses the model's nodes and constants.
func newNetwork(model *loaders.Model, format Format, inside *seen) (*network, error) {
	opset, err := opsetOf(model)
	if err != nil {
		return nil, err
	}
	n := &network{model: model, format: format, opset: opset, seen: inside,
		floats: map[string]bool{},
		inputs: map[string]bool{}, weights: map[string]weight{}, kept: map[string]bool{},
		maker: map[string]int{}, users: map[string][]int{}, settled: map[string]bool{},
		leaves: map[string][]int{}}
	for name := range inside.types {
		n.floats[name] = true
	}
	inputs, err := model.Inputs()
	if err != nil {
		return nil, err
	}
	for _, v := range inputs {
		if v.Kind == loaders.Tensor && v.Type == tensor.Float32 {
			n.inputs[v.Name] = true
		}
	}
	if n.outputs, err = model.Outputs(); err != nil {
		return nil, err
	}
	for _, v := range n.outputs {
		n.kept[v.Name] = true
	}
	err = edit.Constants(model, func(c loaders.Constant) error {
		if n.floats[c.Name] { // computed by a node that has a tensor attribute
			return nil
		}
		n.settled[c.Name] = true
		if c.Values.ElementType() != tensor.Float32 {
			return nil
		}
		w, err := weigh(format, c.Values)
		n.weights[c.Name] = w
		return err
	})
	if err != nil {
		return nil, err
	}
	nodes, err := model.Nodes()
	if err != nil {
		return nil, err
	}
	for _, node := range nodes {
		for _, name := range node.Captured {
			n.kept[name] = true
		}
	}
	for _, node := range nodes {
		n.crosses = n.crosses || crossed[node.Op]
		n.add(node)
	}
	for i := range n.nodes {
		if n.nodes[i].role == computes {
			n.nodes[i].step = len(n.steps)
			n.steps = append(n.steps, i)
		}
		for _, name := range n.nodes[i].data {
			n.reach(name, i)
		}
	}
	return n, nil
}

// weigh measures how exactly the format can represent a constant's values.
func weigh(format Format, t *tensor.Tensor) (weight, error) {
	rounded, err := newGrid(format, 0).tensor(t, -1)
	if err != nil {
		return weight{}, err
	}
	signal, noise := powers(rounded, t)
	return weight{largest: largest(t), error: relativeError(signal, noise), exact: noise == 0}, nil
}

// add classifies a node and appends it.
func (n *network) add(node loaders.Node) {
	l := layer{Node: node}
	settled := len(node.Captured) == 0 && !random[node.Op]
	for i, name := range node.Inputs {
		n.users[name] = append(n.users[name], node.Index)
		settled = settled && (name == "" || n.settled[name])
		_, constant := n.weights[name]
		if name == "" || !constant && !n.floats[name] && !n.inputs[name] ||
			firstAlone[node.Op] && i > 0 {
			continue
		}
		if l.takes = append(l.takes, name); !constant && !n.settled[name] {
			l.data = append(l.data, name)
		}
	}
	for _, name := range node.Outputs {
		n.maker[name] = node.Index
		n.settled[name] = settled
		if n.floats[name] {
			l.makes = append(l.makes, name)
		}
	}
	rounds := slices.ContainsFunc(l.takes, func(name string) bool {
		w, constant := n.weights[name]
		return constant && !w.exact
	})
	switch {
	case node.Domain != "" && node.Domain != "ai.onnx", len(node.Captured) > 0, len(l.makes) == 0,
		len(l.takes) == 0, settled, node.Op == "LayerNormalization" && len(l.makes) > 1:
	case moving[node.Op] && !rounds:
		l.role = moves
	case moving[node.Op], computing[node.Op]:
		l.role = computes
	}
	n.nodes = append(n.nodes, l)
}

// reach records that a node reads a tensor. If the tensor was produced by data movement, the node
// also counts as a reader of the tensors from which the values were moved.
func (n *network) reach(name string, node int) {
	if n.nodes[node].role == moves || slices.Contains(n.leaves[name], node) {
		return // visited; otherwise paths through moved tensors could multiply exponentially
	}
	n.leaves[name] = append(n.leaves[name], node)
	if i, made := n.maker[name]; made && n.nodes[i].role == moves {
		for _, source := range n.nodes[i].data {
			n.reach(source, node)
		}
	}
}

// label returns a node's name or, if the node has none, its first output.
func (l *layer) label() string {
	if l.Name != "" {
		return l.Name
	}
	return l.Outputs[0]
}

// isKept reports whether node i is in a set of nodes to keep in float32; see [searching].
func (n *network) isKept(kept []bool, i int) bool {
	return n.nodes[i].role == computes && kept[n.nodes[i].step]
}

// lowered reports which nodes compute in the format: the compute nodes that are not kept in
// float32, and the data-movement nodes that read only outputs of nodes that compute in the format.
// These data-movement nodes add no rounding error, because their inputs are already rounded.
func (n *network) lowered(kept []bool) []bool {
	lowered := make([]bool, len(n.nodes))
	short := map[string]bool{}
	for i := range n.nodes {
		l := &n.nodes[i]
		switch l.role {
		case computes:
			lowered[i] = !kept[l.step]
		case moves:
			lowered[i] = len(l.data) > 0
			for _, name := range l.data {
				lowered[i] = lowered[i] && short[name]
			}
		}
		for _, name := range l.makes {
			short[name] = lowered[i]
		}
	}
	return lowered
}

// followers lists the data-movement nodes between kept nodes. These nodes also stay in float32.
func (n *network) followers(kept []bool) []int {
	var list []int
	lowered := n.lowered(kept)
	for i := range n.nodes {
		l := &n.nodes[i]
		if l.role != moves || lowered[i] || len(l.data) == 0 {
			continue
		}
		after := slices.ContainsFunc(l.data, func(name string) bool {
			at, made := n.maker[name]
			return made && (n.isKept(kept, at) || slices.Contains(list, at))
		})
		if after {
			list = append(list, i)
		}
	}
	return list
}

// beyond reports whether a magnitude overflows in the format.
func (f Format) beyond(v float64) bool {
	r := f.round(v, 0)
	return r-r != 0
}

// loses reports whether a tensor with the given largest magnitude becomes zero in the format.
func (f Format) loses(largest float64) bool { return largest > 0 && f.round(largest, 0) == 0 }
