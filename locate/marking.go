package locate

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/tensor"
)

// marking is a side's model with additional outputs, opened for one run.
type marking struct {
	of      *seat
	view    view
	shown   shown            // tensors that the side's own engine has returned
	backend backends.Backend // nil if the model need not run
}

// marking opens a side's model with additional outputs: the tensors that the side's own engine did
// not return. If the sets like are given, these outputs get the types that they have there;
// otherwise the engine determines the types. The caller must run or close the result.
func (s *seat) marking(ctx context.Context, v view, shown shown, like []*tensor.Set) (
	*marking, error) {
	m := &marking{of: s, view: v, shown: shown}
	if len(shown.rest) == 0 || s.keeps(v, v.names.own(shown.rest)) {
		return m, nil
	}
	inner := slices.DeleteFunc(slices.Clone(shown.rest), func(name string) bool {
		return v.isInput(v.names.called(name))
	})
	model, err := s.model.MarkAs(v.names.values(typedLike(untyped(inner), like))...)
	if err != nil {
		return nil, err
	}
	if m.backend, err = s.parts.Open(ctx, model, s.inputs); err != nil {
		return nil, fmt.Errorf("locate: %s: %w", s.name(), err)
	}
	return m, nil
}

func (m *marking) close() {
	if m != nil && m.backend != nil {
		m.backend.Close()
	}
}

// read returns the tensors. It runs the marked model unless the side has stored all of the tensors.
func (m *marking) read(ctx context.Context) (found reading, err error) {
	found = reading{sets: m.shown.sets, changed: m.shown.changed}
	s, v, rest := m.of, m.view, m.shown.rest
	if len(rest) == 0 {
		return found, nil
	}
	own := v.names.own(rest)
	var sets []*tensor.Set
	if m.backend == nil {
		sets, err = s.kept.sets(own)
	} else {
		sets, err = m.run(ctx)
	}
	if err != nil {
		return found, err
	}
	if slices.ContainsFunc(own, v.isInput) {
		if sets, err = v.withInputs(sets, own); err != nil {
			return found, err
		}
	}
	sets = v.names.back(sets, rest)
	if s.inside == nil {
		found.sets = sets
		return found, nil
	}
	found.sets, found.marked = join(sets, m.shown.sets), rest
	return found, nil
}

func (m *marking) run(ctx context.Context) ([]*tensor.Set, error) {
	run, err := m.backend.Run(ctx, m.of.inputs)
	if err != nil {
		return nil, fmt.Errorf("locate: %s: %w", m.of.name(), err)
	}
	sets, err := m.view.plain(run.Outputs())
	if err != nil || m.of.inside != nil {
		return sets, err
	}
	outputs, err := m.of.model.Outputs()
	m.of.kept.add(sets, valueNames(outputs))
	return sets, err
}

// keeps reports whether a side has stored all of the named tensors that are not inputs of the
// model.
func (s *seat) keeps(v view, own []string) bool {
	return !slices.ContainsFunc(own, func(name string) bool {
		return !v.isInput(name) && !s.kept.has(name)
	})
}

// kept stores results of marked models, up to a memory limit. It saves runs: the expected side's
// values are needed for comparing whole models and again for running nodes alone, and pairing by
// values needs the values of both sides even earlier.
type kept struct {
	tensors    map[string][]*tensor.Tensor // by the side's own names; one for each iteration
	outputs    []string                    // names of the model's outputs
	iterations int
	bytes      int64
	of         *store
}

// store is the memory that all stored results of a search share. Both sides may store at the same
// time.
type store struct {
	lock        sync.Mutex
	bytes, most int64
}

// take reserves memory, or gives it back if bytes is negative. It reports whether bytes fit.
func (s *store) take(bytes int64) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	if bytes > 0 && s.bytes+bytes > s.most {
		return false
	}
	s.bytes += bytes
	return true
}

func (k *kept) has(name string) bool { return k.tensors[name] != nil }

// add stores the results of a marked model if they fit into the limit. They include the model's own
// outputs.
func (k *kept) add(sets []*tensor.Set, outputs []string) {
	if len(sets) == 0 {
		return
	}
	own := sets[0].Only(outputs...)
	for _, set := range sets {
		if !slices.Equal(set.Only(outputs...).Names(), own.Names()) {
			return // the length of the sequence differs between iterations
		}
	}
	if !k.take(bytesOf(sets)) {
		return
	}
	k.outputs, k.iterations = own.Names(), len(sets)
	for _, name := range sets[0].Names() {
		if list := all(sets, name); list != nil && !k.has(name) {
			k.tensors[name] = list
		}
	}
}

// clear forgets all results.
func (k *kept) clear() {
	k.tensors = map[string][]*tensor.Tensor{}
	k.take(-k.bytes)
}

func (k *kept) take(bytes int64) bool {
	taken := k.of.take(bytes)
	if taken {
		k.bytes += bytes
	}
	return taken
}

// put stores one tensor, in all iterations, if it fits into the limit.
func (k *kept) put(name string, list []*tensor.Tensor) {
	bytes := int64(0)
	for _, t := range list {
		bytes += int64(t.Size())
	}
	if list != nil && k.take(bytes) {
		k.tensors[name] = list
	}
}

// sets returns, for each iteration, the model's outputs and the named tensors.
func (k *kept) sets(names []string) ([]*tensor.Set, error) {
	var list []*tensor.Set
	wanted := slices.Concat(k.outputs, names)
	for i := range k.iterations {
		var entries []tensor.Entry
		taken := map[string]bool{}
		for _, name := range wanted {
			if k.has(name) && !taken[name] {
				taken[name] = true
				entries = append(entries, tensor.Entry{Name: name, Tensor: k.tensors[name][i]})
			}
		}
		set, err := tensor.NewSet(entries...)
		if err != nil {
			return nil, err
		}
		list = append(list, set)
	}
	return list, nil
}
