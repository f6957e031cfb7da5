package reorder

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// Reordered is a rewritten model whose rounding errors differ in every run.
type Reordered struct {
	Model *loaders.Model
	// Rounds is the number of nodes that round. If it is 0, every result is exact.
	Rounds int
	// Addends is the number of terms in the longest sum whose length is known. Convolved is the same
	// number for convolutions only.
	Addends, Convolved int
	// Jittered counts, by operator, the nodes whose sums cannot be reordered. Their operands get small
	// random errors instead.
	Jittered map[string]int
}

// Infer is a function that adds the types and shapes of m's tensors to m. It is usually
// [edit.InferShapes].
type Infer func(m *loaders.Model) (*loaders.Model, error)

// Of rewrites the model m so that its rounding errors differ in every run, for example by adding
// up sums in a random order. The model inferred is m with the types and shapes of its tensors, as
// infer returns it. Of also calls infer for the bodies of If, Loop and Scan. The seeds of the
// random nodes are seed and the numbers after it. Of returns an error if the model cannot be
// rewritten, for example because its opset is below 7 or because it defines functions.
func Of(m, inferred *loaders.Model, infer Infer, seed int) (*Reordered, error) {
	p, err := newPlan(m, inferred, infer, seed)
	if err != nil {
		return nil, err
	}
	edits := make([]edit.NodeEdit, len(p.nodes))
	for i := range p.nodes {
		if edits[i], err = p.edit(&p.nodes[i]); err != nil {
			return nil, err
		}
	}
	if p.failed != nil {
		return nil, p.failed
	}
	changed, err := edit.Nodes(m, func(n loaders.Node) (edit.NodeEdit, error) {
		return edits[n.Index], nil
	})
	if err != nil {
		return nil, err
	}
	p.Model = changed
	return &p.Reordered, nil
}

// Text names the operators whose sums could not be reordered. It returns "" if there are none.
func (r *Reordered) Text() string {
	var list []string
	for _, op := range slices.Sorted(maps.Keys(r.Jittered)) {
		list = append(list, fmt.Sprintf("%d %s", r.Jittered[op], op))
	}
	if len(list) == 0 {
		return ""
	}
	return "the sums of " + strings.Join(list, ", ") + " cannot be reordered, so small random " +
		"errors were added to their inputs instead"
}

// plan decides how each node is rewritten.
type plan struct {
	Reordered
	model  *loaders.Model
	infer  Infer
	nodes  []node
	names  map[string]bool          // of all tensors that nodes make
	values map[string]loaders.Value // types and shapes
	noisy  map[string]bool          // tensors with errors large enough to hide one more rounding
	prefix string
	count  int
	seed   int
	opset  int64
	failed error

	settings map[string][]int64 // the values of short integer constants, such as axes
	data     map[string]bool    // tensors that depend on the inputs' values
	valued   map[string]bool    // tensors on whose values an output depends
	counts   map[string]bool    // tensors that become integers, sizes or conditions
}

// node is a node of the model.
type node struct {
	onnxwire.Node
	attributes onnxwire.Attributes
	bodies     []body
}

// leastOpset is the first opset in which arithmetic operators broadcast as in current opsets.
const leastOpset = 7

func newPlan(m, inferred *loaders.Model, infer Infer, seed int) (*plan, error) {
	p := &plan{model: m, infer: infer, values: map[string]loaders.Value{},
		noisy: map[string]bool{}, seed: seed, prefix: "reordered/", settings: map[string][]int64{}}
	p.Jittered = map[string]int{}
	names, err := m.TensorNames()
	if err == nil {
		err = p.read()
	}
	if err != nil {
		return nil, err
	}
	for slices.ContainsFunc(slices.AppendSeq(slices.Collect(maps.Keys(names)), maps.Keys(p.names)),
		func(name string) bool { return strings.HasPrefix(name, p.prefix) }) {
		p.prefix += "_/"
	}
	own := map[string]bool{}
	for _, f := range m.File().Structure.Functions {
		own[onnxfile.OperatorName(f.Domain, f.Name)] = true
	}
	p.opset = m.File().Opset()
	if p.opset < leastOpset {
		return nil, fmt.Errorf("reordering sums requires opset %[2]d or later, got opset %[1]d",
			p.opset, leastOpset)
	}
	for i := range p.nodes {
		if n := &p.nodes[i]; own[onnxfile.OperatorName(n.Domain, n.Op)] {
			return nil, fmt.Errorf("cannot reorder sums in the function %s, which the model defines", n.Op)
		}
	}
	declared, err := inferred.Declared(slices.Collect(maps.Keys(names))...)
	if err != nil {
		return nil, err
	}
	maps.Copy(p.values, declared)
	weights, err := m.Initializers()
	for _, w := range weights {
		p.values[w.Name] = valueOf(w.Name, w.Type, w.Shape)
	}
	if err != nil {
		return nil, err
	}
	p.trace()
	return p, p.readSettings(weights)
}

// read reads the model's nodes and the names of their outputs.
func (p *plan) read() error {
	r, done := p.model.File().Open()
	defer done()
	p.names = map[string]bool{}
	p.nodes = p.nodesOf(p.model.File().Structure.Graph.Nodes, r)
	return r.Err()
}

// float returns the element type of a tensor if it is a float type of 16 or more bits. Otherwise it
// returns [tensor.Invalid].
func (p *plan) float(name string) tensor.ElementType {
	if v, ok := p.values[name]; ok && v.Kind == loaders.Tensor && v.Type.IsFloat() &&
		v.Type.Bits() >= 16 {
		return v.Type
	}
	return tensor.Invalid
}

// rank returns the number of a tensor's axes, or -1 if it is not known.
func (p *plan) rank(name string) int {
	if v, ok := p.values[name]; ok && v.HasShape {
		return len(v.Dims)
	}
	return -1
}

// size returns a tensor's size along an axis, or 0 if it is not known.
func (p *plan) size(name string, axis int) int {
	v := p.values[name]
	if axis < 0 || axis >= len(v.Dims) {
		return 0
	}
	return max(0, v.Dims[axis].Size)
}

// edit returns the change to make to a node. It returns a zero NodeEdit if the node stays
// unchanged.
func (p *plan) edit(n *node) (edit.NodeEdit, error) {
	floats := slices.ContainsFunc(n.Outputs, func(o string) bool { return p.float(o).IsFloat() })
	unknown := slices.ContainsFunc(n.Outputs, func(o string) bool {
		_, known := p.values[o]
		return o != "" && !known
	})
	op := n.Op
	switch {
	case len(n.bodies) > 0:
		return p.inside(n)
	case exact[op], !floats && !unknown, p.settled(n):
		p.pass(n)
		return edit.NodeEdit{}, nil
	case unknown && !floats:
		return edit.NodeEdit{}, fmt.Errorf("the type of %q, an output of a %s node, is unknown",
			n.Outputs[0], op)
	}
	b := &builder{plan: p}
	change := edit.NodeEdit{Inputs: map[string]string{}, Outputs: map[string]string{}}
	switch {
	case op == "MatMul" || op == "Gemm" || op == "Conv" || op == "ConvTranspose":
		p.product(n, b, &change)
	case reductions[op]:
		p.reduction(n, b, &change)
	case op == "Resize" || op == "Upsample" || op == "GridSample":
		p.interpolation(n, b, &change)
		return change, nil
	case normalizations[op]:
		inverse := p.normalization(n, b, &change)
		change.Before, b.nodes = b.nodes, nil
		p.results(n, b, &change)
		inverse(b, &change)
		change.After = b.nodes
		return change, nil
	default:
		if _, known := functions[op]; !known && !rounding[op] {
			p.operands(n, b, &change, p.largestError(n))
		}
	}
	change.Before, b.nodes = b.nodes, nil
	p.results(n, b, &change)
	change.After = append(change.After, b.nodes...)
	return change, nil
}

// pass handles a node that does not round: its outputs have the errors of its inputs. If any input
// is noisy, as described at [plan], all outputs are noisy.
func (p *plan) pass(n *node) {
	for _, name := range n.Inputs {
		if p.noisy[name] {
			for _, o := range n.Outputs {
				p.noisy[o] = true
			}
		}
	}
}

// results adds random errors to the float outputs of a node. They are as large as the errors that
// the node's operator may make in a correct engine.
func (p *plan) results(n *node, b *builder, change *edit.NodeEdit) {
	of, known := functions[n.Op]
	switch {
	case known:
	case !rounding[n.Op] && p.short(n): // rounding to 16 bits exceeds the errors of the node's sums
		of = accuracy{relative: shortArithmetic}
	case !rounding[n.Op]: // edit has already changed its sums or operands
		for _, o := range n.Outputs {
			if _, gated := ends[n.Op]; gated && p.float(o).IsFloat() {
				change.Outputs[o] = b.fresh()
				b.shifted(change.Outputs[o], n.Op, p.float(o), gateError)
				b.nodes[len(b.nodes)-1].Outputs[0] = o
			}
			p.noisy[o] = true
		}
		p.Rounds++
		return
	case !p.short(n) &&
		slices.ContainsFunc(n.Inputs, func(name string) bool { return p.noisy[name] }):
		p.pass(n)
		return
	default:
		of = accuracy{relative: arithmetic}
	}
	if n.Op == "Softmax" || n.Op == "LogSoftmax" { // include the error of the sum inside
		axis := n.attributes.Integer("axis", -1)
		if axis < 0 {
			axis += p.rank(n.Inputs[0])
		}
		of.relative *= math.Sqrt(1 + float64(float64(p.size(n.Inputs[0], axis))/longSoftmax))
	}
	for _, o := range n.Outputs {
		elem := p.float(o)
		if !elem.IsFloat() {
			continue
		}
		p.Rounds++
		raw := b.fresh()
		change.Outputs[o] = raw
		moved := b.moved(raw, elem, of.relative)
		if of.floor > 0 {
			b.shifted(moved, n.Op, elem, of.floor)
		}
		b.nodes[len(b.nodes)-1].Outputs[0] = o
		p.noisy[o] = known
	}
}

// longSoftmax is the size of the axis above which most of a Softmax's error comes from its sum.
const longSoftmax = 1 << 16

// short reports whether any of a node's outputs consists of 16-bit floats.
func (p *plan) short(n *node) bool {
	return slices.ContainsFunc(n.Outputs, func(o string) bool { return p.float(o).Bits() == 16 })
}

// operands adds random relative errors to the float inputs of a node whose sums cannot be
// reordered. The largest error is given in units of the unit roundoff.
func (p *plan) operands(n *node, b *builder, change *edit.NodeEdit, largest float64) {
	p.Jittered[n.Op]++
	for _, name := range n.Inputs {
		if elem := p.float(name); elem.IsFloat() && change.Inputs[name] == "" {
			change.Inputs[name] = b.moved(name, elem, largest)
		}
	}
}

// moving is the usual limit for random relative errors, in units of the unit roundoff u. These
// errors are added to the operands of a node whose sums cannot be reordered. For some nodes, the
// limit is a multiple of moving. The usual errors lie between 0 and 4·u. Their mean, 2·u, is the
// same in every run, so two runs differ only because errors deviate from the mean, by at most 2·u.
// This is about one unit in the last place.
const moving = 4

// largestError returns the largest random relative error to add to the operands of a node whose
// sums cannot be reordered, in units of the unit roundoff. For a node that adds up K products, it
// is √(1+K/24) times [moving]. compare.Noise.Sums explains this factor.
func (p *plan) largestError(n *node) float64 {
	var addends int
	switch n.Op {
	case "LSTM", "GRU", "RNN":
		addends = max(p.size(n.Inputs[1], 2), p.size(n.Inputs[2], 2))
	case "Einsum":
		addends = p.contracted(n)
	case "CumSum":
		addends = 1
	default:
		addends = 64
	}
	return moving * math.Sqrt(1+float64(addends)/24)
}

// contracted returns the number of products that an Einsum adds up for each element of the result.
// It returns 64 if the number is not known.
func (p *plan) contracted(n *node) int {
	equation := strings.ReplaceAll(n.attributes.Word("equation"), " ", "")
	in, out, found := strings.Cut(equation, "->")
	if !found || strings.Contains(in, "...") {
		return 64
	}
	k, seen := 1, map[rune]bool{}
	for i, term := range strings.Split(in, ",") {
		for axis, letter := range []rune(term) {
			if i < len(n.Inputs) && !strings.ContainsRune(out, letter) && !seen[letter] {
				seen[letter] = true
				k *= max(1, p.size(n.Inputs[i], axis))
			}
		}
	}
	return k
}
