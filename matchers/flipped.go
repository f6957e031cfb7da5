package matchers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/rows"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// flipped returns the inputs of the rows whose decisions flipped, and a note that names these rows.
// If the rows of an iteration cannot run separately, it returns all inputs of that iteration, and
// the note says so.
func flipped(c comparison, s backends.Subject) (fixtures.Inputs, string, error) {
	sets, err := s.Draw()
	if err != nil {
		return fixtures.Inputs{}, "", err
	}
	var kept []*tensor.Set
	var where []string
	separate := separable(s.Model)
	for i, set := range sets[:min(len(sets), len(c.actual.sets), len(c.expected.sets))] {
		if !flips(c.rule, c.actual.sets[i], c.expected.sets[i]) {
			continue
		}
		var flipped []int
		for row := range rowsIn(set, c.actual.sets[i], c.expected.sets[i]) {
			actual, wrong := rowsOf(c.actual.sets[i], row)
			expected, alsoWrong := rowsOf(c.expected.sets[i], row)
			if separate && wrong == nil && alsoWrong == nil && flips(c.rule, actual, expected) {
				flipped = append(flipped, row)
			}
		}
		place := fmt.Sprintf("rows %v of iteration %d", flipped, i)
		if len(flipped) == 0 {
			place = fmt.Sprintf("all rows of iteration %d (its rows cannot run separately)", i)
		} else if set, err = rowsOf(set, flipped...); err != nil {
			return fixtures.Inputs{}, "", err
		}
		kept, where = append(kept, set), append(where, place)
	}
	if len(kept) == 0 { // the decisions of all iterations flip together
		kept, where = sets, []string{"all inputs"}
	}
	return fixtures.Of(kept...), ", on " + strings.Join(where, ", "), nil
}

// flips reports whether any decision differs beyond the rule's margin.
func flips(rule decisions.Rule, actual, expected *tensor.Set) bool {
	found, err := decisions.Judge(rule, []*tensor.Set{actual}, []*tensor.Set{expected})
	return err == nil && !found.Pass
}

// separable reports whether the model accepts any number of rows in each of its inputs.
func separable(model fixtures.Declaration) bool {
	m, ok := model.(*loaders.Model)
	if !ok {
		return false
	}
	inputs, err := m.Inputs()
	return err == nil && !slices.ContainsFunc(inputs, func(v loaders.Value) bool {
		return len(v.Dims) == 0 || !v.Dims[0].Dynamic()
	})
}

// rowsIn returns the number of rows, which is the first dimension. It returns 0 unless all tensors
// have the same number of rows.
func rowsIn(sets ...*tensor.Set) int {
	rows := -1
	for _, set := range sets {
		for _, t := range set.All() {
			if len(t.Shape()) == 0 || rows >= 0 && t.Shape()[0] != rows {
				return 0
			}
			rows = t.Shape()[0]
		}
	}
	return max(0, rows)
}

// rowsOf returns the set reduced to some rows of every tensor.
func rowsOf(set *tensor.Set, which ...int) (*tensor.Set, error) {
	return sets.Map(set, func(_ string, t *tensor.Tensor) (*tensor.Tensor, error) {
		picks := make([]rows.Pick, len(which))
		for i, row := range which {
			picks[i] = rows.Pick{Of: t, At: row}
		}
		return rows.Join(0, picks)
	})
}
