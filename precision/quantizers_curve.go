package precision

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// curvePoints is the approximate number of points on a curve.
const curvePoints = 20

// curve runs the model with none, some and all of its quantizers removed, the worst ones first, and
// finds the smallest number to remove so that the rule passes.
func (q *quantized) curve(ctx context.Context) error {
	count := len(q.Quantization.Quantizers)
	tried := map[int]Point{}
	try := func(n int) (Point, error) {
		if p, known := tried[n]; known {
			return p, nil
		}
		model, err := q.without(q.Quantization.Quantizers[:n])
		if err != nil {
			return Point{}, err
		}
		run, err := backends.RunIn(ctx, q.opened.engine, model, fixtures.Of(q.inputs...))
		if err != nil {
			return Point{}, err
		}
		q.Runs++
		if q.reference == nil {
			q.reference = run.Outputs()
		}
		p := Point{Removed: n, Percent: 100 * float64(n) / float64(count)}
		if p.SNR, err = ratio(q.names, run.Outputs(), q.reference); err != nil {
			return p, err
		}
		report, err := compare.Runs(run.Outputs(), q.reference, q.Rule)
		p.Passes = report.Verdict == compare.Pass
		q.reason = report.Reason
		tried[n] = p
		if q.Progress != nil {
			q.Progress(fmt.Sprintf("%d of %d quantizers removed: %.1f dB", n, count, p.SNR))
		}
		return p, err
	}
	last, err := try(count) // the reference: the model with all quantizers removed
	if err != nil {
		return err
	}
	if !last.Passes {
		return fmt.Errorf("%w: even without any quantizer the model fails: %s", ErrBeyond, q.reason)
	}
	step := max(1, (count+curvePoints-1)/curvePoints)
	bad, good := -1, count
	for n := 0; n < count; n += step {
		p, err := try(n)
		if err != nil {
			return err
		}
		if p.Passes && good == count {
			good = n
		}
		if !p.Passes && good == count {
			bad = n
		}
	}
	for good-bad > 1 {
		middle := (good + bad) / 2
		p, err := try(middle)
		if err != nil {
			return err
		}
		if p.Passes {
			good = middle
		} else {
			bad = middle
		}
	}
	q.Remove = good
	for _, p := range tried {
		q.Curve = append(q.Curve, p)
	}
	slices.SortFunc(q.Curve, func(a, b Point) int { return cmp.Compare(a.Removed, b.Removed) })
	q.Quantization.model, err = q.without(q.Quantization.Quantizers[:good])
	return err
}

// without returns the model without the given quantizers, and without the nodes that are then
// unnecessary for the outputs.
func (q *quantized) without(removed []Quantizer) (*loaders.Model, error) {
	if q.Quantization.Format == INT4 {
		grid := newGrid(INT4, 0)
		return edit.ReplaceConstants(q.opened.model, func(c loaders.Constant) (*tensor.Tensor, error) {
			if q.lengths[c.Name] == 0 || slices.ContainsFunc(removed,
				func(one Quantizer) bool { return one.Tensor == c.Name }) {
				return nil, nil
			}
			return grid.blocks(c.Values, sumAxis(c))
		})
	}
	instead, by := map[string]string{}, map[string]string{}
	for _, one := range removed {
		for _, name := range one.gives {
			instead[name] = one.Tensor
		}
	}
	for name := range instead { // follow replacements that are themselves replaced
		source := instead[name]
		for instead[source] != "" {
			source = instead[source]
		}
		by[name] = source
	}
	model, err := edit.Nodes(q.opened.model, func(n loaders.Node) (to edit.NodeEdit, err error) {
		to.Inputs, to.Outputs = map[string]string{}, map[string]string{}
		for _, name := range n.Inputs {
			if by[name] != "" {
				to.Inputs[name] = by[name]
			}
		}
		for _, name := range n.Outputs {
			if by[name] != "" && q.kept[name] {
				to.Outputs[name] = name + suffix + "quantized"
				to.After = append(to.After, edit.NewNode{Op: "Identity",
					Inputs: []string{by[name]}, Outputs: []string{name}})
			}
		}
		return to, nil
	})
	if err != nil {
		return nil, err
	}
	return edit.Cleanup(model)
}
