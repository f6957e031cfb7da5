package tract

import (
	"github.com/modelparity/modelparity/backends"
	abi "github.com/modelparity/modelparity/internal/tract"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// feed checks the inputs against the model's declaration and returns them in the declared order.
func (b *backend) feed(inputs *tensor.Set) ([]*tensor.Tensor, error) {
	if err := backends.CheckInputs(b.inputs, inputs); err != nil {
		return nil, err
	}
	values := make([]*tensor.Tensor, len(b.inputs))
	for i, declared := range b.inputs {
		values[i], _ = inputs.Get(declared.Name)
	}
	return values, nil
}

// factsOf returns the types and shapes of values.
func factsOf(values []*tensor.Tensor) []abi.Fact {
	facts := make([]abi.Fact, len(values))
	for i, v := range values {
		facts[i] = abi.Fact{Type: v.ElementType(), Shape: v.Shape()}
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
		facts[i].Type = in.Type
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
func (b *backend) named(values []*tensor.Tensor) (*tensor.Set, error) {
	entries := make([]tensor.Entry, len(values))
	for i, t := range values {
		entries[i] = tensor.Entry{Name: b.outputs[i].Name, Tensor: t}
	}
	return tensor.NewSet(entries...)
}
