package backends

import (
	"github.com/modelparity/modelparity/backends/internal/inputcheck"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// CheckInputs checks one set of inputs against a model's declared inputs, for engines that accept
// only tensors. Every declared input must be present with its declared element type, rank and fixed
// dimensions, and there must be no other inputs. Backends call CheckInputs before a run, because
// the engines themselves report such mistakes late or never.
func CheckInputs(declared []loaders.Value, inputs *tensor.Set) error {
	return inputcheck.All(declared, inputs)
}
