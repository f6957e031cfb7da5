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
	for _, declared := range slices.Concat(b.inputs, b.optional) {
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
		case len(taken) > 0:
			if err := fits(inputs, declared); err != nil {
				return nil, err
			}
			feeds = append(feeds, onnxruntime.Named{Name: declared.Name, Value: value})
		case declared.Kind != loaders.Optional && !b.initialized(declared.Name):
			missing = append(missing, declared.String())
		}
	}
	extra := slices.Sorted(maps.Keys(left))
	if err := inputcheck.WrongNames(missing, extra, b.inputs); err != nil {
		return nil, err
	}
	return feeds, nil
}

// initialized reports whether the model has a default value for an input. Such an input may be
// missing.
func (b *backend) initialized(name string) bool {
	return slices.ContainsFunc(b.optional, func(v loaders.Value) bool { return v.Name == name })
}

// fits checks an input's tensor against the input's declaration. It does nothing if the input has
// no tensor.
func fits(inputs *tensor.Set, declared loaders.Value) error {
	t, given := inputs.Get(declared.Name)
	if !given || declared.Kind != loaders.Tensor {
		return nil // the library checks the contents of sequences, maps and optionals
	}
	return inputcheck.One(declared, t)
}
