package tract

import (
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/native"
	abi "github.com/modelparity/modelparity/internal/tract"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// datumTypes maps element types to tract's codes. It contains only the types that tract's C API
// supports.
var datumTypes = native.Codes[abi.DatumType]{
	tensor.Bool:    abi.Bool,
	tensor.Uint8:   abi.Uint8,
	tensor.Uint16:  abi.Uint16,
	tensor.Uint32:  abi.Uint32,
	tensor.Uint64:  abi.Uint64,
	tensor.Int8:    abi.Int8,
	tensor.Int16:   abi.Int16,
	tensor.Int32:   abi.Int32,
	tensor.Int64:   abi.Int64,
	tensor.Float16: abi.Float16,
	tensor.Float32: abi.Float32,
	tensor.Float64: abi.Float64,
}

// feed checks the inputs against the model's declaration and returns them in the declared order.
func (b *backend) feed(inputs *tensor.Set) ([]abi.Value, error) {
	if err := backends.CheckInputs(b.inputs, inputs); err != nil {
		return nil, err
	}
	values := make([]abi.Value, len(b.inputs))
	for i, declared := range b.inputs {
		t, _ := inputs.Get(declared.Name)
		values[i] = abi.Value{Type: datumTypes[t.ElementType()], Shape: t.Shape(), Data: t.Bytes()}
	}
	return values, nil
}

// factsOf returns the types and shapes of values.
func factsOf(values []abi.Value) []abi.Fact {
	facts := make([]abi.Fact, len(values))
	for i, v := range values {
		facts[i] = abi.Fact{Type: v.Type, Shape: v.Shape}
	}
	return facts
}

// declaredFacts returns the types and shapes that the model declares, and whether all of them are
// fixed.
func declaredFacts(inputs []loaders.Value) ([]abi.Fact, bool) {
	facts := make([]abi.Fact, len(inputs))
	for i, in := range inputs {
		if !in.HasShape {
			return nil, false
		}
		facts[i].Type = datumTypes[in.Type]
		for _, d := range in.Dims {
			if d.Dynamic() {
				return nil, false
			}
			facts[i].Shape = append(facts[i].Shape, d.Size)
		}
	}
	return facts, true
}

// named returns the output values as a set of tensors, under the outputs' names.
func (b *backend) named(values []abi.Value) (*tensor.Set, error) {
	entries := make([]tensor.Entry, len(values))
	for i, v := range values {
		t, err := datumTypes.Tensor(v.Type, v.Shape, v.Data)
		if err != nil {
			return nil, fmt.Errorf("output %q: %w", b.outputs[i].Name, err)
		}
		entries[i] = tensor.Entry{Name: b.outputs[i].Name, Tensor: t}
	}
	return tensor.NewSet(entries...)
}
