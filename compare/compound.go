package compare

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/compound"
	"github.com/modelparity/modelparity/tensor"
)

// value compares one output, which may be a tensor, a sequence or a map.
func (c *Comparer) value(name, expectedName string, a, e tensor.Value) (Output, error) {
	if a.Tensor != nil && e.Tensor != nil {
		return c.output(name, expectedName, a.Tensor, e.Tensor)
	}
	actual, err := a.Stack()
	if err != nil {
		return Output{}, fmt.Errorf("compare: %s: %w", label(name), err)
	}
	out := Output{Name: name, ExpectedName: expectedName, Actual: actual}
	out.values.actual, out.values.expected = container(a), container(e)
	reason := ""
	if e.Tensor == nil { // one side may be a tensor and the other a sequence of maps
		e, reason = pairUp(a, e, "")
	}
	if out.Expected, err = e.Stack(); err != nil {
		return Output{}, fmt.Errorf("compare: %s: %w", label(name), err)
	}
	if (a.Tensor == nil) != (e.Tensor == nil) {
		reason = fmt.Sprintf("the actual side is %s, expected %s", kindOf(a, actual),
			kindOf(e, out.Expected))
	}
	if reason != "" {
		return out.failed(reason), nil
	}
	judged, err := c.output(name, expectedName, out.Actual, out.Expected)
	judged.values = out.values
	_, judged.values.ranked = c.topKFor(name)
	return judged, err
}

// container returns a pointer to v if v is not a tensor, else nil.
func container(v tensor.Value) *tensor.Value {
	if v.Tensor != nil {
		return nil
	}
	return &v
}

// kindOf describes the type of a value: "float32[2,3]", "seq(map(string,float32))[2,3]".
func kindOf(v tensor.Value, stacked *tensor.Tensor) string {
	return compound.TypeName(&v) + stacked.Shape().String()
}

// pairUp returns the expected value with the entries of its maps in the order of the actual maps'
// keys. If the two values differ in structure, reason says where.
func pairUp(a, e tensor.Value, at string) (_ tensor.Value, reason string) {
	in := ""
	if at != "" {
		in = "item " + at + ": "
	}
	switch {
	case (a.Tensor == nil) != (e.Tensor == nil) || (a.Keys == nil) != (e.Keys == nil):
		return e, fmt.Sprintf("%sthe actual side is %s, expected %s", in, compound.TypeName(&a),
			compound.TypeName(&e))
	case a.Tensor != nil:
		if !a.Tensor.Shape().Equal(e.Tensor.Shape()) {
			return e, fmt.Sprintf("%sthe shape is %v, expected %v", in, a.Tensor.Shape(), e.Tensor.Shape())
		}
		return e, ""
	case a.Keys != nil:
		order, reason := keyOrder(a, e)
		if reason != "" {
			return e, in + reason
		}
		e.Keys, _ = gather(e.Keys, a.Keys.Shape(), order)
		e.Mapped, _ = gather(e.Mapped, a.Mapped.Shape(), order)
		return e, ""
	}
	if len(a.Items) != len(e.Items) {
		return e, fmt.Sprintf("%sthe sequence has %d items, expected %d", in, len(a.Items), len(e.Items))
	}
	e.Items = slices.Clone(e.Items)
	for i := range a.Items {
		e.Items[i], reason = pairUp(a.Items[i], e.Items[i], fmt.Sprintf("%s[%d]", at, i))
		if reason != "" {
			return e, reason
		}
	}
	return e, ""
}

// keyOrder returns, for each key of the actual map, its position in the expected map.
func keyOrder(a, e tensor.Value) (order []int, reason string) {
	places := map[string]int{}
	for i := range e.Keys.Len() {
		places[compound.Key(&e, i)] = i
	}
	met := map[string]bool{}
	for i := range a.Keys.Len() {
		key := compound.Key(&a, i)
		at, ok := places[key]
		if !ok {
			return nil, fmt.Sprintf("the key %s is extra: the expected side does not have it", key)
		}
		if met[key] || len(places) != e.Keys.Len() {
			return nil, fmt.Sprintf("the map has the key %s twice, so its values cannot be paired", key)
		}
		met[key] = true
		order = append(order, at)
	}
	for i := range e.Keys.Len() {
		if key := compound.Key(&e, i); !met[key] {
			return nil, fmt.Sprintf("the key %s is missing: the actual side does not have it", key)
		}
	}
	return order, ""
}

// restore changes the indices in the statistics, which refer to the stacked tensor, into positions
// and keys in the original sequence or map.
func (o Output) restore(s *Statistics) {
	v := o.values.actual
	if v == nil || o.values.ranked || o.Actual == nil {
		return
	}
	place := func(index []int) []int { return compound.Index(v, flat(o.Actual.Shape(), index)) }
	for i := range s.Worst {
		e := &s.Worst[i]
		e.Key = compound.Key(v, flat(o.Actual.Shape(), e.Index))
		e.Index = place(e.Index)
	}
	if !compound.Ragged(v) {
		return
	}
	s.Where = "" // its slice would not fit the items' shapes
	for _, errors := range []*Errors{&s.Abs, &s.Rel, &s.FiniteAbs, &s.FiniteRel} {
		if len(errors.MaxAt) > 0 {
			errors.MaxAt = place(errors.MaxAt)
		}
	}
	for _, census := range []*Census{&s.Actual, &s.Expected} {
		for _, places := range [][][]int{census.NaNAt, census.InfAt} {
			for i := range places {
				places[i] = place(places[i])
			}
		}
	}
}

// flat returns the row-major position of an index.
func flat(shape tensor.Shape, index []int) int {
	at := 0
	for axis, i := range index {
		at = at*shape[axis] + i
	}
	return at
}
