package tract

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/internal/onnxwire"
	abi "github.com/modelparity/modelparity/internal/tract"
	"github.com/modelparity/modelparity/loaders"
)

// Some operators in tract have to know an input beforehand: the axes of a sum, the shape of a
// Reshape. If such an input is one of the model's inputs, the model is prepared for its value: an
// initializer of the input's name, appended to the model's bytes, makes it a constant.

// wanted is what a model is to be made ready for.
type wanted struct {
	facts        []abi.Fact
	values       []abi.Value // nil where they are not known yet
	fed          []int       // the inputs that are fed; the others are constants
	initializers []byte      // of the constants, as a part of a model
}

// wantedFor is for inputs that are all fed.
func wantedFor(facts []abi.Fact, values []abi.Value) wanted {
	w := wanted{facts: facts, values: values}
	for i := range facts {
		w.fed = append(w.fed, i)
	}
	return w
}

// key identifies what is wanted.
func (w wanted) key() string { return fmt.Sprint(w.facts, w.fed) + string(w.initializers) }

// fedFacts are the types and shapes of what is fed.
func (w wanted) fedFacts() []abi.Fact {
	facts := make([]abi.Fact, len(w.fed))
	for i, from := range w.fed {
		facts[i] = w.facts[from]
	}
	return facts
}

// fedOf picks what is fed.
func (p *plan) fedOf(values []abi.Value) []abi.Value {
	list := make([]abi.Value, len(p.fed))
	for i, from := range p.fed {
		list[i] = values[from]
	}
	return list
}

// mostConstant is how many elements a constant may have: lists of axes and sizes, no data.
const mostConstant = 1024

// constants are the inputs that are made constants, one kind after the other until the operators
// know enough: integers first, then scales, then lists of them, as long as some input is left that
// is data.
var constants = []func(v abi.Value) bool{
	func(v abi.Value) bool { return small(v) && integer(v) },
	func(v abi.Value) bool { return small(v) && (integer(v) || len(v.Shape) == 0) },
	small,
}

func integer(v abi.Value) bool {
	return v.Type != abi.Float16 && v.Type != abi.Float32 && v.Type != abi.Float64
}

// allSizes reports whether no value is data: 0-d numbers and lists of integers.
func allSizes(values []abi.Value) bool {
	for _, v := range values {
		if !integer(v) && len(v.Shape) > 0 {
			return false
		}
	}
	return true
}

func small(v abi.Value) bool {
	return len(v.Shape) == 0 || len(v.Shape) == 1 && v.Shape[0] <= mostConstant
}

// fix makes constants of the inputs that constant picks; ok is whether there are any more of them
// than before.
func (w wanted) fix(inputs []loaders.Value, constant func(abi.Value) bool) (fixed wanted, ok bool) {
	fixed = wanted{facts: w.facts, values: w.values}
	var graph []byte
	for i, v := range w.values {
		if !constant(v) {
			fixed.fed = append(fixed.fed, i)
			continue
		}
		graph = onnxwire.AppendMessage(graph, onnxwire.GraphInitializer, encoded(inputs[i].Name, v))
	}
	fixed.initializers = onnxwire.AppendMessage(nil, onnxwire.ModelGraph, graph)
	more := len(w.values) > 0 && len(fixed.fed) < len(w.fed)
	return fixed, more && (len(fixed.fed) > 0 || allSizes(w.values))
}

// encoded is a value as ONNX's TensorProto.
func encoded(name string, v abi.Value) []byte {
	var b []byte
	for _, d := range v.Shape {
		b = onnxwire.AppendVarint(b, 1, uint64(d))
	}
	b = onnxwire.AppendVarint(b, 2, uint64(onnxNumbers[v.Type]))
	return onnxwire.AppendMessage(onnxwire.AppendText(b, 8, name), onnxwire.TensorRawData, v.Data)
}

// onnxNumbers are ONNX's numbers of tract's types.
var onnxNumbers = map[abi.DatumType]int32{abi.Float32: 1, abi.Uint8: 2, abi.Int8: 3, abi.Uint16: 4,
	abi.Int16: 5, abi.Int32: 6, abi.Int64: 7, abi.Bool: 9, abi.Float16: 10, abi.Float64: 11,
	abi.Uint32: 12, abi.Uint64: 13}

// needsConstant reports whether an operator has to know an input beforehand.
func needsConstant(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.Reason == NeedsConstant
}
