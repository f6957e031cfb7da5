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

// casts inserts Cast nodes into a model, so that it has the types that the options request.
// TensorRT 11 needs these nodes, because it takes all types from the model.
type casts struct {
	own  []string // the model's outputs, whose types do not change
	flag string   // the flag of the type that nodes were cast to
	text string   // what was cast, for the provenance
}

// lowering describes a type narrower than float32: the flag that allows the type, and the function
// that casts a model to it.
type lowering struct {
	flag string
	elem tensor.ElementType
	cast func(*loaders.Model, edit.Float16) (*loaders.Model, edit.Float16Report, error)
}

var lowerings = []lowering{{flagFP16, tensor.Float16, edit.ToFloat16},
	{flagBF16, tensor.BFloat16, edit.ToBFloat16}}

// cast replaces the model with a model that contains casts, if the options request types narrower
// than float32.
func (o *order) cast(ctx context.Context) error {
	chosen, err := o.nodeTypes(ctx)
	if err != nil {
		return err
	}
	usual := tensor.Float32
	var lower []lowering
	for _, l := range lowerings {
		if o.Flags[l.flag] {
			usual = l.elem
		}
		if o.Flags[l.flag] || slices.Contains(slices.Collect(maps.Values(chosen)), l.elem) {
			lower = append(lower, l)
		}
	}
	switch len(lower) {
	case 0:
		return nil
	case 2:
		return errors.New("TensorRT 11 applies precision options as casts to a single type: use either " +
			"float16 or bfloat16")
	}
	to := lower[0]
	c := &casts{flag: to.flag}
	outputs, err := o.model.Outputs()
	if err != nil {
		return err
	}
	c.own = loaders.Names(outputs)
	keep := func(n loaders.Node) bool {
		elem, given := chosen[firstOutput(n)]
		return given && elem != to.elem || !given && usual != to.elem
	}
	var report edit.Float16Report
	if o.model, report, err = to.cast(o.model, edit.Float16{KeepNode: keep}); err != nil {
		return fmt.Errorf("%s by casts: %w", to.flag, err)
	}
	_, rest, _ := strings.Cut(strings.TrimSpace(report.String()), "\n")
	if rest != "" {
		rest = "; " + strings.ReplaceAll(strings.TrimSpace(rest), "\n ", ";")
	}
	c.text = fmt.Sprintf("%v in %d nodes, %d casts added%s", to.elem, report.Half, report.Casts, rest)
	o.casts = c
	if o.Verbosity == "" {
		o.Verbosity = detailed // nothing else reveals the types
	}
	return nil
}

// firstOutput returns the name of a node's first output. That name identifies the node better than
// the node's own name, which may be empty or occur twice.
func firstOutput(n loaders.Node) string { return cmp.Or(n.Outputs...) }

// nodeTypes returns the types that [LayerPrecision] chooses, keyed by each node's first output. A
// choice for one layer of a node applies to the whole node. If choices conflict, float32 wins.
func (o *order) nodeTypes(ctx context.Context) (map[string]tensor.ElementType, error) {
	if len(o.LayerTypes) == 0 {
		return nil, nil
	}
	layers, err := networkLayers(ctx, o.model, &o.settings)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(layers))
	for i, layer := range layers {
		names[i] = layer.name
	}
	of, err := o.typesOf(names, func(i int) bool { return names[i] != "" })
	if err != nil {
		return nil, err
	}
	nodes, err := o.model.Nodes()
	if err != nil {
		return nil, err
	}
	types := map[string]tensor.ElementType{}
	for k, own := range layersOf(nodes, layers) {
		node := firstOutput(nodes[k])
		for i, name := range names {
			elem, given := of[i]
			switch before, seen := types[node]; {
			case !given, !slices.Contains(own, name), seen && before == tensor.Float32:
			case elem != tensor.Float32 && elem != tensor.Float16 && elem != tensor.BFloat16:
				return nil, fmt.Errorf("layer %q in %v: %s", name, elem, quantizeModel)
			default:
				types[node] = elem
			}
		}
	}
	return types, nil
}

// typesOf returns the types that [LayerPrecision] chooses, by layer index. If several patterns
// match a layer, the longest applies; among equals, the last one alphabetically. A pattern selects
// the matching layers that compute floats. A layer whose name equals the pattern is selected
// whatever it computes.
func (o *order) typesOf(names []string, floats func(int) bool) (map[int]tensor.ElementType,
	error) {
	patterns := slices.SortedStableFunc(slices.Values(slices.Sorted(maps.Keys(o.LayerTypes))),
		func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	types := map[int]tensor.ElementType{}
	for _, pattern := range patterns {
		elem, found := o.LayerTypes[pattern], false
		for i, name := range names {
			if name == pattern || floats(i) && fits([]string{pattern}, name) {
				types[i], found = elem, true
			}
		}
		if !found && !o.part { // a part lacks layers of the model
			named := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
			if err := unfit([]string{pattern}, named, "layer"); err != nil {
				return nil, err
			}
			return nil, fmt.Errorf("no layer that matches %q computes floats, so its precision "+
				"cannot be set", pattern)
		}
	}
	return types, nil
}

// widen converts an intermediate tensor back to float32 after a cast has narrowed it, because
// TensorRT 10 returns such a tensor in float32.
func (c *casts) widen(e tensor.Entry) (tensor.Entry, error) {
	elem := e.Tensor.ElementType()
	if c == nil || slices.Contains(c.own, e.Name) ||
		elem != tensor.Float16 && elem != tensor.BFloat16 {
		return e, nil
	}
	t, err := e.Tensor.Convert(tensor.Float32)
	return tensor.Entry{Name: e.Name, Tensor: t}, err
}
