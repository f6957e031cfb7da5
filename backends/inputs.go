package backends

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// CheckInputs checks one set of inputs against what a model declares, for engines that take only
// tensors: every declared input is present with its declared element type, rank and fixed
// dimensions, and there are no others. Engines themselves find such mistakes late, or never.
func CheckInputs(declared []loaders.Value, inputs *tensor.Set) error {
	var missing, extra []string
	for _, v := range declared {
		t, given := inputs.Get(v.Name)
		if !given {
			missing = append(missing, v.String())
		} else if err := CheckInput(v, t); err != nil {
			return err
		}
	}
	for _, name := range inputs.Names() {
		if !slices.ContainsFunc(declared, func(v loaders.Value) bool { return v.Name == name }) {
			extra = append(extra, name)
		}
	}
	slices.Sort(extra)
	switch {
	case len(missing) > 0 && len(extra) > 0:
		return fmt.Errorf("inputs are missing: %s; got instead: %s",
			strings.Join(missing, ", "), strings.Join(extra, ", "))
	case len(missing) > 0:
		return fmt.Errorf("inputs are missing: %s", strings.Join(missing, ", "))
	case len(extra) > 0:
		return fmt.Errorf("the model has no inputs %s; it has %s",
			strings.Join(extra, ", "), declaredInputs(declared))
	}
	return nil
}

// CheckInput checks a tensor against its declared element type, rank and fixed dimensions.
func CheckInput(declared loaders.Value, t *tensor.Tensor) error {
	refuse := func(what string) error {
		return fmt.Errorf("input %q: expected %s, got %v%v: %s differs",
			declared.Name, declared, t.ElementType(), t.Shape(), what)
	}
	if declared.Type != t.ElementType() {
		return fmt.Errorf("%w%s", refuse("the element type"), castRemedy(declared, t))
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

// castRemedy is what helps where both types are floating point, else "".
func castRemedy(declared loaders.Value, t *tensor.Tensor) string {
	floats := []tensor.ElementType{tensor.Float16, tensor.BFloat16, tensor.Float32, tensor.Float64}
	if slices.Contains(floats, declared.Type) && slices.Contains(floats, t.ElementType()) {
		return "; to cast the data, write Cast(model) behind the inputs, or --cast-inputs"
	}
	return ""
}

func declaredInputs(values []loaders.Value) string {
	if len(values) == 0 {
		return "none"
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = v.String()
	}
	return strings.Join(texts, ", ")
}
