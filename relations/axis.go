package relations

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// batchLike matches common names of the batch dimension.
var batchLike = regexp.MustCompile(`(?i)^(n|b|bs)$|batch`)

// sequenceLike matches common names of dynamic dimensions that are not the batch.
var sequenceLike = regexp.MustCompile(
	`(?i)seq|len|time|token|step|frame|point|node|height|width|^[hwtsl]$`)

// remedy is the advice in errors about an unknown batch axis.
const remedy = `set the batch axis: Along("*", 0), or Along(input, axis) for each input; if the ` +
	`model has no batch axis, leave out this relation`

// axes says which axis of each input is the batch axis.
type axes struct {
	inputs map[string]int
	symbol string // the dimension's name, or ""
}

// String describes the axes: axis 0 of "x" (n).
func (a axes) String() string {
	var parts []string
	for name, axis := range a.inputs {
		parts = append(parts, fmt.Sprintf("axis %d of %q", axis, name))
	}
	slices.Sort(parts)
	text := strings.Join(parts, ", ")
	if a.symbol != "" {
		text += fmt.Sprintf(" (%s)", a.symbol)
	}
	return text
}

// outputsOfModel returns the outputs that the model declares, if any.
func outputsOfModel(model fixtures.Declaration) []loaders.Value {
	if m, ok := model.(interface {
		Outputs() ([]loaders.Value, error)
	}); ok {
		outputs, _ := m.Outputs() // without them, the batch is found from the inputs and the runs
		return outputs
	}
	return nil
}

// has reports whether any of the values has a dimension with the given symbol.
func has(values []loaders.Value, symbol string) bool {
	return slices.ContainsFunc(values, func(v loaders.Value) bool {
		return slices.ContainsFunc(v.Dims, func(d loaders.Dim) bool { return d.Symbol == symbol })
	})
}

// batchOf finds the batch axes: the ones in the options, or the axes of the first symbolic
// dimension with which an input and an output begin. Dimensions named like a batch take precedence,
// on any axis. If dynamic dimensions have no names, the first axis is the batch only if no input
// has another dynamic dimension.
func batchOf(model fixtures.Declaration, sets []*tensor.Set, along map[string]int) (axes, error) {
	inputs, err := model.Inputs()
	if err != nil {
		return axes{}, err
	}
	if len(along) > 0 {
		return givenAxes(inputs, sets[0], along)
	}
	outputs := outputsOfModel(model)
	leads := func(symbol string) bool {
		return slices.ContainsFunc(outputs, func(v loaders.Value) bool {
			if symbol == "" && !v.HasShape {
				return true // the size is determined later
			}
			return len(v.Dims) > 0 && v.Dims[0].Dynamic() && (v.Dims[0].Symbol == symbol || symbol == "")
		})
	}
	first := ""
	for _, v := range inputs {
		for i, d := range v.Dims {
			switch {
			case !d.Dynamic() || d.Symbol == "":
			case batchLike.MatchString(d.Symbol) && (has(outputs, d.Symbol) || i == 0 && leads("")):
				return symbolic(inputs, d.Symbol)
			case i == 0 && leads(d.Symbol) && !sequenceLike.MatchString(d.Symbol):
				first = cmp.Or(first, d.Symbol)
			}
		}
	}
	if first != "" {
		return symbolic(inputs, first)
	}
	a := axes{inputs: map[string]int{}}
	for _, v := range inputs {
		for i, d := range v.Dims {
			switch {
			case !d.Dynamic():
			case i > 0 || d.Symbol != "" || !leads(""): // one of several dimensions could be the batch
				return a, unknownBatch(inputs)
			default:
				a.inputs[v.Name] = 0
			}
		}
	}
	if len(a.inputs) > 0 {
		return a, nil
	}
	return a, unknownBatch(inputs)
}

// unknownBatch returns an error that says why the batch is unknown, and what to do.
func unknownBatch(inputs []loaders.Value) error {
	if len(inputs) == 0 {
		return fmt.Errorf("the model has no inputs, so it has no batch; leave out this relation")
	}
	if slices.ContainsFunc(inputs, func(v loaders.Value) bool {
		return slices.ContainsFunc(v.Dims, loaders.Dim.Dynamic) || !v.HasShape
	}) {
		return fmt.Errorf("cannot tell which dynamic dimension of the inputs (%s) is the batch: no "+
			"input and output start with a dynamic dimension of the same name; %s", listed(inputs), remedy)
	}
	return fmt.Errorf("every dimension of the inputs (%s) is fixed, so the batch cannot vary; export "+
		"the model with a dynamic batch; if it has no batch axis, leave out this relation",
		listed(inputs))
}

// listed lists inputs with their types and shapes.
func listed(inputs []loaders.Value) string {
	return strings.Join(names.Each(inputs, loaders.Value.String), ", ")
}

// symbolic returns, for each input that has a dimension with the given symbol, the axis of that
// dimension.
func symbolic(inputs []loaders.Value, symbol string) (axes, error) {
	a := axes{inputs: map[string]int{}, symbol: symbol}
	for _, v := range inputs {
		for i, d := range v.Dims {
			if d.Symbol != symbol || !d.Dynamic() {
				continue
			}
			if _, twice := a.inputs[v.Name]; twice {
				return a, fmt.Errorf("input %s has the dimension %q twice, so it cannot be split into rows; "+
					"%s", v, symbol, remedy)
			}
			a.inputs[v.Name] = i
		}
	}
	return a, nil
}

// givenAxes returns the axes that the user gave, as in Options.Along. They must be dynamic.
func givenAxes(inputs []loaders.Value, set *tensor.Set, along map[string]int) (axes, error) {
	a := axes{inputs: map[string]int{}}
	for _, v := range inputs {
		axis, own := along[v.Name]
		if all, given := along["*"]; given && !own {
			axis = all
		} else if !own {
			continue
		}
		fixed := axis >= len(v.Dims) || !v.Dims[axis].Dynamic()
		if !v.HasShape {
			t, given := set.Get(v.Name)
			fixed = !given || axis >= len(t.Shape())
		}
		switch {
		case !fixed:
			a.inputs[v.Name] = axis
			if axis < len(v.Dims) {
				a.symbol = v.Dims[axis].Symbol
			}
		case own:
			return a, fmt.Errorf("axis %d of input %s is not dynamic; name a dynamic axis", axis, v)
		}
	}
	for name := range along {
		if name != "*" && !slices.Contains(loaders.Names(inputs), name) {
			return a, fmt.Errorf("the model has no input %q; it has %s", name, listed(inputs))
		}
	}
	if len(a.inputs) == 0 {
		return a, fmt.Errorf("none of the inputs (%s) is dynamic along axis %d; name a dynamic axis, or "+
			"export the model with one; if it has no batch axis, leave out this relation", listed(inputs),
			along["*"])
	}
	return a, nil
}

// outputAxes finds the batch axis of each output from a run with n rows and a run with m rows. It
// is the axis with the batch's symbol or, if none is declared, the only axis whose length is the
// number of rows in both runs. An axis with several elements for each row is not a batch
// axis: for example, the axis of flattened boxes. The result whole names the outputs without a
// batch axis.
func (a axes) outputAxes(model fixtures.Declaration, first, second *tensor.Set, n, m int) (
	found map[string]int, whole []string) {
	found = map[string]int{}
	declared := map[string]loaders.Value{}
	for _, v := range outputsOfModel(model) {
		declared[v.Name] = v
	}
	for name, t := range first.All() {
		var candidates, named []int
		other, _ := second.Get(name)
		comparable := other != nil && len(other.Shape()) == len(t.Shape())
		dims := declared[name].Dims
		for i, d := range t.Shape() {
			proportional := comparable && d*m == other.Shape()[i]*n
			if proportional && d == n {
				candidates = append(candidates, i)
			}
			if a.symbol != "" && i < len(dims) && dims[i].Symbol == a.symbol &&
				(d == n || !proportional) {
				named = append(named, i)
			}
		}
		switch {
		case len(named) == 1:
			found[name] = named[0]
		case len(candidates) == 1:
			found[name] = candidates[0]
		default:
			whole = append(whole, name)
		}
	}
	return found, whole
}
