package locate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/tensor"
)

// engines is the number of engines between which the intermediate tensors of a batch are divided,
// if the engine can return such tensors. Neighbouring tensors go to different engines, so that each
// engine can still fuse most nodes. One engine per tensor would prevent even fewer fusions, but a
// model of 500 nodes would need 500 engine builds.
const engines = 8

// open runs the side's own model. It leaves the backend open if the engine can return inner
// tensors.
func (s *side) open(ctx context.Context) (*backends.Run, error) {
	backend, err := s.parts.Open(ctx, s.model, s.inputs)
	if err != nil {
		return nil, fmt.Errorf("locate: %s: %w", s.name(), err)
	}
	run, err := backend.Run(ctx, s.inputs)
	shows := backends.CapabilitiesOf(s.parts).RunWithTensors != nil
	if err != nil || !shows {
		backend.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("locate: %s: %w", s.name(), err)
	}
	if shows {
		s.inside, s.outputs = backend, run.Outputs()
	}
	return run, nil
}

// described returns p with the field Computed set, if the engine can tell in which precision it
// computes the model. Some runs leave this field empty.
func (s *side) described(ctx context.Context, p backends.Provenance) (backends.Provenance, error) {
	ask := backends.CapabilitiesOf(s.Engine).Computed
	if p.Computed != "" || ask == nil {
		return p, nil
	}
	var err error
	if p.Computed, err = ask(ctx, s.model); err != nil {
		return p, fmt.Errorf("locate: %s: %w", s.name(), err)
	}
	return p, nil
}

// reading contains the tensors that a side has returned, and how they were read.
type reading struct {
	sets    []*tensor.Set
	rest    []string // names of tensors that the engine did not return, so they must be marked
	marked  []string // names of tensors that only a marked model returned
	changed []string // names of tensors from an engine whose outputs differ
}

// merge combines the lists of names in two readings. The result contains no tensors.
func (r reading) merge(other reading) reading {
	return reading{marked: noted(r.marked, other.marked), changed: noted(r.changed, other.changed)}
}

// show reads the named tensors from the side's own engine, by requesting them as outputs. operands
// lists the inputs of the nodes that compute these tensors. If the engine cannot return a group of
// tensors, show adds the whole group to the result's field rest. If the engine can return no inner
// tensors at all, rest contains both names and operands.
func (s *side) show(ctx context.Context, v view, names []string, operands ...string) (reading,
	error) {
	if s.inside == nil {
		return reading{rest: noted(names, operands)}, nil
	}
	outputs := v.names.back(s.outputs, nil)
	found := reading{sets: outputs}
	read := backends.CapabilitiesOf(s.parts).RunWithTensors
	for _, group := range spread(names, engines) {
		run, err := read(ctx, s.inside, s.inputs, v.names.translate(group))
		if ctx.Err() != nil {
			return found, fmt.Errorf("locate: %w", context.Cause(ctx))
		}
		if err != nil {
			found.rest = append(found.rest, group...)
			continue
		}
		plain, err := v.plain(run.Outputs())
		if err != nil {
			return found, err
		}
		for _, name := range v.names.translate(group) {
			s.kept.add(name, all(plain, name))
		}
		found.take(outputs, v.names.back(plain, group), group)
	}
	return found, nil
}

// take adds the tensors named in group to r. sets are the results of a run that returned them in
// addition to the model's outputs. outputs are the results of a run that returned only the model's
// outputs. If the model's outputs differ between the two runs, take also adds the names in group to
// r.changed.
func (r *reading) take(outputs, sets []*tensor.Set, group []string) {
	same := identical(outputs, sets)
	for _, name := range group {
		switch {
		case all(sets, name) == nil:
			r.rest = append(r.rest, name)
		case !same:
			r.changed = append(r.changed, name)
		}
	}
	if same {
		r.sets = join(r.sets, sets)
	} else {
		r.sets = join(sets, r.sets) // the verdict on the marked model then uses these outputs
	}
}

// spread distributes names over at most n groups, with neighbours in different groups.
func spread(names []string, n int) [][]string {
	groups := make([][]string, min(n, len(names)))
	for i, name := range names {
		groups[i%len(groups)] = append(groups[i%len(groups)], name)
	}
	return groups
}

// identical reports whether every tensor in a is bitwise equal to the tensor of the same name in b.
func identical(a, b []*tensor.Set) bool {
	for i, set := range a {
		for name, t := range set.All() {
			other, ok := b[i].Get(name)
			if !ok || !other.Identical(t) {
				return false
			}
		}
	}
	return true
}

// join returns the sets in a, extended by the tensors that only the sets in b contain.
func join(a, b []*tensor.Set) []*tensor.Set {
	joined := make([]*tensor.Set, len(a))
	for i, set := range a {
		more := maps.Collect(b[i].All())
		maps.DeleteFunc(more, func(name string, _ *tensor.Tensor) bool {
			_, shared := set.Get(name)
			return shared
		})
		joined[i], _ = sets.With(set, more) // the names are unique
	}
	return joined
}

// noted returns names followed by those elements of more that are not in names.
func noted(names, more []string) []string {
	names = slices.Clone(names)
	for _, name := range more {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// notes returns notes that say how inner tensors were read. A note lists tensors in the order of
// the rows.
func (r reading) notes(side string, row map[string]int) (notes []string) {
	inOrder := func(a, b string) int { return row[a] - row[b] }
	if len(r.marked) > 0 {
		notes = append(notes, fmt.Sprintf("%s does not return %s, so they were read from a copy of the "+
			"model that does", side, abridged(slices.SortedFunc(slices.Values(r.marked), inOrder))))
	}
	if len(r.changed) > 0 {
		notes = append(notes, fmt.Sprintf("%s: %s were read from engines whose outputs are not "+
			"bit-identical to the outputs of the engine under test", side,
			abridged(slices.SortedFunc(slices.Values(r.changed), inOrder))))
	}
	return notes
}
