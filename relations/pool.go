package relations

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/reorder"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// poolSize is the number of distinct rows that are used to fill batches.
const poolSize = 3

// pool returns distinct rows to fill batches with: the rows of the subject's inputs. If there are
// fewer than [poolSize], pool adds copies of the first row, each with the elements of every input
// rotated. Rotation keeps the range of values.
func pool(sets []*tensor.Set, axes map[string]int) ([]*tensor.Set, error) {
	var rows []*tensor.Set
	add := func(row *tensor.Set) {
		if !slices.ContainsFunc(rows, func(r *tensor.Set) bool { return sameInputs(r, row, axes) }) {
			rows = append(rows, row)
		}
	}
	for _, set := range sets {
		for i := range countOf(set, axes) {
			row, err := rowOf(set, axes, i, true)
			if err != nil {
				return nil, err
			}
			if len(rows) > 0 {
				if row, err = like(rows[0], row, axes); err != nil {
					continue
				}
			}
			if add(row); len(rows) == poolSize {
				return rows, nil
			}
		}
	}
	if len(rows) == 0 {
		return nil, errors.New("the inputs have no rows; pass inputs with at least one")
	}
	for step := 1; step < 64 && len(rows) < poolSize; step++ {
		row, err := rotatedRow(rows[0], axes, step)
		if err != nil {
			return nil, err
		}
		add(row)
	}
	for factor := 0.5; factor > 0.1 && len(rows) < poolSize; factor /= 2 {
		row, err := scaled(rows[0], axes, factor)
		if err != nil {
			return nil, err
		}
		add(row)
	}
	if len(rows) < 2 {
		return nil, errors.New("all rows of the inputs are equal, so exchanged rows would not be " +
			"noticed; pass inputs whose rows differ")
	}
	return rows, nil
}

// countOf returns the number of rows in the inputs.
func countOf(set *tensor.Set, axes map[string]int) int {
	for name, axis := range axes {
		if t, ok := set.Get(name); ok && axis < len(t.Shape()) {
			return t.Shape()[axis]
		}
	}
	return 0
}

// like returns a copy of row in which all inputs without a batch axis come from base. It returns an
// error if the shapes of the two rows differ, since such rows cannot be in one batch.
func like(base, row *tensor.Set, axes map[string]int) (*tensor.Set, error) {
	return sets.Map(base, func(name string, t *tensor.Tensor) (*tensor.Tensor, error) {
		if _, rowwise := axes[name]; !rowwise {
			return t, nil
		}
		own, ok := row.Get(name)
		if !ok || !own.Shape().Equal(t.Shape()) {
			return nil, errors.New("different shape")
		}
		return own, nil
	})
}

// sameInputs reports whether two sets are equal in all inputs with a batch axis or, if axes is nil,
// in all inputs.
func sameInputs(a, b *tensor.Set, axes map[string]int) bool {
	if a.Len() != b.Len() {
		return false
	}
	for name, t := range a.All() {
		other, ok := b.Get(name)
		if _, rowwise := axes[name]; (axes == nil || rowwise) && (!ok || !equal(t, other)) {
			return false
		}
	}
	return true
}

// changedRow applies the function change to each input with a batch axis or, if axes is nil, to all
// inputs.
func changedRow(row *tensor.Set, axes map[string]int,
	change func(*tensor.Tensor) (*tensor.Tensor, error)) (*tensor.Set, error) {
	return sets.Map(row, func(name string, t *tensor.Tensor) (*tensor.Tensor, error) {
		if _, rowwise := axes[name]; axes != nil && !rowwise {
			return t, nil
		}
		return change(t)
	})
}

// rotatedRow rotates, by step positions, the elements of each input that [changedRow] changes.
func rotatedRow(row *tensor.Set, axes map[string]int, step int) (*tensor.Set, error) {
	return changedRow(row, axes,
		func(t *tensor.Tensor) (*tensor.Tensor, error) { return rotated(t, step) })
}

func rotated(t *tensor.Tensor, step int) (*tensor.Tensor, error) {
	n := t.Len()
	if n < 2 {
		return t, nil
	}
	step %= n
	if t.ElementType() == tensor.String {
		s := t.Strings()
		return tensor.FromStrings(t.Shape(), slices.Concat(s[step:], s[:step]))
	}
	bits := t.ElementType().Bits()
	if bits%8 != 0 {
		return t, nil
	}
	at, data := step*bits/8, t.Bytes()
	return tensor.FromBytes(t.ElementType(), t.Shape(), slices.Concat(data[at:], data[:at]))
}

// scaled multiplies by factor every float in the inputs that [changedRow] changes.
func scaled(row *tensor.Set, axes map[string]int, factor float64) (*tensor.Set, error) {
	return changedRow(row, axes, func(t *tensor.Tensor) (*tensor.Tensor, error) {
		return mapped(t, func(v float64) float64 { return v * factor })
	})
}

// mapped applies the function change to every element of a tensor of floats with at least 16 bits.
// It returns other tensors unchanged.
func mapped(t *tensor.Tensor, change func(float64) float64) (*tensor.Tensor, error) {
	if !t.ElementType().IsFloat() || t.ElementType().Bits() < 16 {
		return t, nil
	}
	values := t.Float64s()
	for i, v := range values {
		values[i] = change(v)
	}
	return sets.Pack(t.ElementType(), t.Shape(), values)
}

// addExtremes makes two rows from a row of the pool: one with all floats replaced by NaN, and one
// with all floats replaced by huge values. It does not change inputs that the model converts to
// integers, because these may be indices.
func (b *batcher) addExtremes() error {
	axes := maps.Clone(b.axes.inputs)
	var integral []string
	if model, ok := b.subject.Model.(*loaders.Model); ok {
		for name := range reorder.Fixed(model) {
			if _, rowwise := axes[name]; rowwise {
				delete(axes, name)
				integral = append(integral, fmt.Sprintf("%q", name))
			}
		}
	}
	for _, of := range []string{"NaN", "huge values"} {
		row, err := changedRow(b.pool[0], axes, func(t *tensor.Tensor) (*tensor.Tensor, error) {
			value := math.NaN()
			if of != "NaN" {
				value = huge(t.ElementType())
			}
			return mapped(t, func(float64) float64 { return value })
		})
		if err != nil {
			return err
		}
		if !sameInputs(row, b.pool[0], axes) {
			b.extremes = append(b.extremes, extreme{of, row})
		}
	}
	switch {
	case len(integral) > 0:
		slices.Sort(integral)
		b.note("NaN and huge values were not tried in %s: the model converts it to integers",
			strings.Join(integral, ", "))
	case len(b.extremes) == 0:
		b.note("NaN and huge values were not tried: no float input has a batch axis")
	}
	return nil
}

// huge returns a finite value of a float type, near its largest one.
func huge(e tensor.ElementType) float64 {
	switch e {
	case tensor.Float16:
		return 0x1p15
	case tensor.Float64:
		return 0x1p1000
	}
	return 0x1p120
}
