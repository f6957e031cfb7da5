package surgeon

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// extract cuts a part out of the model. Types and shapes that the flags omit come from the model's
// declarations or are inferred. Dynamic dimensions stay dynamic.
func (f *Flags) extract(ctx context.Context, m *loaders.Model) (_ *loaders.Model, _ string,
	err error) {
	if f.observe {
		if m, _, err = f.shaped(ctx, m); err != nil {
			return nil, "", err
		}
	}
	inputs, _, err := ends(ctx, m, f.inputs, true)
	if err != nil {
		return nil, "", err
	}
	outputs, m, err := ends(ctx, m, f.outputs, false)
	if err != nil {
		return nil, "", err
	}
	// By default, no part ends where it begins.
	own, _ := m.Inputs() // Cut returns the error
	outputs = slices.DeleteFunc(outputs, func(v loaders.Value) bool {
		return len(f.outputs) == 0 && slices.Contains(loaders.Names(inputs), v.Name) &&
			!slices.Contains(loaders.Names(own), v.Name)
	})
	part, err := m.Cut(inputs, outputs)
	return part, "", err
}

// ends parses the tensors at which the model is cut, in the form NAME[:SHAPE][:TYPE]. It infers
// types and shapes that are missing or auto. An output may lack a shape, and may be a sequence,
// whose type the returned model declares. If texts is empty and input is false, ends returns the
// outputs of the model. If texts is empty and input is true, ends returns no tensors: the part then
// begins at the inputs of the model.
func ends(ctx context.Context, m *loaders.Model, texts []string, input bool) (said []loaders.Value,
	_ *loaders.Model, err error) {
	names, err := m.TensorNames()
	if len(texts) == 0 && !input {
		said, err = m.Outputs()
	}
	if err != nil {
		return nil, nil, err
	}
	var missing []string
	needed := input
	for _, text := range texts {
		v, err := end(names, text)
		if err != nil {
			return nil, nil, err
		}
		if said = append(said, v); !v.Type.Valid() || !v.HasShape {
			missing, needed = append(missing, v.Name), needed || !v.Type.Valid()
		}
	}
	known, inferred, err := typed(ctx, m, missing)
	if err != nil && (needed || context.Cause(ctx) != nil) {
		return nil, nil, err
	}
	for i := range said {
		for _, k := range known {
			switch v := &said[i]; {
			case k.Name != v.Name:
			case k.Kind != loaders.Tensor && k.Kind != loaders.Untyped && input:
				return nil, nil, fmt.Errorf("%s: its type is %s, and a part can begin only at tensors",
					k.Name, k.TypeName)
			case k.Kind == loaders.Untyped && !v.Type.Valid() || input && !k.HasShape && !v.HasShape:
				return nil, nil, fmt.Errorf("%s: its type and shape are not declared and cannot be "+
					"inferred; write %[1]s:[SIZE,...]:TYPE", k.Name)
			case k.Kind != loaders.Tensor:
				m = inferred
			default:
				v.Type = cmp.Or(v.Type, k.Type)
				if !v.HasShape {
					v.HasShape, v.Dims = k.HasShape, k.Dims
				}
			}
		}
	}
	return said, m, nil
}

// end parses one tensor, from the right: the tensor's name may contain colons.
func end(names map[string]bool, text string) (v loaders.Value, err error) {
	for v.Name = text; !names[v.Name]; {
		split := values.Split(v.Name)
		switch word := split.Value; {
		case split.Name == "":
			return v, fmt.Errorf("no tensor %q in the graph", v.Name)
		case word == "auto": // infer the shape or type
		case strings.HasPrefix(word, "["):
			said, wrong := shape(word, "a shape; write [1,3,224,224]")
			v.HasShape, v.Dims, err = true, said.Value, wrong
		default:
			v.Type, err = tensor.ParseElementType(word)
		}
		if err != nil {
			return v, fmt.Errorf("%q: %w", text, err)
		}
		v.Name = split.Name
	}
	return v, nil
}
