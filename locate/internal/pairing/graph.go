package pairing

import (
	"math"
	"slices"

	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Graph is the graph of one of the two compared models: its nodes, and what is known about its
// tensors.
type Graph struct {
	Nodes           []describe.Node
	Inputs, Outputs []string
	Sketches        Sketches // sketches of the tensors that nodes compute
	Integers        Integers

	model     *loaders.Model
	producer  map[string]int   // node by the name of its output
	readers   map[string][]int // nodes by the name of an input
	data      map[string]bool  // tensors that depend on the model's inputs
	output    map[string]bool
	prints    map[string]*print
	near      float64                  // computed on first use
	next      map[string]float64       // by tensor, computed on first use
	quantized map[string]*Quantization // by tensor, computed on first use
}

// NewGraph reads a model's graph.
func NewGraph(m *loaders.Model) (*Graph, error) {
	g := &Graph{model: m, Sketches: Sketches{}, producer: map[string]int{},
		readers: map[string][]int{}, data: map[string]bool{}, output: map[string]bool{},
		prints: map[string]*print{}, quantized: map[string]*Quantization{}}
	g.Integers.graph = g
	d, err := describe.Of(m, false)
	if err != nil {
		return nil, err
	}
	g.Nodes = d.Nodes
	for _, v := range d.Inputs {
		g.Inputs = append(g.Inputs, v.Name)
		g.data[v.Name] = true
	}
	for _, v := range d.Outputs {
		g.Outputs = append(g.Outputs, v.Name)
		g.output[v.Name] = true
	}
	for _, w := range d.Initializers {
		g.prints[w.Name] = nil
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		for _, name := range Reads(&n.Node) {
			g.readers[name] = append(g.readers[name], i)
		}
		fed := len(g.dataInputs(n)) > 0
		for _, name := range n.Outputs {
			if name != "" {
				g.producer[name], g.data[name] = i, fed
			}
			if n.Op == constantOp {
				g.prints[name] = nil
			}
		}
	}
	return g, nil
}

// Reads returns the names of all tensors that a node and its subgraphs read.
func Reads(n *loaders.Node) []string {
	return slices.DeleteFunc(slices.Concat(n.Inputs, n.Captured),
		func(name string) bool { return name == "" })
}

// Walk returns the nodes on which the named tensors depend, the nearest first. made maps each
// tensor to its node, and reads lists the tensors that a node reads. Of these
// tensors, Walk follows only those for which past returns true.
func Walk(names []string, made map[string]int, reads func(node int) []string,
	past func(name string) bool) (nodes []int) {
	seen := map[int]bool{}
	for pending := slices.Clone(names); len(pending) > 0; pending = pending[1:] {
		at, ok := made[pending[0]]
		if !ok || seen[at] {
			continue
		}
		seen[at] = true
		nodes = append(nodes, at)
		for _, name := range reads(at) {
			if past(name) {
				pending = append(pending, name)
			}
		}
	}
	return nodes
}

// Computed lists the tensors that depend on the model's inputs, in graph order.
func (g *Graph) Computed() []string {
	var names []string
	for i := range g.Nodes {
		for _, name := range g.Nodes[i].Outputs {
			if name != "" && g.data[name] {
				names = append(names, name)
			}
		}
	}
	return names
}

// Made returns the node that computes a tensor, or nil if no node does.
func (g *Graph) Made(name string) *describe.Node {
	if i, ok := g.producer[name]; ok {
		return &g.Nodes[i]
	}
	return nil
}

// dataInputs returns the inputs of the node that depend on the model's inputs. It ignores the
// second input of CastLike, because only the type of that input is used.
func (g *Graph) dataInputs(n *describe.Node) []string {
	names := Reads(&n.Node)
	if n.Op == "CastLike" && len(names) > 1 {
		names = names[:1]
	}
	return slices.DeleteFunc(names, func(name string) bool { return !g.data[name] })
}

// print is a fingerprint of a weight. Transposing or converting the weight hardly changes it.
type print struct {
	elements int
	squares  float64
}

// weights returns the fingerprints of the weights that a node reads.
func (g *Graph) weights(n *describe.Node) []print {
	var list []print
	for _, name := range Reads(&n.Node) {
		if p := g.print(g.root(name)); p != nil {
			list = append(list, *p)
		}
	}
	return list
}

// constantOp is the operator whose nodes contain a weight. Some exporters store weights in such
// nodes rather than in initializers.
const constantOp = "Constant"

// Weight reads an initializer, or the value of a Constant node.
func (g *Graph) Weight(name string) (*tensor.Tensor, error) {
	if n := g.Made(name); n != nil && n.Op == constantOp {
		return g.model.ConstantNode(n.Index)
	}
	return g.model.Weight(name)
}

// print returns the fingerprint of the named weight, or nil if there is no such weight.
func (g *Graph) print(name string) *print {
	p, weight := g.prints[name]
	if p != nil || !weight {
		return p
	}
	t, err := g.Weight(name)
	if err != nil {
		delete(g.prints, name)
		return nil
	}
	p = &print{elements: t.Len()}
	for i := range t.Len() {
		v := t.Float64At(i)
		p.squares += float64(v * v)
	}
	g.prints[name] = p
	return p
}

// sameWeights reports whether two lists contain the same fingerprints, in any order.
func sameWeights(a, b []print) bool {
	return len(a) == len(b) &&
		!slices.ContainsFunc(a, func(p print) bool { return !slices.ContainsFunc(b, p.like) })
}

func (p print) like(q print) bool {
	off, scale := p.squares-q.squares, p.squares+q.squares
	return p.elements == q.elements && off*off <= 1e-8*scale*scale
}

// Fed reports whether a tensor depends on the model's inputs.
func (g *Graph) Fed(name string) bool { return g.data[name] }

// HasWeight reports whether an initializer or a Constant node's output has the name.
func (g *Graph) HasWeight(name string) bool {
	_, weight := g.prints[name]
	return weight
}

// WeightOf returns the weight of the node that computes a tensor. It first goes back through
// activations and through nodes that merely scale, shift or pass on values. It returns nil if the
// operator of the node that it reaches is not of the given class, or if that node has no weight.
func (g *Graph) WeightOf(name, class string) *tensor.Tensor {
	n := g.Made(name)
	for n != nil && (n.Op == "Relu" || n.Op == "Clip" || carries[n.Op] || affine[n.Op]) {
		data := g.dataInputs(n)
		if len(data) != 1 {
			return nil
		}
		n = g.Made(data[0])
	}
	if n == nil || Class(n.Op) != class || len(n.Inputs) < 2 {
		return nil
	}
	w, err := g.Weight(g.root(n.Inputs[1]))
	if err != nil {
		return nil
	}
	return w
}

// RMS returns the root mean square of a weight, or of a tensor in g.Sketches.
func (g *Graph) RMS(name string) (float64, bool) {
	if s := g.Sketches[name]; s != nil && s.Elements > 0 {
		return s.Norm / math.Sqrt(float64(s.Elements)), true
	}
	if p := g.print(name); p != nil && p.elements > 0 {
		return math.Sqrt(p.squares / float64(p.elements)), true
	}
	return 0, false
}

// Between returns the nodes that compute a tensor, back to the nearest tensors in ends or to the
// model's inputs. It also returns these tensors, as sources.
func (g *Graph) Between(name string, ends map[string]bool) (nodes []int, sources []string) {
	nodes = g.walk([]string{name}, func(input string) bool {
		source := ends[input] || g.Made(input) == nil
		if source {
			sources = append(sources, input)
		}
		return !source
	})
	return nodes, sources
}

func (g *Graph) walk(names []string, past func(string) bool) []int {
	reads := func(node int) []string { return g.dataInputs(&g.Nodes[node]) }
	return Walk(names, g.producer, reads, past)
}

// Before returns the listed nodes on which the given node depends.
func (g *Graph) Before(node int, some []int) []int {
	list := g.walk(g.Nodes[node].Outputs, func(name string) bool {
		at, made := g.producer[name]
		return made && slices.Contains(some, at)
	})
	return list[1:] // without the node itself
}

// FoldsInto reports whether a node may be folded into the weights of an earlier node whose operator
// belongs to the given class.
func (g *Graph) FoldsInto(node int, class string) bool {
	n := &g.Nodes[node]
	_, folds := linear[class]
	return folds && affine[n.Op] && len(g.dataInputs(n)) == 1
}
