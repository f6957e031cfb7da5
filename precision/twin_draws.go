package precision

import (
	"context"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// weighed returns the model with its constants replaced by the integers that d draws.
func (m *maker) weighed(model *loaders.Model, d draw) (*loaders.Model, error) {
	return edit.ReplaceConstants(model, func(c loaders.Constant) (*tensor.Tensor, error) {
		u, has := m.plan.usages[c.Name]
		if !has || c.Values.ElementType() != tensor.Float32 {
			return nil, nil
		}
		return d.constant(c.Name, c.Values.Shape(), u, m.epsilon[c.Name])
	})
}

func (m *maker) inputs(d draw) (*tensor.Set, error) {
	declared, err := m.cut.Inputs()
	if err != nil {
		return nil, err
	}
	var entries []tensor.Entry
	for _, v := range declared {
		t, ok := m.sets[0].Get(v.Name)
		if !ok {
			t, ok = m.seen.Get(v.Name)
		}
		if !ok {
			return nil, fmt.Errorf("the type and shape of input %q are unknown", v.Name)
		}
		if t.ElementType() == tensor.Float32 {
			if t, err = d.input(v.Name, t.Shape()); err != nil {
				return nil, err
			}
		}
		entries = append(entries, tensor.Entry{Name: v.Name, Tensor: t})
	}
	return tensor.NewSet(entries...)
}

// sums runs the model with the integers that d draws. It returns the largest magnitude in all its
// tensors, and the set of the magnitudes up to [mostUnits].
func (m *maker) sums(ctx context.Context, d draw) (largest float64, values map[float64]bool,
	err error) {
	marked, err := m.cut.Mark(m.inside...)
	if err != nil {
		return 0, nil, err
	}
	model, err := m.weighed(marked, d)
	if err != nil {
		return 0, nil, err
	}
	set, err := m.inputs(d)
	if err != nil {
		return 0, nil, err
	}
	run, err := backends.RunIn(ctx, m.subject.Engine, model, fixtures.Of(set))
	if err != nil {
		return 0, nil, fmt.Errorf("running the model with its weights replaced by integers: %w", err)
	}
	values = map[float64]bool{}
	for _, t := range run.Outputs()[0].All() {
		for i := range t.Len() {
			v := math.Abs(t.Float64At(i))
			if v != v {
				return math.Inf(1), nil, nil
			}
			largest = max(largest, v)
			if v <= mostUnits() {
				values[v] = true
			}
		}
	}
	return largest, values, nil
}

// hide finds the layers that affect no output, by changing the weights of each layer in turn. The
// weights and inputs are small integers, not multiples of [Twin.Unit], because engines of low
// precision represent small integers exactly.
func (m *maker) hide(ctx context.Context, t *Twin) error {
	d := draw{seed: 1, density: t.Density, unit: 1}
	model, err := m.weighed(m.cut, d)
	if err != nil {
		return err
	}
	set, err := m.inputs(d)
	if err != nil {
		return err
	}
	base, err := backends.RunIn(ctx, m.subject.Engine, model, fixtures.Of(set))
	if err != nil {
		return err
	}
	for _, name := range m.plan.order {
		if m.plan.usages[name].what != sparse {
			continue
		}
		t.Layers++
		planted, err := edit.ReplaceConstants(model, func(c loaders.Constant) (*tensor.Tensor, error) {
			if c.Name != name {
				return nil, nil
			}
			other := d
			other.seed++
			return other.constant(name, c.Values.Shape(), m.plan.usages[name], 0)
		})
		if err != nil {
			return err
		}
		run, err := backends.RunIn(ctx, m.subject.Engine, planted, fixtures.Of(set))
		if err != nil {
			return err
		}
		if differs, _ := difference(run, base); differs == "" {
			t.Hidden = append(t.Hidden, name)
		}
	}
	return nil
}
