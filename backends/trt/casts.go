package trt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// casts describes how a model gets the types that the options ask for from a TensorRT that takes
// all types from the model (11): by Cast nodes.
type casts struct {
	plain *loaders.Model
	own   []string // the model's outputs, whose types do not change
	flags []string // the flags of the types that some node has
	text  string   // what was cast, for the provenance
	of    func(*loaders.Model) (*loaders.Model, string, error)
}

// lowering is a type that casts can give, with its flag.
type lowering struct {
	flag string
	elem tensor.ElementType
	cast func(*loaders.Model, edit.Float16) (*loaders.Model, edit.Float16Report, error)
}

var lowerings = []lowering{{flagFP16, tensor.Float16, edit.ToFloat16},
	{flagBF16, tensor.BFloat16, edit.ToBFloat16}}

// cast replaces the order's model by one with casts, if the options ask for lower types.
func (o *order) cast(ctx context.Context) error {
	chosen, err := o.nodeTypes(ctx)
	if err != nil {
		return err
	}
	usual := tensor.Float32
	var steps []lowering
	for _, l := range lowerings {
		if o.Flags[l.flag] && usual != tensor.Float32 {
			return errors.New("networks are strongly typed in TensorRT 11, so it cannot choose between " +
				"FP16 and BF16: drop one of them, and name the layers of the other with LayerPrecision")
		}
		if o.Flags[l.flag] {
			usual = l.elem
		}
		if o.Flags[l.flag] || slices.Contains(slices.Collect(maps.Values(chosen)), l.elem) {
			steps = append(steps, l)
		}
	}
	if len(steps) == 0 {
		return nil
	}
	c := &casts{plain: o.model}
	outputs, err := o.model.Outputs()
	if err != nil {
		return err
	}
	for _, v := range outputs {
		c.own = append(c.own, v.Name)
	}
	for _, l := range steps {
		c.flags = append(c.flags, l.flag)
	}
	c.of = func(m *loaders.Model) (*loaders.Model, string, error) {
		var all *edit.Float16Report
		var said []string
		casts := 0
		for _, l := range steps {
			var report edit.Float16Report
			var err error
			m, report, err = l.cast(m, edit.Float16{KeepNode: func(n loaders.Node) bool {
				elem, given := chosen[firstOutput(n)]
				return given && elem != l.elem || !given && usual != l.elem
			}})
			if err != nil {
				return nil, "", fmt.Errorf("%s by casts: %w", l.flag, err)
			}
			said = append(said, fmt.Sprintf("%v in %d nodes", l.elem, report.Half))
			casts += report.Casts
			all = both(all, report)
		}
		_, rest, _ := strings.Cut(strings.TrimSpace(all.String()), "\n")
		if rest != "" {
			rest = "; " + strings.ReplaceAll(strings.TrimSpace(rest), "\n ", ";")
		}
		return m, fmt.Sprintf("%s, %d casts added%s", strings.Join(said, ", "), casts, rest), nil
	}
	if o.model, c.text, err = c.of(o.model); err != nil {
		return err
	}
	o.casts = c
	if o.Verbosity == "" {
		o.Verbosity = detailed // nothing else reveals the types
	}
	return nil
}

// both joins the reports of two conversions: nodes stay in float32 that both kept.
func both(first *edit.Float16Report, second edit.Float16Report) *edit.Float16Report {
	if first == nil {
		return &second
	}
	kept := map[string]bool{}
	for _, k := range second.Kept {
		for _, name := range k.Nodes {
			kept[name] = true
		}
	}
	second.Kept = nil
	for _, k := range first.Kept {
		k.Nodes = slices.DeleteFunc(k.Nodes, func(name string) bool { return !kept[name] })
		if len(k.Nodes) > 0 {
			second.Kept = append(second.Kept, k)
		}
	}
	second.Clamped = append(first.Clamped, second.Clamped...)
	second.Vanished = append(first.Vanished, second.Vanished...)
	return &second
}

// firstOutput identifies a node, whose own name may be empty or occur twice.
func firstOutput(n loaders.Node) string {
	i := slices.IndexFunc(n.Outputs, func(name string) bool { return name != "" })
	if i < 0 {
		return ""
	}
	return n.Outputs[i]
}

// nodeTypes returns the types that [LayerPrecision] chooses, by the first output of each node. A
// choice for one layer of a node applies to the whole node; float32 wins.
func (o *order) nodeTypes(ctx context.Context) (map[string]tensor.ElementType, error) {
	if len(o.LayerTypes) == 0 {
		return nil, nil
	}
	layers, err := networkLayers(ctx, o.model, &o.settings)
	if err != nil {
		return nil, err
	}
	of, err := o.layerTypes(layers)
	if err != nil {
		return nil, err
	}
	nodes, err := o.model.Nodes()
	if err != nil {
		return nil, err
	}
	types := map[string]tensor.ElementType{}
	for k, names := range layersOf(nodes, layers) {
		for _, name := range names {
			elem, given := of[name]
			if before, seen := types[firstOutput(nodes[k])]; given &&
				(!seen || before != tensor.Float32) {
				types[firstOutput(nodes[k])] = elem
			}
		}
	}
	return types, nil
}

// layerTypes returns the types that the options choose, by the names of layers. If several patterns
// match a layer, the pattern that matches the fewest layers applies.
func (o *order) layerTypes(layers []networkLayer) (map[string]tensor.ElementType, error) {
	type choice struct {
		layers []string
		elem   tensor.ElementType
	}
	var choices []choice
	for _, pattern := range slices.Sorted(maps.Keys(o.LayerTypes)) {
		elem, err := tensor.ParseElementType(o.LayerTypes[pattern])
		if err != nil {
			return nil, err
		}
		if elem != tensor.Float32 && elem != tensor.Float16 && elem != tensor.BFloat16 {
			return nil, fmt.Errorf("LayerPrecision(%q, %v): %s", pattern, elem, quantizeModel)
		}
		one := choice{elem: elem}
		var all []string
		for _, layer := range layers {
			all = append(all, layer.name)
			if layer.name != "" && (layer.name == pattern || fits([]string{pattern}, layer.name)) {
				one.layers = append(one.layers, layer.name)
			}
		}
		if len(one.layers) == 0 && !o.part {
			return nil, unfit([]string{pattern}, slices.DeleteFunc(all, func(name string) bool {
				return name == ""
			}), "layer that computes floats")
		}
		choices = append(choices, one)
	}
	slices.SortStableFunc(choices, func(a, b choice) int {
		return cmp.Compare(len(b.layers), len(a.layers))
	})
	types := map[string]tensor.ElementType{}
	for _, one := range choices {
		for _, name := range one.layers {
			types[name] = one.elem
		}
	}
	return types, nil
}

// widen converts a tensor from inside an engine with casts to float32. TensorRT 10 returns it so.
func (c *casts) widen(e tensor.Entry) (tensor.Entry, error) {
	elem := e.Tensor.ElementType()
	if c == nil || elem != tensor.Float16 && elem != tensor.BFloat16 || slices.Contains(c.own, e.Name) {
		return e, nil
	}
	t, err := e.Tensor.Convert(tensor.Float32)
	return tensor.Entry{Name: e.Name, Tensor: t}, err
}
