package relations

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

// locateRows finds the first node at which the batch differs from the same rows run one by one.
func (b *batcher) locateRows(breach *Breach, rows []*tensor.Set) {
	// The batch was run before, so an error is not worth reporting.
	if set, err := joinRows(b.axes.inputs, rows); err == nil {
		alone := &rowwise{Engine: b.subject.Engine, axes: b.axes.inputs, inputs: set.Names()}
		b.checker.locate(breach, b.subject.Engine, alone, set)
	}
}

// locate finds the first node at which two engines differ, if Options.Locate is set, and records it
// in the breach.
func (c *checker) locate(breach *Breach, actual, expected backends.Engine, set *tensor.Set) {
	if !c.options.Locate {
		return
	}
	side := func(e backends.Engine) backends.Subject {
		return backends.Subject{Engine: e, Model: c.subject.Model, Inputs: fixtures.Of(set)}
	}
	rule := c.judge.rule
	options := locate.Options{Compare: compare.Options{Checks: rule.Checks}}
	if rule.Noise {
		options.Measure = noise.Inside(rule.Bars, nil)
	} else if rule.Exact() {
		options.Compare.Checks = []compare.Check{compare.Within(0, 0, compare.Elementwise)}
	}
	found, err := locate.Divergence(c.ctx, side(actual), side(expected), options)
	switch {
	case found == nil && err != nil:
		breach.Inside = "cannot locate the first node: " + strings.TrimPrefix(err.Error(), "locate: ")
	case found.First == nil && found.Fused == nil:
		breach.Inside = "cannot locate the first node: the difference disappears if inner tensors are " +
			"marked as outputs"
	default:
		breach.Inside = fmt.Sprintf("inside the model: %s", found.Cause)
	}
}

// rowwise is an engine that runs each row alone and joins the outputs.
type rowwise struct {
	backends.Engine
	axes   map[string]int
	inputs []string // of the model; the rows of other inputs are unknown
}

// Text returns a text that differs from the wrapped engine's, so that caches do not confuse the two
// engines.
func (r *rowwise) Text() string { return "rowwise " + r.Engine.Text() }

// String describes the engine.
func (r *rowwise) String() string { return r.Engine.String() + ", row by row" }

// Capabilities contains only RunWithTensors, which returns inner tensors, and only if the wrapped
// engine has it. Without RunWithTensors, inner tensors have to be marked as outputs of the model.
// Marking may change the engine's kernels, and TensorRT refuses to mark tensors of undeclared type.
func (r *rowwise) Capabilities() (c backends.Capabilities) {
	read := backends.CapabilitiesOf(r.Engine).RunWithTensors
	if read == nil {
		return c
	}
	c.RunWithTensors = func(ctx context.Context, b backends.Backend, inputs fixtures.Inputs,
		names []string) (*backends.Run, error) {
		rows := b.(*rowBackend)
		return rows.collect(ctx, inputs, func(feeds fixtures.Inputs) (*backends.Run, error) {
			return read(ctx, rows.of, feeds, names)
		})
	}
	return c
}

// Open opens the wrapped engine. The backend runs each row separately.
func (r *rowwise) Open(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs) (
	backends.Backend, error) {
	of, err := r.Engine.Open(ctx, model, inputs)
	if err != nil {
		return nil, err
	}
	return &rowBackend{of: of, engine: r, model: model}, nil
}

// rowBackend is a model opened by rowwise.
type rowBackend struct {
	of     backends.Backend
	engine *rowwise
	model  fixtures.Declaration
}

// Run runs each row of each iteration alone and joins the outputs.
func (b *rowBackend) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	return b.collect(ctx, inputs, func(feeds fixtures.Inputs) (*backends.Run, error) {
		return b.of.Run(ctx, feeds)
	})
}

// collect runs the rows with the given function.
func (b *rowBackend) collect(ctx context.Context, inputs fixtures.Inputs,
	run func(feeds fixtures.Inputs) (*backends.Run, error)) (*backends.Run, error) {
	p := backends.Provenance{Backend: b.engine.String()}
	return backends.Collect(ctx, p, backends.Subject{Engine: b.engine, Model: b.model}, inputs,
		func(_ context.Context, set *tensor.Set) (*tensor.Set, error) { return b.infer(set, run) })
}

// Close closes the engine.
func (b *rowBackend) Close() error { return b.of.Close() }

// infer runs the rows of one iteration one by one and joins their outputs. It also runs all rows at
// once, to find the axes along which it must join. Outputs without such an axis come from the first
// row.
func (b *rowBackend) infer(set *tensor.Set,
	run func(feeds fixtures.Inputs) (*backends.Run, error)) (*tensor.Set, error) {
	if !slices.Equal(set.Names(), b.engine.inputs) {
		return nil, fmt.Errorf("cannot split %q into rows: the model's inputs are %q", set.Names(),
			b.engine.inputs)
	}
	feeds := []*tensor.Set{set}
	for i := range countOf(set, b.engine.axes) {
		row, err := rowOf(set, b.engine.axes, i, true)
		if err != nil {
			return nil, err
		}
		feeds = append(feeds, row)
	}
	found, err := run(fixtures.Of(feeds...))
	if err != nil {
		return nil, err
	}
	whole, alone := found.Outputs()[0], found.Outputs()[1:]
	axes := map[string]int{}
	for name, one := range alone[0].All() {
		if all, ok := whole.Get(name); ok && len(all.Shape()) == len(one.Shape()) {
			if axis, ok := onlyDifference(all.Shape(), one.Shape()); ok {
				axes[name] = axis
			}
		}
	}
	return joinRows(axes, alone)
}

// onlyDifference returns the axis along which the lengths differ. ok is false if there are several
// such axes or none. Both shapes must have the same rank.
func onlyDifference(a, b tensor.Shape) (axis int, ok bool) {
	differ := 0
	for i := range a {
		if a[i] != b[i] {
			axis, differ = i, differ+1
		}
	}
	return axis, differ == 1
}
