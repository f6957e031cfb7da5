package field_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/tensor"
)

// planted is a model with one fault.
type planted struct {
	data  []byte
	what  string       // in words
	nodes map[int]bool // each of them computes something else than before
}

// planter plants one kind of fault.
type planter struct {
	*graph
	random *rand.Rand
	like   map[string]string // type and shape of every tensor
}

// site is a place where a fault can be, and how it is made.
type site struct {
	what  string
	plant func() (nodes []int)
}

// kinds are the faults, each by its word in the issue: where it can be.
var kinds = []struct {
	name  string
	sites func(p *planter) []site
}{
	{"weight", (*planter).weightSites},
	{"bias", (*planter).biasSites},
	{"attribute", (*planter).attributeSites},
	{"wire", (*planter).wireSites},
	{"epsilon", (*planter).epsilonSites},
	{"type", (*planter).typeSites},
}

// plant plants a fault of one kind, wherever the seed says; ok is false where a model has no place
// for it.
func plant(model []byte, like map[string]string, sites func(*planter) []site, random *rand.Rand) (
	planted, bool, error) {
	g, err := newGraph(model)
	if err != nil {
		return planted{}, false, err
	}
	p := &planter{g, random, like}
	all := sites(p)
	if len(all) == 0 {
		return planted{}, false, nil
	}
	chosen := all[random.IntN(len(all))]
	f := planted{what: chosen.what, nodes: map[int]bool{}}
	for _, i := range chosen.plant() {
		f.nodes[i] = true
	}
	f.data, err = g.model()
	return f, err == nil, err
}

// said names a node in words.
func (p *planter) said(i int) string {
	return fmt.Sprintf("%s %q (node %d)", p.nodes[i].op, p.nodes[i].name, i)
}

// weightsOf says which inputs of an operator are weights, and which one is the bias.
var weightsOf = map[string]struct{ weight, bias int }{
	"Conv": {1, 2}, "ConvTranspose": {1, 2}, "FusedConv": {1, 2}, "Gemm": {1, 2}, "FusedGemm": {1, 2},
	"MatMul": {1, -1}, "FusedMatMul": {1, -1}, "Gather": {0, -1}, "LSTM": {1, 3}, "GRU": {1, 3},
	"BatchNormalization": {-1, 2}, "LayerNormalization": {-1, 2}, "InstanceNormalization": {-1, 2},
	"SkipLayerNormalization": {-1, 4}, "EmbedLayerNormalization": {2, 6}, "Attention": {1, 2},
	"BiasGelu": {-1, 1}, "FastGelu": {-1, 1}, "QLinearConv": {3, 8}, "QLinearMatMul": {3, -1},
	"QGemm": {3, 6}, "MatMulInteger": {1, -1}, "ConvInteger": {1, -1},
	"DynamicQuantizeMatMul": {1, -1},
	"DynamicQuantizeLSTM":   {1, 3}, "MatMulIntegerToFloat": {1, -1},
}

// learned are attributes of ONNX's operators of machine learning that hold weights or offsets.
var learned = map[string][]struct{ kind, name string }{
	"TreeEnsembleClassifier": {{"weight", "class_weights"}, {"weight", "nodes_values"}},
	"TreeEnsembleRegressor":  {{"weight", "target_weights"}, {"weight", "nodes_values"}},
	"LinearClassifier":       {{"weight", "coefficients"}, {"bias", "intercepts"}},
	"LinearRegressor":        {{"weight", "coefficients"}, {"bias", "intercepts"}},
	"Scaler":                 {{"weight", "scale"}, {"bias", "offset"}},
}

func (p *planter) weightSites() []site {
	return p.valueSites("weight", func(n *node) int {
		if at, ok := weightsOf[n.op]; ok {
			return at.weight
		}
		return -1
	}, 2)
}

func (p *planter) biasSites() []site {
	return p.valueSites("bias", func(n *node) int {
		if at, ok := weightsOf[n.op]; ok {
			return at.bias
		}
		if n.op == "Add" && len(n.inputs) == 2 {
			for at := range n.inputs {
				if w := p.weights[n.inputs[at]]; w != nil && w.Len() > 1 && p.weights[n.inputs[1-at]] == nil {
					return at
				}
			}
		}
		return -1
	}, 1)
}

// valueSites are single values of weights, changed by four times the greatest of them.
func (p *planter) valueSites(kind string, input func(*node) int, rank int) []site {
	var sites []site
	for i := range p.nodes {
		n := &p.nodes[i]
		for _, l := range learned[n.op] {
			if f, ok := n.attribute(l.name, attributeFloats); ok && l.kind == kind {
				sites = append(sites, site{kind + " of " + p.said(i), func() []int {
					p.changeFloats(i, l.name, f)
					return []int{i}
				}})
			}
		}
		at := input(n)
		if at < 0 || at >= len(n.inputs) {
			continue
		}
		root, ok := p.root(n.inputs[at])
		if !ok || len(p.weights[root].Shape()) < rank || p.weights[root].Len() < 2 {
			continue
		}
		sites = append(sites, site{kind + " of " + p.said(i), func() []int {
			return p.change(i, at, root, p.one)
		}})
	}
	return sites
}

// one changes one value.
func (p *planter) one(values []float64, integers bool) {
	greatest := 0.0
	for _, v := range values {
		greatest = max(greatest, math.Abs(v))
	}
	i := p.random.IntN(len(values))
	switch {
	case integers && values[i] > 0:
		values[i] -= greatest
	case integers:
		values[i] += greatest
	default:
		values[i] += 4 * max(greatest, 0.05)
	}
}

// root finds the initializer that a weight is made of, by nodes that compute with constants alone.
func (p *planter) root(name string) (string, bool) {
	for range len(p.nodes) {
		if w := p.weights[name]; w != nil {
			return name, true
		}
		i := slices.IndexFunc(p.nodes, func(n node) bool { return slices.Contains(n.outputs, name) })
		if i < 0 || len(p.nodes[i].inputs) == 0 {
			return "", false
		}
		for _, input := range p.nodes[i].inputs {
			if !p.constant(input, len(p.nodes)) {
				return "", false
			}
		}
		name = p.nodes[i].inputs[0]
	}
	return "", false
}

// constant reports whether a tensor depends on no input of the model.
func (p *planter) constant(name string, depth int) bool {
	if name == "" || p.weights[name] != nil {
		return true
	}
	for i := range p.nodes {
		if n := &p.nodes[i]; slices.Contains(n.outputs, name) {
			return depth > 0 && !slices.ContainsFunc(n.inputs, func(input string) bool {
				return !p.constant(input, depth-1)
			})
		}
	}
	return false
}

// change changes the weight that input at of node i is made of. A weight that the node reads itself
// becomes its own; one behind other nodes changes for all who read it.
func (p *planter) change(i, at int, root string, change func([]float64, bool)) []int {
	w := p.weights[root]
	values := slices.Clone(w.Float64s())
	change(values, integer(w.ElementType()))
	changed := tensorOf(w, values)
	if n := &p.nodes[i]; n.inputs[at] == root {
		n.inputs = slices.Clone(n.inputs)
		n.inputs[at] = root + "/planted"
		p.set(n.inputs[at], changed)
		return []int{i}
	}
	p.set(root, changed)
	return p.readers(root)
}

// readers are the nodes that compute something else where a constant changes: those that read it,
// and behind those among them that make a constant of it, their readers.
func (p *planter) readers(name string) (list []int) {
	for i := range p.nodes {
		n := &p.nodes[i]
		if !slices.Contains(n.inputs, name) {
			continue
		}
		list = append(list, i)
		if !slices.ContainsFunc(n.inputs, func(input string) bool {
			return !p.constant(input, len(p.nodes))
		}) {
			for _, output := range n.outputs {
				list = append(list, p.readers(output)...)
			}
		}
	}
	return list
}

func integer(t tensor.ElementType) bool {
	return slices.Contains([]tensor.ElementType{tensor.Int8, tensor.Uint8, tensor.Int16,
		tensor.Uint16, tensor.Int32, tensor.Int64}, t)
}

// tensorOf is other values in the type and shape of a tensor.
func tensorOf(like *tensor.Tensor, values []float64) *tensor.Tensor {
	var changed *tensor.Tensor
	var err error
	if integer(like.ElementType()) {
		size := len(like.Bytes()) / like.Len()
		data := make([]byte, 0, len(like.Bytes()))
		for _, v := range values {
			data = append(data, binary.LittleEndian.AppendUint64(nil, uint64(int64(v)))[:size]...)
		}
		changed, err = tensor.FromBytes(like.ElementType(), like.Shape(), data)
	} else if changed, err = tensor.New(like.Shape(), values); err == nil {
		changed, err = changed.Convert(like.ElementType())
	}
	if err != nil {
		panic(err)
	}
	return changed
}

// changeFloats changes one value of a list of floats.
func (p *planter) changeFloats(i int, name string, _ part) {
	var values []float64
	for _, f := range p.nodes[i].attributes[name] {
		if f.number != attributeFloats {
			continue
		}
		if f.value == nil {
			values = append(values, float64(math.Float32frombits(uint32(f.word))))
		}
		for b := f.value; len(b) >= 4; b = b[4:] {
			values = append(values, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
		}
	}
	p.one(values, false)
	var fields []byte
	for _, v := range values {
		fields = protowire.AppendTag(fields, attributeFloats, protowire.Fixed32Type)
		fields = protowire.AppendFixed32(fields, math.Float32bits(float32(v)))
	}
	const floats = 6 // AttributeProto.FLOATS
	p.edit(i).with(name, onnxwire.AppendVarint(fields, attributeType, floats))
}

// edit is a node to be changed.
func (p *planter) edit(i int) *node {
	n := &p.nodes[i]
	n.attributes = maps.Clone(n.attributes)
	return n
}

// wireSites are inputs that take another tensor of their type and shape, computed earlier.
func (p *planter) wireSites() []site {
	var sites []site
	var earlier []string
	for _, name := range p.inputs {
		if p.weights[name] == nil {
			earlier = append(earlier, name)
		}
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		for at, input := range n.inputs {
			if p.like[input] == "" || p.constant(input, len(p.nodes)) {
				continue
			}
			var others []string
			for _, name := range earlier {
				if name != input && p.like[name] == p.like[input] {
					others = append(others, name)
				}
			}
			if len(others) > 0 {
				sites = append(sites, site{fmt.Sprintf("wire %d of %s", at, p.said(i)), func() []int {
					n.inputs = slices.Clone(n.inputs)
					n.inputs[at] = others[p.random.IntN(len(others))]
					return []int{i}
				}})
			}
		}
		for _, output := range n.outputs {
			if output != "" && !p.constant(output, len(p.nodes)) {
				earlier = append(earlier, output)
			}
		}
	}
	return sites
}

// epsilonSites are the epsilons of normalisations, as attributes or as small constants.
func (p *planter) epsilonSites() []site {
	var sites []site
	for i := range p.nodes {
		n := &p.nodes[i]
		if f, ok := n.attribute("epsilon", attributeFloat); ok {
			sites = append(sites, site{"epsilon of " + p.said(i), func() []int {
				p.setFloat(i, "epsilon", 1e3*math.Float32frombits(uint32(f.word)))
				return []int{i}
			}})
		}
		if !slices.Contains([]string{"Add", "Max", "Clip"}, n.op) {
			continue
		}
		for at, input := range n.inputs {
			w := p.weights[input]
			if w == nil || w.Len() != 1 || integer(w.ElementType()) || w.Float64At(0) <= 0 ||
				w.Float64At(0) > 1e-3 {
				continue
			}
			sites = append(sites, site{"epsilon of " + p.said(i), func() []int {
				return p.change(i, at, input, func(v []float64, _ bool) { v[0] *= 1e3 })
			}})
		}
	}
	return sites
}

// typeSites are weights that lost the precision of their type, and tensors that went through
// float16.
func (p *planter) typeSites() []site {
	var sites []site
	for i := range p.nodes {
		n := &p.nodes[i]
		if at, ok := weightsOf[n.op]; ok && at.weight >= 0 && at.weight < len(n.inputs) {
			root, ok := p.root(n.inputs[at.weight])
			if ok && p.weights[root].ElementType() == tensor.Float32 && p.weights[root].Len() > 1 {
				sites = append(sites, site{"bfloat16 weights of " + p.said(i), func() []int {
					return p.change(i, at.weight, root, func(values []float64, _ bool) {
						for k, v := range values {
							values[k] = float64(tensor.BF16FromFloat32(float32(v)).Float32())
						}
					})
				}})
			}
		}
		if len(n.outputs) == 1 && p.like[n.outputs[0]] != "" &&
			p.like[n.outputs[0]][:len("float32")] == "float32" && !p.constant(n.outputs[0], len(p.nodes)) {
			sites = append(sites, site{"float16 behind " + p.said(i), func() []int {
				return p.through(i)
			}})
		}
	}
	return sites
}

// through sends what node i gives through float16.
func (p *planter) through(i int) []int {
	n := &p.nodes[i]
	name := n.outputs[0]
	n.outputs = []string{name + "/exact"}
	const float32Type, float16Type = 1, 10 // of TensorProto
	p.nodes = slices.Insert(p.nodes, i+1, cast(name+"/exact", name+"/short", float16Type),
		cast(name+"/short", name, float32Type))
	return []int{i + 1, i + 2}
}

func cast(from, to string, elem uint64) node {
	n := node{op: "Cast", inputs: []string{from}, outputs: []string{to},
		attributes: map[string][]part{}, rest: onnxwire.AppendText(nil, nodeName, to)}
	n.with("to", integerField(elem))
	return n
}

func integerField(v uint64) []byte {
	const isInt = 2 // AttributeProto.INT
	return onnxwire.AppendVarint(onnxwire.AppendVarint(nil, attributeInt, v), attributeType, isInt)
}

func (p *planter) setFloat(i int, name string, v float32) {
	const isFloat = 1 // AttributeProto.FLOAT
	fields := protowire.AppendTag(nil, attributeFloat, protowire.Fixed32Type)
	fields = protowire.AppendFixed32(fields, math.Float32bits(v))
	p.edit(i).with(name, onnxwire.AppendVarint(fields, attributeType, isFloat))
}
