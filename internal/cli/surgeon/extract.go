package surgeon

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// auto is the word that users write to have a shape or type inferred.
const auto = "auto"

// extract cuts a part out of the model. Types and shapes that the flags omit come from the model's
// declarations or are inferred. Dynamic dimensions stay dynamic.
func (f *Flags) extract(ctx context.Context, m *loaders.Model) (*loaders.Model, string, error) {
	if f.observe {
		var err error
		if m, _, err = f.shaped(ctx, m); err != nil {
			return nil, "", err
		}
	}
	names, err := m.TensorNames()
	if err != nil {
		return nil, "", err
	}
	inputs, err := f.ends(ctx, m, names, f.inputs, true)
	if err != nil {
		return nil, "", err
	}
	if len(f.inputs) == 0 {
		if inputs, err = m.Inputs(); err != nil {
			return nil, "", err
		}
	}
	outputs, err := f.ends(ctx, m, names, f.outputs, false)
	if err != nil {
		return nil, "", err
	}
	if len(f.outputs) == 0 {
		if outputs, err = m.Outputs(); err != nil {
			return nil, "", err
		}
	}
	part, err := m.Cut(inputs, outputs)
	return part, "", err
}

// ends parses the tensors at which the model is cut, in the form NAME[:SHAPE][:TYPE]. It infers
// types that are missing or auto. If shaped is true, it does the same with shapes.
func (f *Flags) ends(ctx context.Context, m *loaders.Model, names map[string]bool, texts []string,
	shaped bool) ([]loaders.Value, error) {
	var said []loaders.Value
	var missing []string
	for _, text := range texts {
		v, err := end(names, text)
		if err != nil {
			return nil, err
		}
		if said = append(said, v); !v.Type.Valid() || shaped && !v.HasShape {
			missing = append(missing, v.Name)
		}
	}
	if len(missing) == 0 {
		return said, nil
	}
	known, err := typed(ctx, m, missing)
	if err != nil {
		return nil, err
	}
	for i := range said {
		for _, k := range known {
			if k.Name != said[i].Name {
				continue
			}
			if k.Kind != loaders.Tensor || shaped && !k.HasShape && !said[i].HasShape {
				return nil, fmt.Errorf("%s: its type and shape are not declared and cannot be inferred; write "+
					"%[1]s:[SIZE,...]:TYPE", k.Name)
			}
			if !said[i].Type.Valid() {
				said[i].Type = k.Type
			}
			if !said[i].HasShape {
				said[i].HasShape, said[i].Dims = k.HasShape, k.Dims
			}
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
		case word == auto:
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
