package surgeon

import (
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
func (f *Flags) extract(ctx context.Context, m *loaders.Model) (
	part *loaders.Model, text string, err error) {
	if f.observe {
		if m, _, err = f.shaped(ctx, m); err != nil {
			return nil, "", err
		}
	}
	names, err := m.TensorNames()
	if err != nil {
		return nil, "", err
	}
	inputs, err := ends(ctx, m, names, f.inputs, m.Inputs, true)
	if err != nil {
		return nil, "", err
	}
	outputs, err := ends(ctx, m, names, f.outputs, m.Outputs, false)
	if err != nil {
		return nil, "", err
	}
	part, err = m.Cut(inputs, outputs)
	return part, "", err
}

// ends parses the tensors at which the model is cut, in the form NAME[:SHAPE][:TYPE]. It infers
// types and shapes that are missing or auto. A shape that cannot be inferred is an error only if
// shaped is true. If there are no texts, ends returns the model's own inputs or outputs.
func ends(ctx context.Context, m *loaders.Model, names map[string]bool, texts []string,
	own func() ([]loaders.Value, error), shaped bool) ([]loaders.Value, error) {
	if len(texts) == 0 {
		return own()
	}
	said := make([]loaders.Value, len(texts))
	var missing []string
	var at []int // the places of the missing ones in said
	needed := func(v loaders.Value) bool { return !v.Type.Valid() || shaped && !v.HasShape }
	for i, text := range texts {
		v, err := end(names, text)
		if err != nil {
			return nil, err
		}
		if said[i] = v; !v.Type.Valid() || !v.HasShape {
			missing, at = append(missing, v.Name), append(at, i)
		}
	}
	if len(missing) == 0 {
		return said, nil
	}
	known, err := typed(ctx, m, missing)
	if err != nil && slices.ContainsFunc(said, needed) {
		return nil, err
	}
	for i, k := range known {
		v := &said[at[i]]
		if needed(*v) && (k.Kind != loaders.Tensor || shaped && !k.HasShape && !v.HasShape) {
			return nil, fmt.Errorf("%s: its type and shape are not declared and cannot be inferred; write "+
				"%[1]s:[SIZE,...]:TYPE", k.Name)
		}
		if !v.Type.Valid() {
			v.Type = k.Type
		}
		if !v.HasShape {
			v.HasShape, v.Dims = k.HasShape, k.Dims
		}
	}
	return said, nil
}

// end parses one tensor, from the right: the tensor's name may contain colons.
func end(names map[string]bool, text string) (v loaders.Value, err error) {
	for v.Name = text; !names[v.Name]; {
		split := values.Split(v.Name)
		switch word := split.Value; {
		case split.Name == "":
			return v, fmt.Errorf("no tensor %q in the graph", v.Name)
		case word == "auto": // to be inferred
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
