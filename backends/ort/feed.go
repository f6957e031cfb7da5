package ort

import (
	"maps"
	"slices"

	"github.com/modelparity/modelparity/backends/internal/inputcheck"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// feeds checks the inputs against the model's declaration and converts them to the library's
// values. Inputs listed in kept may be missing, because the library already has their values.
// Without this check, a missing input would be reported only by the first kernel that reads it.
func (b *backend) feeds(inputs *tensor.Set, kept map[string]bool) ([]onnxruntime.Named, error) {
	left := map[string]bool{}
	for _, name := range inputs.Names() {
		left[name] = true
	}
	var feeds []onnxruntime.Named
	var missing []string
	for i, declared := range slices.Concat(b.inputs, b.optional) {
		if kept[declared.Name] {
			continue
		}
		value, taken, err := gather(inputs, declared.Name, declared.TypeName)
		if err != nil {
			return nil, err
		}
		for _, name := range taken {
			delete(left, name)
		}
		switch {
		case len(taken) > 0 && declared.Kind == loaders.Tensor:
			err = inputcheck.One(declared, value.Tensor)
		case len(taken) == 0 && declared.Kind != loaders.Optional && i < len(b.inputs):
			missing = append(missing, declared.String()) // b.optional may be missing
		}
		if err != nil {
			return nil, err
		}
		if len(taken) > 0 { // the library checks the contents of sequences, maps and optionals
			feeds = append(feeds, onnxruntime.Named{Name: declared.Name, Value: value})
		}
	}
	extra := slices.Sorted(maps.Keys(left))
	if err := inputcheck.WrongNames(missing, extra, b.inputs); err != nil {
		return nil, err
	}
	return feeds, nil
}
