package locate_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
)

// channels and edge are the sizes of every image in these models.
const channels, edge = 4, 6

// drawn is a random graph under construction.
type drawn struct {
	onnxtest.Graph
	*rand.Rand
}

func (d *drawn) weight(name string, shift, scale float64, dims ...int64) string {
	t := weights(name, d.Rand, scale, dims...)
	if shift != 0 {
		values := floats(t.Raw)
		for i := range values {
			values[i] += float32(shift)
		}
		t.Raw = onnxtest.Float32s(values...)
	}
	d.Initializers = append(d.Initializers, t)
	return name
}

func (d *drawn) node(op, name string, in []string, attrs ...onnxtest.Attr) string {
	out := name + "_out"
	d.Nodes = append(d.Nodes, onnxtest.Node{Op: op, Name: name, In: in, Out: []string{out},
		Attrs: attrs})
	return out
}

func ints(name string, values ...int64) onnxtest.Attr {
	return onnxtest.Attr{Name: name, Ints: values}
}

func integer(name string, value int64) onnxtest.Attr {
	return onnxtest.Attr{Name: name, Int: &value}
}

func floats(raw []byte) []float32 {
	values := make([]float32, len(raw)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return values
}

// image is Conv, BatchNormalization and Relu a few times, with residual sums here and there, then
// a mean over the image and a Gemm.
func image(random *rand.Rand) onnxtest.Graph {
	d := &drawn{onnxtest.Graph{Name: "image",
		Inputs:  []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"batch", channels, edge, edge}}},
		Outputs: []onnxtest.Value{{Name: "y", Elem: 1, Dims: []any{"batch", 5}}}}, random}
	t := "x"
	for i := range 3 + random.IntN(3) {
		n := fmt.Sprint(i)
		before := t
		t = d.node("Conv", "conv"+n, []string{t,
			d.weight("w"+n, 0, 0.3, channels, channels, 3, 3)}, ints("pads", 1, 1, 1, 1))
		t = d.node("BatchNormalization", "norm"+n, []string{t, d.weight("scale"+n, 1, 0.2, channels),
			d.weight("shift"+n, 0, 0.2, channels), d.weight("mean"+n, 0, 0.2, channels),
			d.weight("var"+n, 1, 0.05, channels)})
		if random.IntN(2) == 0 {
			t = d.node("Add", "sum"+n, []string{t, before})
		}
		t = d.node([]string{"Relu", "Tanh", "Relu"}[random.IntN(3)], "act"+n, []string{t})
	}
	t = d.node("GlobalAveragePool", "pool", []string{t})
	t = d.node("Flatten", "flat", []string{t})
	d.node("Gemm", "head", []string{t, d.weight("wh", 0, 0.5, 5, channels),
		d.weight("bh", 0, 0.5, 5)}, integer("transB", 1))
	d.Nodes[len(d.Nodes)-1].Out[0] = "y"
	return d.Graph
}

// A rewrite changes how a graph is written, and nothing of what it computes.
type rewrite func(*rand.Rand, *onnxtest.Graph)

var rewrites = map[string]rewrite{"renamed": renamedGraph, "identities": identities,
	"transposed twice": transposed, "folded": folded, "split": split, "operands": operands,
	"computed constants": constants}

// renamedGraph renames every tensor and node but the inputs and outputs.
func renamedGraph(random *rand.Rand, g *onnxtest.Graph) {
	fresh := map[string]string{"x": "x", "y": "y", "": ""}
	name := func(old string) string {
		if fresh[old] == "" && old != "" {
			fresh[old] = fmt.Sprintf("v%d", 100+len(fresh))
		}
		return fresh[old]
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		n.Name = fmt.Sprintf("n%d", random.IntN(1000)+1000*i)
		n.In, n.Out = slices.Clone(n.In), slices.Clone(n.Out)
		for j := range n.In {
			n.In[j] = name(n.In[j])
		}
		for j := range n.Out {
			n.Out[j] = name(n.Out[j])
		}
	}
	for i := range g.Initializers {
		g.Initializers[i].Name = name(g.Initializers[i].Name)
	}
}

// insert puts nodes behind the node at i, between its output and what reads it.
func insert(g *onnxtest.Graph, i int, make func(from, to string) []onnxtest.Node) {
	from := g.Nodes[i].Out[0]
	to := fmt.Sprintf("%s_behind%d", from, len(g.Nodes))
	for j := i + 1; j < len(g.Nodes); j++ {
		in := slices.Clone(g.Nodes[j].In)
		for k := range in {
			if in[k] == from {
				in[k] = to
			}
		}
		g.Nodes[j].In = in
	}
	g.Nodes = slices.Insert(g.Nodes, i+1, make(from, to)...)
}

func identities(random *rand.Rand, g *onnxtest.Graph) {
	for i := len(g.Nodes) - 2; i >= 0; i-- {
		if random.IntN(3) == 0 && g.Nodes[i].Op != "Neg" { // not of weights
			insert(g, i, func(from, to string) []onnxtest.Node {
				return []onnxtest.Node{{Op: "Identity", Name: to, In: []string{from}, Out: []string{to}}}
			})
		}
	}
}

func transposed(random *rand.Rand, g *onnxtest.Graph) {
	pool := slices.IndexFunc(g.Nodes, func(n onnxtest.Node) bool {
		return n.Op == "GlobalAveragePool"
	})
	for i := pool - 1; i >= 0; i-- { // images, before the mean
		if random.IntN(3) == 0 && g.Nodes[i].Op != "Neg" {
			insert(g, i, func(from, to string) []onnxtest.Node {
				return []onnxtest.Node{
					{Op: "Transpose", Name: to + "_1", In: []string{from}, Out: []string{to + "_mid"},
						Attrs: []onnxtest.Attr{ints("perm", 0, 2, 3, 1)}},
					{Op: "Transpose", Name: to + "_2", In: []string{to + "_mid"}, Out: []string{to},
						Attrs: []onnxtest.Attr{ints("perm", 0, 3, 1, 2)}}}
			})
		}
	}
}

func initializer(g *onnxtest.Graph, name string) *onnxtest.Tensor {
	for i := range g.Initializers {
		if g.Initializers[i].Name == name {
			return &g.Initializers[i]
		}
	}
	return nil
}

// folded folds each BatchNormalization into the Conv before it.
func folded(_ *rand.Rand, g *onnxtest.Graph) {
	for i := len(g.Nodes) - 1; i > 0; i-- {
		norm, conv := g.Nodes[i], &g.Nodes[i-1]
		if norm.Op != "BatchNormalization" || conv.Op != "Conv" || len(conv.In) != 2 {
			continue
		}
		old := initializer(g, conv.In[1])
		if old == nil || slices.ContainsFunc(norm.In[1:], func(name string) bool {
			return initializer(g, name) == nil
		}) {
			continue // its weights are computed
		}
		w := slices.Clone(floats(old.Raw))
		scale, shift := floats(initializer(g, norm.In[1]).Raw), floats(initializer(g, norm.In[2]).Raw)
		mean, variance := floats(initializer(g, norm.In[3]).Raw), floats(initializer(g, norm.In[4]).Raw)
		bias := make([]float32, channels)
		for c := range channels {
			by := float64(scale[c]) / math.Sqrt(float64(variance[c])+1e-5)
			for k := range len(w) / channels {
				w[c*len(w)/channels+k] = float32(float64(w[c*len(w)/channels+k]) * by)
			}
			bias[c] = float32(float64(shift[c]) - float64(mean[c])*by)
		}
		name := conv.Out[0] + "_folded"
		g.Initializers = append(g.Initializers,
			onnxtest.Tensor{Name: name + "_w", Type: 1, Dims: old.Dims, Raw: onnxtest.Float32s(w...)},
			onnxtest.Tensor{Name: name + "_b", Type: 1, Dims: []int64{channels},
				Raw: onnxtest.Float32s(bias...)})
		conv.In = []string{conv.In[0], name + "_w", name + "_b"}
		conv.Out = norm.Out
		g.Nodes = slices.Delete(g.Nodes, i, i+1)
	}
}

// split makes a Gemm a Transpose of its weight, a MatMul and an Add.
func split(_ *rand.Rand, g *onnxtest.Graph) {
	i := len(g.Nodes) - 1
	gemm := g.Nodes[i]
	if gemm.Op != "Gemm" {
		return
	}
	g.Nodes = append(g.Nodes[:i:i],
		onnxtest.Node{Op: "Transpose", Name: "turn", In: gemm.In[1:2], Out: []string{"wh_turned"}},
		onnxtest.Node{Op: "MatMul", Name: gemm.Name, In: []string{gemm.In[0], "wh_turned"},
			Out: []string{"product"}},
		onnxtest.Node{Op: "Add", Name: gemm.Name + "_bias", In: []string{"product", gemm.In[2]},
			Out: gemm.Out})
}

// operands turns the operands of sums around.
func operands(random *rand.Rand, g *onnxtest.Graph) {
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Op == "Add" && random.IntN(2) == 0 {
			n.In = []string{n.In[1], n.In[0]}
		}
	}
}

// constants computes weights by nodes, from other weights.
func constants(random *rand.Rand, g *onnxtest.Graph) {
	var nodes []onnxtest.Node
	for i := range g.Initializers {
		if t := &g.Initializers[i]; random.IntN(2) == 0 {
			name := t.Name
			t.Name += "_kept"
			nodes = append(nodes, onnxtest.Node{Op: "Neg", Name: name + "_neg", In: []string{t.Name},
				Out: []string{name + "_negative"}}, onnxtest.Node{Op: "Neg", Name: name + "_pos",
				In: []string{name + "_negative"}, Out: []string{name}})
		}
	}
	g.Nodes = slices.Concat(nodes, g.Nodes)
}

// fault changes what one node computes, and gives its place; -1 where the graph has none.
type fault func(*rand.Rand, *onnxtest.Graph) int

var faults = map[string]fault{"weight": wrongWeight, "operator": wrongOperator,
	"attribute": wrongAttribute, "wire": wrongWire}

// wrongWeight moves some of a node's weight.
func wrongWeight(random *rand.Rand, g *onnxtest.Graph) int {
	for range 50 {
		i := random.IntN(len(g.Nodes))
		n := &g.Nodes[i]
		if len(n.In) < 2 || n.Op == "BatchNormalization" {
			continue
		}
		t := initializer(g, n.In[1])
		if t == nil {
			continue
		}
		values := slices.Clone(floats(t.Raw))
		values[random.IntN(len(values))] += 1
		t.Raw = onnxtest.Float32s(values...)
		return i
	}
	return -1
}

// wrongOperator replaces an operator by one like it.
func wrongOperator(random *rand.Rand, g *onnxtest.Graph) int {
	other := map[string]string{"Relu": "Elu", "Tanh": "Softsign", "Add": "Sub",
		"GlobalAveragePool": "GlobalMaxPool", "Identity": "Relu"}
	for range 50 {
		i := random.IntN(len(g.Nodes))
		if op := other[g.Nodes[i].Op]; op != "" {
			g.Nodes[i].Op = op
			return i
		}
	}
	return -1
}

// wrongAttribute makes a BatchNormalization's epsilon coarse.
func wrongAttribute(random *rand.Rand, g *onnxtest.Graph) int {
	epsilon := float32(0.1)
	for range 50 {
		i := random.IntN(len(g.Nodes))
		if g.Nodes[i].Op == "BatchNormalization" {
			g.Nodes[i].Attrs = []onnxtest.Attr{{Name: "epsilon", Float: &epsilon}}
			return i
		}
	}
	return -1
}

// wrongWire lets a node read another image.
func wrongWire(random *rand.Rand, g *onnxtest.Graph) int {
	images := []string{"x"}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		switch n.Op {
		case "Conv", "BatchNormalization", "Relu", "Tanh", "Add", "Identity":
			if random.IntN(4) == 0 {
				other := images[random.IntN(len(images))]
				if other != n.In[0] && slices.Contains(images, n.In[0]) {
					n.In = slices.Clone(n.In)
					n.In[0] = other
					return i
				}
			}
			if len(n.Out[0]) > 0 && n.Out[0] != "y" && n.Op != "Add" {
				images = append(images, n.Out[0])
			}
		}
	}
	return -1
}
