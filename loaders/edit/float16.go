package edit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/internal/wildcard"
	"github.com/modelparity/modelparity/loaders"
)

// Float16 says which nodes [ToFloat16] leaves in float32. The zero value leaves those that
// ONNX does not define in float16, and those that compute shapes and indices.
type Float16 struct {
	// Keep are nodes by their name, or by a tensor that they make, and KeepOps are operators: exact,
	// or wildcard.List as in Python's fnmatch. One that the model does not have is an error.
	Keep    []string
	KeepOps []string
	// KeepNode is asked about each node of the graph, without those in bodies and functions; nil
	// keeps none. Constant nodes follow the nodes that read them.
	KeepNode func(loaders.Node) bool
}

// Float16Report is what [ToFloat16] did.
type Float16Report struct {
	// Half is how many nodes compute in float16, and Casts how many were added between both types.
	Half, Casts int
	// Kept are the nodes that stayed in float32, by the reason. Nodes without float32 tensors count
	// nowhere.
	Kept []KeptNodes
	// Clamped are the weights with finite values beyond 65504, which became ±65504.
	Clamped []RoundedWeight
	// Vanished are the weights with values that became 0, or in a constant of a single number, such
	// as an epsilon, ±2⁻²⁴, because a divisor of 0 is not rounding.
	Vanished []RoundedWeight
}

// KeptNodes are nodes that stayed in float32 for one reason.
type KeptNodes struct {
	Reason string
	Nodes  []string // by name or, without one, by the first tensor that they make
}

// RoundedWeight is a constant whose values float16 does not hold.
type RoundedWeight struct {
	Name    string
	Values  int     // how many of them
	Extreme float64 // the greatest magnitude that was clamped, or the least that vanished
}

// String says it in a few lines.
func (r Float16Report) String() string {
	var b strings.Builder
	kept := 0
	for _, k := range r.Kept {
		kept += len(k.Nodes)
	}
	fmt.Fprintf(&b, "float16: %d nodes, %d kept in float32, %d casts added\n", r.Half, kept, r.Casts)
	for _, k := range r.Kept {
		fmt.Fprintf(&b, "  kept in float32: %s: %s\n", k.Reason, some(k.Nodes))
	}
	for _, w := range r.Clamped {
		fmt.Fprintf(&b, "  clamped to 65504: %d values of %q, up to %.4g\n", w.Values, w.Name, w.Extreme)
	}
	for _, w := range r.Vanished {
		fmt.Fprintf(&b, "  below float16: %d values of %q, down to %.4g\n", w.Values, w.Name, w.Extreme)
	}
	return b.String()
}

// someNames is how many names a line of a report shows.
const someNames = 5

// some is a list for people, which is cut off where it is long.
func some(names []string) string {
	if len(names) <= someNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:someNames], ", "), len(names)-someNames)
}

// ToFloat16 returns the model with its float32 tensors in float16: weights, and what nodes compute,
// in the bodies of If, Loop and Scan too. Inputs and outputs keep their types, those of bodies as
// well, and Casts stand where the two types meet. A Cast to float32 becomes one to float16. Other
// types, double among them, are left alone.
//
// These nodes stay in float32: those that were chosen; operators that ONNX defines for float32 only
// at the model's opset; If, Loop and Scan at their borders; calls of the model's own functions and
// operators of other domains, whose types are not known here; what makes random numbers or
// sequences; quantizers, whose scales are settings; and float arithmetic on shapes and indices,
// which float16 counts exactly only up to 2048.
//
// Weights are rounded to the nearest float16; the report names those with values that it does not
// hold. The converted weights are in memory, taken in from external data; other external data stays
// where it is.
//
// An opset below 6 is an error, and so is a tensor of a type that neither the model declares nor
// its operator tells.
func ToFloat16(m *loaders.Model, o Float16) (*loaders.Model, Float16Report, error) {
	var c *halving
	converted, err := rewrite(m, func(r *rewriting) (err error) {
		c, err = newHalving(m, r, o)
		return err
	})
	if err != nil {
		return nil, Float16Report{}, err
	}
	return converted, c.report, nil
}

// lowestHalfOpset is where Cast names its type by a number.
const lowestHalfOpset = 6

// onnxOpset is the version of ONNX's own operators that a model uses, or 0.
func onnxOpset(s *onnxwire.Model) (version int64) {
	for _, o := range s.Opsets {
		if o.Domain == "" || o.Domain == "ai.onnx" {
			version = max(version, o.Version)
		}
	}
	return version
}

// newHalving looks at the whole model, and has r write what it becomes.
func newHalving(m *loaders.Model, r *rewriting, o Float16) (*halving, error) {
	c := &halving{model: m, rewriting: r, options: o, opset: onnxOpset(m.File().Structure),
		keep: wildcard.CompileAll(o.Keep), keepOps: wildcard.CompileOps(o.KeepOps),
		names: map[string]bool{}, scopes: map[int64]*halfScope{}, functions: map[string]bool{}}
	if c.opset > 0 && c.opset < lowestHalfOpset {
		return nil, fmt.Errorf("opset %d: conversion to float16 takes opset %d or later", c.opset,
			lowestHalfOpset)
	}
	for _, f := range m.File().Structure.Functions {
		c.functions[f.Domain+"."+f.Name] = true
	}
	if o.KeepNode != nil {
		var err error
		if c.nodes, err = m.Nodes(); err != nil {
			return nil, err
		}
	}
	if err := c.plan(&m.File().Structure.Graph, mainGraph, nil, nil); err != nil {
		return nil, err
	}
	for _, list := range []wildcard.List{c.keep, c.keepOps} {
		for _, p := range list {
			if !p.Seen {
				return nil, fmt.Errorf("no node, tensor or operator %q to keep in float32", p.Said)
			}
		}
	}
	c.current = c.scopes[mainGraph]
	r.Change = c.change
	return c, nil
}

// kept notes a node that stays in float32.
func (c *halving) kept(reason string, n *onnxwire.Node) {
	name := n.Name
	if i := slices.IndexFunc(n.Outputs, func(s string) bool { return s != "" }); name == "" && i >= 0 {
		name = n.Outputs[i]
	}
	list := c.report.Kept
	i := slices.IndexFunc(list, func(k KeptNodes) bool { return k.Reason == reason })
	if i < 0 {
		i, list = len(list), append(list, KeptNodes{Reason: reason})
	}
	list[i].Nodes = append(list[i].Nodes, name)
	c.report.Kept = list
}
