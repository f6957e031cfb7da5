package field_test

import (
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/onnxwire"
)

// attributeSites lists attributes, or constants used instead, that can be changed without changing
// any shape.
func (p *planter) attributeSites() []site {
	var sites []site
	for i := range p.nodes {
		n := &p.nodes[i]
		for _, name := range numbers[n.op] {
			v := float32(1)
			if f, ok := n.attribute(name, attributeFloat); ok {
				v = math.Float32frombits(uint32(f.word))
			}
			sites = append(sites, site{name + " of " + p.said(i), func() []int {
				p.setFloat(i, name, v*1.25)
				return []int{i}
			}})
		}
		for _, name := range switches[n.op] {
			v := uint64(1)
			if f, ok := n.attribute(name, attributeInt); ok {
				v = 1 - f.word
			}
			if name == "upper" && len(n.attributes["upper"]) == 0 {
				v = 0
			}
			sites = append(sites, site{name + " of " + p.said(i), func() []int {
				p.edit(i).with(name, integerField(v))
				return []int{i}
			}})
		}
		if slices.Contains([]string{"Softmax", "LogSoftmax", "Hardmax"}, n.op) {
			axis := int64(-2)
			if f, ok := n.attribute("axis", attributeInt); ok && int64(f.word) != -1 && int64(f.word) != 0 {
				axis = int64(f.word) - 1
			}
			sites = append(sites, site{"axis of " + p.said(i), func() []int {
				p.edit(i).with("axis", integerField(uint64(axis)))
				return []int{i}
			}})
		}
		if pads := p.ints(i, "pads"); len(pads) == 4 && pads[0] > 0 && pads[2] > 0 {
			pads[0], pads[2] = pads[0]+1, pads[2]-1
			sites = append(sites, site{"pads of " + p.said(i), func() []int {
				p.setInts(i, "pads", pads)
				return []int{i}
			}})
		}
		sites = append(sites, p.wordSites(i)...)
		sites = append(sites, p.scalarSites(i)...)
	}
	return sites
}

// numbers are float attributes with default 1.
var numbers = map[string][]string{
	"Gemm": {"alpha"}, "FusedMatMul": {"alpha"}, "LeakyRelu": {"alpha"}, "Elu": {"alpha"},
	"Selu": {"gamma"}, "HardSigmoid": {"beta"}, "LpNormalization": {},
}

// switches are attributes that are 0 or 1, with default 0 (upper of Trilu: 1).
var switches = map[string][]string{
	"Trilu": {"upper"}, "CumSum": {"reverse"}, "NonMaxSuppression": {"center_point_box"},
	"Attention": {"unidirectional"}, "TopK": {"largest"},
}

// words maps text attributes to replacements.
var words = map[string]map[string]string{
	"post_transform": {"SOFTMAX": "LOGISTIC", "LOGISTIC": "NONE", "NONE": "LOGISTIC"},
	"norm":           {"L2": "L1", "L1": "L2", "MAX": "L2"},
	"activation":     {"Relu": "Tanh"},
	"approximate":    {"none": "tanh", "tanh": "none"},
}

func (p *planter) wordSites(i int) []site {
	var sites []site
	for _, name := range []string{"post_transform", "norm", "activation", "approximate"} {
		f, ok := p.nodes[i].attribute(name, attributeString)
		other := words[name][string(f.value)]
		if !ok || other == "" {
			continue
		}
		sites = append(sites, site{name + " of " + p.said(i), func() []int {
			const isString = 3 // AttributeProto.STRING
			p.edit(i).with(name, onnxwire.AppendVarint(
				onnxwire.AppendText(nil, attributeString, other), attributeType, isString))
			return []int{i}
		}})
	}
	return sites
}

// scalarSites lists constants of one value: a scale, an exponent, the bounds of Clip.
func (p *planter) scalarSites(i int) []site {
	n := &p.nodes[i]
	if !slices.Contains([]string{"Mul", "Div", "Pow", "Clip"}, n.op) {
		return nil
	}
	var sites []site
	for at, input := range n.inputs {
		w := p.weights[input]
		if w == nil || w.Len() != 1 || integer(w.ElementType()) || w.Float64At(0) == 0 {
			continue
		}
		sites = append(sites, site{"constant of " + p.said(i), func() []int {
			return p.change(i, at, input, func(v []float64, _ bool) { v[0] *= 0.75 })
		}})
	}
	return sites
}

// ints decodes a list of integers, packed or not.
func (p *planter) ints(i int, name string) []int64 {
	var list []int64
	for _, f := range p.nodes[i].attributes[name] {
		if f.number != attributeInts {
			continue
		}
		if f.value == nil {
			list = append(list, int64(f.word))
		}
		for b := f.value; len(b) > 0; {
			v, size := protowire.ConsumeVarint(b)
			if size < 0 {
				return nil
			}
			list, b = append(list, int64(v)), b[size:]
		}
	}
	return list
}

func (p *planter) setInts(i int, name string, list []int64) {
	var fields []byte
	for _, v := range list {
		fields = onnxwire.AppendVarint(fields, attributeInts, uint64(v))
	}
	const isInts = 7 // AttributeProto.INTS
	p.edit(i).with(name, onnxwire.AppendVarint(fields, attributeType, isInts))
}
