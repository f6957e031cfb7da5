package precision

import (
	"context"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// seen contains measurements of a model's inner tensors.
type seen struct {
	types tensors // the float32 tensors, with their largest finite magnitudes
	// stored maps each tensor to the error of storing it in the format, relative to its norm. The
	// error is infinite if a finite value overflows.
	stored map[string]float64
	counts map[string]int // numbers of elements
	runs   int
}

// lookInside measures the tensors that the model's nodes compute, by running the model with these
// tensors as outputs.
func lookInside(ctx context.Context, engine backends.Engine, model *loaders.Model, format Format,
	sets []*tensor.Set) (*seen, error) {
	s := &seen{types: tensors{}, stored: map[string]float64{}, counts: map[string]int{}}
	nodes, err := model.Nodes()
	if err != nil {
		return nil, err
	}
	wanted := computed(nodes)
	for _, n := range nodes {
		if sums[n.Op] != nil && len(n.Inputs) > 0 {
			wanted[n.Inputs[0]] = 1
		}
	}
	unused := map[string]bool{}
	for _, n := range nodes {
		for _, name := range n.Outputs {
			unused[name] = moving[n.Op] && wanted[name] == 0
		}
	}
	names, err := s.types.declare(model, wanted, func(name string) bool { return !unused[name] })
	if err != nil {
		return nil, err
	}
	totals, grid := map[string]total{}, newGrid(format, 0)
	s.runs, err = look(ctx, engine, model, sets, names, func(name string, t *tensor.Tensor) error {
		rounded, err := grid.tensor(t, -1)
		if err != nil {
			return err
		}
		s.counts[name], s.types[name] = t.Len(), max(s.types[name], largest(t))
		signal, noise := powers(rounded, t)
		of := totals[name]
		totals[name] = total{signal: of.signal + signal, noise: of.noise + noise}
		s.stored[name] = relativeError(totals[name].signal, totals[name].noise)
		return nil
	})
	return s, err
}

// Why says how a node leaves the format's range.
type Why string

// The reasons. A value overflows if it is above the format's largest number. A tensor becomes zero
// if all its nonzero values round to zero.
const (
	WeightOverflow  Why = "a weight overflows"
	WeightUnderflow Why = "a weight becomes zero"
	Overflow        Why = "an output overflows"
	Underflow       Why = "an output becomes zero"
	InputOverflow   Why = "an input overflows"
	SumOverflow     Why = "a sum inside it overflows"
)

// ranges returns, by node index, why a node's values do not fit the format's range.
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
			case n.format.beyond(w.largest):
				note(i, WeightOverflow)
			case n.format.loses(w.largest):
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
			case n.format.loses(s.types[name]):
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
