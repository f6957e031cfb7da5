package edit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/internal/wildcard"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// Float16 configures [ToFloat16] and [ToBFloat16]. With the zero value, a node stays in float32
// only if ONNX does not define its operator in float16, if it computes shapes and indices, or if
// ONNX Runtime's CPU rejects it in float16: ScatterElements and ScatterND with a reduction, and
// MeanVarianceNormalization.
type Float16 struct {
	// Keep lists nodes that stay in float32, by the name of the node or of a tensor that it
	// returns. KeepOps lists operators whose nodes stay in float32. Both accept exact names and
	// wildcards as in Python's fnmatch. It is an error if an entry matches nothing.
	Keep    []string
	KeepOps []string
	// KeepNode reports whether a node stays in float32. It is called for the nodes of the graph,
	// but not for nodes in bodies and functions. If it is nil, it keeps no nodes. Constant nodes
	// get the types that the nodes reading them need.
	KeepNode func(loaders.Node) bool
}

// Float16Report describes what [ToFloat16] or [ToBFloat16] changed.
type Float16Report struct {
	Type tensor.ElementType // float16 or bfloat16
	// Half is the number of nodes that compute in float16, and Casts is the number of Cast nodes
	// added.
	Half, Casts int
	// Kept lists the nodes that stayed in float32, grouped by reason, excluding nodes without float32
	// tensors.
	Kept []KeptNodes
	// Clamped lists weights with finite values beyond the type's range, ±65504 in float16. These
	// values were clamped to the range.
	Clamped []RoundedWeight
	// Vanished lists weights with values too small for the type, which became 0.
	Vanished []RoundedWeight
	// Raised lists constants that are too small for the type but consist of a single number, such as
	// an epsilon. They became the smallest nonzero value, ±2⁻²⁴ in float16: dividing by 0 would give
	// a wrong result, not merely a rounded one.
	Raised []RoundedWeight
}

// KeptNodes lists the nodes that stayed in float32 for one reason.
type KeptNodes struct {
	Reason string
	Nodes  []string // names of the nodes; an unnamed node is listed by its first output
}

// RoundedWeight is a constant with values outside the range of [Float16Report.Type]. These values
// were clamped to the range, became 0, or became the smallest nonzero value.
type RoundedWeight struct {
	Name    string
	Values  int     // number of such values
	Extreme float64 // the largest magnitude that was clamped, or else the smallest magnitude
}

// String formats the report in a few lines.
func (r Float16Report) String() string {
	var b strings.Builder
	kept := 0
	for _, k := range r.Kept {
		kept += len(k.Nodes)
	}
	fmt.Fprintf(&b, "%v: %d nodes, %d kept in float32, %d casts added\n", r.Type, r.Half, kept,
		r.Casts)
	for _, k := range r.Kept {
		fmt.Fprintf(&b, "  kept in float32: %s: %s\n", k.Reason, names.Join(k.Nodes))
	}
	for _, w := range r.Clamped {
		fmt.Fprintf(&b, "  clamped to %.5g: %d values of %q, largest magnitude %.4g\n",
			ranges[r.Type].greatest, w.Values, w.Name, w.Extreme)
	}
	for _, w := range r.Vanished {
		fmt.Fprintf(&b, "  flushed to zero: %d values of %q, smallest magnitude %.4g\n", w.Values,
			w.Name, w.Extreme)
	}
	for _, w := range r.Raised {
		fmt.Fprintf(&b, "  1 value of %q, magnitude %.4g, was rounded up to %.5g instead of to 0\n",
			w.Name, w.Extreme, ranges[r.Type].least)
	}
	return b.String()
}

// ToFloat16 returns the model with its float32 tensors converted to float16: weights and
// intermediate tensors, including the tensors in the bodies of If, Loop and Scan. The inputs and
// outputs of the model and of bodies keep their types; Cast nodes are added to convert between the
// two types. A Cast to float32 becomes a Cast to float16. Other types, including double, are not
// converted.
//
// These nodes stay in float32: nodes that o selects; operators that ONNX defines in float32 but not
// in float16 at the model's opset; If, Loop and Scan, but not the nodes in their bodies; calls of
// the model's own functions and operators of other domains, whose types are unknown; operators that
// make random numbers or sequences; quantizers, because rounding a scale moves every value; and
// float arithmetic on shapes and indices, because float16 represents integers exactly only up to
// 2048.
//
// Weights are rounded to the nearest float16; the report lists weights with values outside
// float16's range. If a BatchNormalization follows a convolution, ToFloat16 multiplies the
// convolution's weights by the scale of the BatchNormalization, and then rounds the products.
// Otherwise, an engine would multiply the rounded weights by the scale and round the weights again.
// Converted weights are kept in memory, even if they were external; other external data stays in
// its files.
//
// It is an error if the opset is below 6, or if a tensor's type is neither declared nor implied by
// its operator.
func ToFloat16(m *loaders.Model, o Float16) (*loaders.Model, Float16Report, error) {
	return toHalf(m, o, tensor.Float16)
}

// ToBFloat16 is [ToFloat16] with bfloat16. It keeps the same nodes in float32 as ToFloat16,
// although ONNX defines fewer operators in bfloat16 than in float16, and none before opset 13.
// TensorRT runs operators in bfloat16 even if ONNX does not define them in bfloat16. Engines that
// check the types of operators may reject the model.
func ToBFloat16(m *loaders.Model, o Float16) (*loaders.Model, Float16Report, error) {
	return toHalf(m, o, tensor.BFloat16)
}

func toHalf(m *loaders.Model, o Float16, elem tensor.ElementType) (*loaders.Model, Float16Report,
	error) {
	m, err := Sorted(m) // types follow from the nodes before
	if err != nil {
		return nil, Float16Report{}, err
	}
	var c *halving
	converted, err := rewrite(m, func(r *rewriting) {
		c = newHalving(m, r, o, elem)
		r.Fail(c.prepare())
		c.current, r.Change = c.scopes[mainGraph], c.change
	})
	if err != nil {
		return nil, Float16Report{}, err
	}
	return converted, c.report, nil
}

// lowestHalfOpset is the lowest opset of models that can be converted to half precision: the first
// in which Cast, which the conversion inserts, names its target type by an integer.
const lowestHalfOpset = 6

func newHalving(m *loaders.Model, r *rewriting, o Float16, elem tensor.ElementType) *halving {
	return &halving{report: Float16Report{Type: elem}, model: m, rewriting: r, options: o,
		opset: m.File().Opset(),
		keep:  wildcard.CompileAll(o.Keep), keepOps: wildcard.CompileOps(o.KeepOps),
		names: map[string]bool{}, scopes: map[int64]*halfScope{}, functions: map[string]bool{},
		folded: map[string]*tensor.Tensor{}}
}

// prepare plans the conversion of the whole model.
func (c *halving) prepare() error {
	if c.opset > 0 && c.opset < lowestHalfOpset {
		return fmt.Errorf("opset %d: conversion to %v requires opset %d or later", c.opset,
			c.report.Type, lowestHalfOpset)
	}
	structure := c.model.File().Structure
	for _, f := range structure.Functions {
		c.functions[f.Domain+"."+f.Name] = true
	}
	if c.options.KeepNode != nil {
		var err error
		if c.nodes, err = c.model.Nodes(); err != nil {
			return err
		}
	}
	c.plan(&structure.Graph, mainGraph, nil, nil)
	if c.Err() != nil {
		return c.Err()
	}
	for _, list := range []wildcard.List{c.keep, c.keepOps} {
		for _, p := range list {
			if !p.Seen {
				return fmt.Errorf("no node, tensor or operator %q to keep in float32", p.Said)
			}
		}
	}
	return c.foldNormalizations(&structure.Graph)
}

// kept adds a node that stays in float32 to the report, under the given reason.
func (c *halving) kept(reason string, n *onnxwire.Node) {
	name := cmp.Or(n.Name, cmp.Or(n.Outputs...))
	list := c.report.Kept
	i := slices.IndexFunc(list, func(k KeptNodes) bool { return k.Reason == reason })
	if i < 0 {
		i, list = len(list), append(list, KeptNodes{Reason: reason})
	}
	list[i].Nodes = append(list[i].Nodes, name)
	c.report.Kept = list
}
