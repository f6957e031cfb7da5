package locate

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// engines is how many engines share the tensors of a batch, where a side's engine shows its
// inside: neighbours come into different ones, so that what is read in one engine lies apart and
// keeps few layers from being fused, and a model of 500 nodes does not take 500 builds.
const engines = 8

// seat is a side with its own backend, where that shows its inside.
type seat struct {
	*side
	inside  backends.TensorReader // nil where the model has to be marked
	outputs []*tensor.Set         // of the engine in question
	names   *names                // the side's own, by the actual side's
	marked  []string              // what the engine does not show, and a marked model gave
	changed []string              // what came from an engine whose outputs are others

	kept      kept
	given     []*tensor.Set  // the inputs, by the names of this side's model
	graph     *pairing.Graph // once it was read for pairing
	quantized map[string]*pairing.Quantization
}

// newSeat keeps of what a side gives as much as leaves half of the budget to what is being
// compared.
func newSeat(of *side, o Options) *seat {
	return &seat{side: of, kept: kept{tensors: map[string][]*tensor.Tensor{}, most: o.memory() / 2}}
}

// open runs the side's own model, and keeps an engine that shows its inside.
func (s *seat) open(ctx context.Context) (*backends.Run, error) {
	backend, err := s.parts.Open(ctx, s.model, s.inputs)
	if err != nil {
		return nil, fmt.Errorf("locate: %s: %w", s.name(), err)
	}
	run, err := backend.Run(ctx, s.inputs)
	inside, shows := backend.(backends.TensorReader)
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

// shown is what a side's own engine gives: its outputs with the tensors that it shows, and the
// names of those that are left for a marked model.
type shown struct {
	sets []*tensor.Set
	rest []string
}

// show reads tensors from the side's own engine. One that cannot be built with a group of them
// shows none of the group.
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

// take adds what an engine showed of a group.
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
		to.sets = join(sets, to.sets) // so that the verdict on the marked outputs sees these
	}
}

// spread deals names out to at most n groups, neighbours to different ones.
func spread(names []string, n int) [][]string {
	groups := make([][]string, min(n, len(names)))
	for i, name := range names {
		groups[i%len(groups)] = append(groups[i%len(groups)], name)
	}
	return groups
}

// identical reports whether the tensors of some sets are in others too, bit for bit.
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

// join is the tensors of some sets, and those of others that they lack.
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

// noted adds names that are not there yet.
func noted(names []string, more ...string) []string {
	for _, name := range more {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// tell notes what the reader has to know of the tensors that were read inside.
func (s *seat) tell(p *pairs) {
	inOrder := func(a, b string) int { return p.row[a] - p.row[b] }
	slices.SortFunc(s.marked, inOrder)
	slices.SortFunc(s.changed, inOrder)
	if len(s.marked) > 0 {
		p.runs.note("%s does not show %s by itself: read from a model that has them as outputs", s.name(),
			abridged(s.marked))
	}
	if len(s.changed) > 0 {
		p.runs.note("%s: read from engines whose outputs are not, bit for bit, those of the engine in "+
			"question: %s", s.name(), abridged(s.changed))
	}
}
