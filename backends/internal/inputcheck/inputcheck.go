// Package inputcheck checks inputs against the inputs that a model declares.
package inputcheck

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// All checks one set of inputs against a model's declared inputs, for engines that accept only
// tensors. Every declared input must be present with its declared element type, rank and fixed
// dimensions, and there must be no other inputs. The engines themselves report such mistakes late
// or never.
func All(declared []loaders.Value, inputs *tensor.Set) error {
	var missing, extra []string
	for _, v := range declared {
		t, given := inputs.Get(v.Name)
		if !given {
			missing = append(missing, v.String())
		} else if err := One(v, t); err != nil {
			return err
		}
	}
	for _, name := range inputs.Names() {
		if !slices.ContainsFunc(declared, func(v loaders.Value) bool { return v.Name == name }) {
			extra = append(extra, name)
		}
	}
	slices.Sort(extra)
	return WrongNames(missing, extra, declared)
}

// WrongNames returns an error that lists the missing inputs, with their declarations, and the extra
// inputs, which the model does not declare. It returns nil if both lists are empty. The error names
// at most ten missing and ten extra inputs.
func WrongNames(missing, extra []string, declared []loaders.Value) error {
	switch {
	case len(missing) > 0 && len(extra) > 0:
		return fmt.Errorf("inputs are missing: %s; got instead: %s", names.Join(missing),
			names.Join(extra))
	case len(missing) > 0:
		return fmt.Errorf("inputs are missing: %s", names.Join(missing))
	case len(extra) > 0:
		has := names.Each(declared, loaders.Value.String)
		return fmt.Errorf("the model has no inputs %s; its inputs are %s", names.Join(extra),
			names.Join(has))
	}
	return nil
}

// One checks a tensor against its declared element type, rank and fixed dimensions.
func One(declared loaders.Value, t *tensor.Tensor) error {
	refuse := func(what string) error {
		return fmt.Errorf("input %q: expected %s, got %v%v: %s differs",
			declared.Name, declared, t.ElementType(), t.Shape(), what)
	}
	if declared.Type != t.ElementType() {
		err := refuse("the element type")
		// Smaller floating-point types cannot be cast.
		if a, b := declared.Type, t.ElementType(); a.IsFloat() && b.IsFloat() &&
			min(a.Bits(), b.Bits()) > 8 {
			err = fmt.Errorf("%w; to convert the data, use --cast-inputs, or Cast(model) in a spec", err)
		}
		return err
	}
	if !declared.HasShape {
		return nil
	}
	if len(declared.Dims) != len(t.Shape()) {
		return refuse("the rank")
	}
	for i, d := range declared.Dims {
		if !d.Dynamic() && d.Size != t.Shape()[i] {
			return refuse(fmt.Sprintf("dimension %d", i))
		}
	}
	return nil
}
