package locate

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// engines is the number of engines that share the tensors of a batch if a side's engine can return
// inner tensors. Neighbouring tensors go to different engines, so that fewer fusions are prevented;
// a model of 500 nodes then needs far fewer than 500 builds.
const engines = 8

// seat is a side together with its stored results and, if the engine can return inner tensors, its
// backend.
type seat struct {
	*side
	inside  insideReader  // nil if tensors have to be marked
	outputs []*tensor.Set // outputs of the engine under test
	names   *names        // maps the actual side's names to this side's
	marked  []string      // names of tensors that only a marked model returned
	changed []string      // names of tensors from an engine whose outputs differ

	kept      kept
	given     []*tensor.Set  // the inputs, under this model's names
	graph     *pairing.Graph // set when pairing reads the graph
	quantized map[string]*pairing.Quantization
}

// newSeat creates a seat that stores results in up to half of the memory budget. The other half is
// for the tensors that are being compared.
func newSeat(of *side, o Options) *seat {
	return &seat{side: of, kept: kept{tensors: map[string][]*tensor.Tensor{}, most: o.memory() / 2}}
}

// insideReader is a backend that can return inner tensors.
type insideReader interface {
	backends.Backend
	backends.TensorReader
}

// open runs the side's own model. If the engine can return inner tensors, open keeps it open.
func (s *seat) open(ctx context.Context) (*backends.Run, error) {
	backend, err := s.parts.Open(ctx, s.model, s.inputs)
	if err != nil {
		return nil, fmt.Errorf("locate: %s: %w", s.name(), err)
	}
	run, err := backend.Run(ctx, s.inputs)
	inside, shows := backend.(insideReader)
	if err != nil || !shows {
		backend.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("locate: %s: %w", s.name(), err)
	}
	if shows {
		s.inside, s.outputs = inside, s.names.back(run.Outputs(), nil)
	}
	return run, nil
}

func (s *seat) close() {
	if s.inside != nil {
		s.inside.Close()
	}
	s.side.close()
}

// shown holds a side's outputs and the tensors that its own engine returned. rest names the tensors
// that are left for a marked model.
type shown struct {
	sets []*tensor.Set
	rest []string
}

// show reads the named tensors by running the side's own engine with the tensors as outputs. If no
// engine can be built for a group of tensors, rest names the whole group; a marked model must
// provide them.
func (s *seat) show(ctx context.Context, names []string) (shown, error) {
	if s.inside == nil {
		return shown{rest: names}, nil
	}
	found := shown{sets: s.outputs}
	for _, group := range spread(names, engines) {
		run, err := s.inside.RunWithTensors(ctx, s.inputs, s.names.own(group))
		if ctx.Err() != nil {
			return found, fmt.Errorf("locate: %w", context.Cause(ctx))
		}
		if err != nil {
			found.rest = append(found.rest, group...)
			continue
		}
		sets, err := s.plain(run.Outputs())
		if err != nil {
			return found, err
		}
		s.take(&found, s.names.back(sets, group), group)
	}
	return found, nil
}

// take adds the tensors that an engine returned for a group.
func (s *seat) take(to *shown, sets []*tensor.Set, group []string) {
	same := identical(s.outputs, sets)
	for _, name := range group {
		switch {
		case all(sets, name) == nil:
			to.rest = append(to.rest, name)
		case !same:
			s.changed = noted(s.changed, name)
		}
	}
	if same {
		to.sets = join(to.sets, sets)
	} else {
		to.sets = join(sets, to.sets) // the verdict on the marked model then uses these outputs
	}
}

// spread distributes names over at most n groups such that neighbours are in different groups.
func spread(names []string, n int) [][]string {
	groups := make([][]string, min(n, len(names)))
	for i, name := range names {
		groups[i%len(groups)] = append(groups[i%len(groups)], name)
	}
	return groups
}

// identical reports whether the tensors in some are bitwise equal to the tensors of the same names
// in others.
func identical(some, others []*tensor.Set) bool {
	for i, set := range some {
		for name, t := range set.All() {
			other, ok := others[i].Get(name)
			if !ok || !other.Identical(t) {
				return false
			}
		}
	}
	return true
}

// join returns the sets in some, with those tensors added that only others has.
func join(some, others []*tensor.Set) []*tensor.Set {
	joined := make([]*tensor.Set, len(some))
	for i := range some {
		var entries []tensor.Entry
		for name, t := range some[i].All() {
			entries = append(entries, tensor.Entry{Name: name, Tensor: t})
		}
		for name, t := range others[i].All() {
			if _, both := some[i].Get(name); !both {
				entries = append(entries, tensor.Entry{Name: name, Tensor: t})
			}
		}
		joined[i], _ = tensor.NewSet(entries...) // the names are unique
	}
	return joined
}

// noted appends to names the names in more that it does not contain yet.
func noted(names []string, more ...string) []string {
	for _, name := range more {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// tell adds notes about how inner tensors were read.
func (s *seat) tell(p *pairs) {
	inOrder := func(a, b string) int { return p.row[a] - p.row[b] }
	slices.SortFunc(s.marked, inOrder)
	slices.SortFunc(s.changed, inOrder)
	if len(s.marked) > 0 {
		p.runs.note("%s does not return %s itself: read from a model with them as outputs", s.name(),
			abridged(s.marked))
	}
	if len(s.changed) > 0 {
		p.runs.note("%s: read from engines whose outputs are not bit-identical to the outputs of "+
			"the engine under test: %s", s.name(), abridged(s.changed))
	}
}
