package precision

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// seen is what one look at the tensors inside a model told.
type seen struct {
	types tensors // those of float32, with their greatest finite magnitude
	// stored is the error of storing each in the format, relative to its norm; it is infinite where
	// one that is finite becomes infinite.
	stored map[string]float64
	lost   map[string]bool // all of it that is not zero becomes zero
	counts map[string]int  // of elements
	runs   int
}

// lookedAt is how many tensors are looked at in one run.
const lookedAt = 128

// lookInside runs the model with the tensors marked that its nodes compute.
func lookInside(ctx context.Context, engine backends.Engine, model *loaders.Model, format Format,
	sets []*tensor.Set) (*seen, error) {
	s := &seen{types: tensors{}, stored: map[string]float64{}, lost: map[string]bool{},
		counts: map[string]int{}}
	nodes, err := model.Nodes()
	if err != nil {
		return nil, err
	}
	wanted := tensors{}
	for _, n := range nodes {
		if n.Op == "Constant" && n.Domain == "" {
			continue
		}
		for _, name := range n.Outputs {
			if name != "" {
				wanted[name] = 0
			}
		}
		if sums[n.Op] != nil && len(n.Inputs) > 0 {
			wanted[n.Inputs[0]] = 1
		}
	}
	declared, err := model.Declared(wanted.sorted()...)
	if err != nil {
		return nil, err
	}
	unused := map[string]bool{}
	for _, n := range nodes {
		for _, name := range n.Outputs {
			unused[name] = moving[n.Op] && wanted[name] == 0
		}
	}
	var names []string
	for _, name := range wanted.sorted() {
		v, ok := declared[name]
		switch {
		case ok && (v.Kind != loaders.Tensor || v.Type != tensor.Float32):
		case ok && unused[name]:
			s.types[name] = 0 // nothing but its type is asked for
		default:
			names = append(names, name)
		}
	}
	for len(names) > 0 {
		n := min(lookedAt, len(names))
		if err := s.look(ctx, engine, model, format, sets, names[:n]); err != nil {
			return nil, err
		}
		names = names[n:]
	}
	return s, nil
}

// look runs the model once with tensors marked.
func (s *seen) look(ctx context.Context, engine backends.Engine, model *loaders.Model,
	format Format, sets []*tensor.Set, names []string) (err error) {
	m, err := model.Mark(names...)
	if err != nil {
		return err
	}
	inputs := fixtures.Of(sets...)
	backend, err := engine.Open(ctx, m, inputs)
	if err != nil {
		return fmt.Errorf("to see what its tensors hold: %w", err)
	}
	defer func() { err = errors.Join(err, backend.Close()) }()
	run, err := backend.Run(ctx, inputs)
	if err != nil {
		return fmt.Errorf("to see what its tensors hold: %w", err)
	}
	s.runs++
	for _, name := range names {
		norm, wrong := 0.0, 0.0
		for i, set := range run.Outputs() {
			t, ok := set.Get(name)
			if !ok || t.ElementType() != tensor.Float32 {
				continue
			}
			s.counts[name] = t.Len()
			most := s.types[name]
			var lost bool
			for k := range t.Len() {
				v := t.Float64At(k)
				if v-v != 0 {
					continue
				}
				most = max(most, math.Abs(v))
				r := format.round(v, 0)
				norm, wrong = norm+float64(v*v), wrong+float64((r-v)*(r-v))
				lost = lost || v != 0
			}
			s.types[name] = most
			s.lost[name] = (i == 0 || s.lost[name]) && lost && format.round(most, 0) == 0
		}
		switch {
		case math.IsInf(wrong, 1):
			s.stored[name] = math.Inf(1)
		case norm > 0:
			s.stored[name] = math.Sqrt(wrong / norm)
		}
	}
	return nil
}

// Why names the rule by which the range of a format is left at a node.
type Why string

// What the range rule finds: a magnitude beyond the greatest number of the format, or all that is
// not zero rounded to zero.
const (
	WeightOverflow  Why = "a weight overflows"
	WeightUnderflow Why = "a weight becomes zero"
	Overflow        Why = "what it makes overflows"
	Underflow       Why = "what it makes becomes zero"
	InputOverflow   Why = "what it takes overflows"
	SumOverflow     Why = "the sum inside overflows"
)

// ranges finds the nodes where the range of the format is left, by their indices.
func (n *network) ranges() map[int]Why {
	s := n.seen
	found := map[int]Why{}
	note := func(i int, why Why) {
		if _, known := found[i]; !known && n.nodes[i].role == computes {
			found[i] = why
		}
	}
	for _, i := range n.steps {
		l := &n.nodes[i]
		for _, name := range l.takes {
			switch w := n.weights[name]; {
			case n.format.beyond(w.greatest):
				note(i, WeightOverflow)
			case w.lost:
				note(i, WeightUnderflow)
			}
		}
		for _, name := range l.makes {
			switch {
			case n.format.beyond(s.types[name]):
				note(i, Overflow)
				for _, leaf := range n.leaves[name] {
					note(leaf, InputOverflow)
				}
			case s.lost[name]:
				note(i, Underflow)
			}
		}
		if factor := sums[l.Op]; factor != nil && len(l.makes) == 1 && len(l.data) > 0 {
			count := s.counts[l.data[0]] / max(1, s.counts[l.makes[0]])
			if f := factor(s.types[l.makes[0]], count); f > 1 && n.format.beyond(f*s.types[l.makes[0]]) {
				l.factor = f
				note(i, SumOverflow)
			}
		}
	}
	return found
}
