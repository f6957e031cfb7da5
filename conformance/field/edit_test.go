package field_test

import (
	"encoding/binary"
	"maps"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/onnxwire"
)

// edit is a node to change.
func (p *planter) edit(i int) *node {
	n := &p.nodes[i]
	n.attributes = maps.Clone(n.attributes)
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
