package locate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/guesses"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// Range describes the range of a tensor's values.
type Range struct {
	Tensor string
	Type   tensor.ElementType
	Shape  tensor.Shape
	// Least and Greatest are the extremes of the finite values; NaN if there are none.
	Least, Greatest float64
	NaN, Inf        int
	Weight          bool // a constant of the model
}

// reach returns the largest magnitude of the finite values.
func (r Range) reach() float64 { return max(math.Abs(r.Least), math.Abs(r.Greatest)) }

// finite reports whether every value is finite.
func (r Range) finite() bool { return r.NaN+r.Inf == 0 }

// OriginNode is a node that produces non-finite values from finite operands.
type OriginNode struct {
	Node     loaders.Node
	Output   Range
	Operands []Range
}

// Origin says where the values of a run first become NaN or infinite.
type Origin struct {
	Subject   string // the model and the engine
	Iteration int
	// Outputs lists the outputs of the original model that have non-finite values.
	Outputs []string
	// NaN is the first node whose result contains a NaN although no operand does, and Infinity the
	// first node whose result contains an infinity although all operands are finite. Only nodes on a
	// path to one of the Outputs count. A field is nil if there is no such node.
	NaN, Infinity *OriginNode
	// Near lists the float16 tensors whose values come closest to float16's limit of 65504, the
	// closest first.
	Near []Range
	// Notes lists further information.
	Notes []string

	ranges map[string]Range // by name, for the tensors examined so far
}

// greatestHalf is the largest finite float16 number.
const greatestHalf = 65504

// mostMarked is the maximum number of inner tensors that become outputs in one run.
const mostMarked = 64

// nearest is the largest number of tensors in [Origin.Near].
const nearest = 3

// NonFinite finds the nodes in which non-finite values begin. To do so, it runs a subject's model
// with the inner tensors as additional outputs. It examines the first iteration with a non-finite
// output, or the first iteration if there is none. The engine must accept outputs without declared
// types.
//
// It is an error if the subject cannot run again or is not ONNX, or if the engine rejects the
// model.
func NonFinite(ctx context.Context, subject backends.Subject) (*Origin, error) {
	ctx = guesses.Context(ctx, subject.Inputs.Notes())
	s, err := newSide(ctx, "examined", subject, nil)
	if err != nil {
		return nil, err
	}
	defer s.close()
	return originOf(ctx, s)
}

// findNonFinite finds where non-finite values begin, if the outputs agree except for these values.
func (s *steps) findNonFinite(ctx context.Context, w *runner) error {
	if !s.whole.nonFinite {
		return nil
	}
	s.nonFinite = "both sides have NaN or infinities in the same places, and all other values " +
		"agree; to accept that, set NaNEqual and InfinitiesEqual (--nans-compare-equal, " +
		"--infinities-compare-equal)"
	origin, err := originOf(ctx, w.expected)
	if err != nil {
		s.nonFinite += fmt.Sprintf("; could not find where non-finite values begin: %v", err)
		return context.Cause(ctx)
	}
	s.nonFinite += "; " + origin.Headline()
	return nil
}

// originOf finds the nodes in which non-finite values begin on one side.
func originOf(ctx context.Context, s *side) (*Origin, error) {
	f := &Origin{Subject: s.name(), ranges: map[string]Range{}}
	outputs, err := outputSets(s.run(ctx, s.model, s.inputs))
	if err != nil {
		return nil, err
	}
	if _, err := compare.Finite(outputs, true); err != nil {
		return nil, fmt.Errorf("locate: %w", err)
	}
	f.choose(outputs)
	for name, t := range s.sets[f.Iteration].All() {
		f.ranges[name] = rangeOf(name, t)
	}
	if err := f.look(ctx, s, s.sets[f.Iteration]); err != nil {
		return nil, err
	}
	if err := f.constants(s.model); err != nil {
		return nil, err
	}
	f.trace(s.nodes)
	f.margins(s.nodes)
	return f, nil
}

// choose selects the first iteration with a non-finite output. It also records which outputs are
// non-finite in that iteration.
func (f *Origin) choose(sets []*tensor.Set) {
	for i, set := range sets {
		for name, t := range set.All() {
			if compare.CensusOf(t).Total() > 0 {
				f.Outputs = append(f.Outputs, name)
			}
		}
		if len(f.Outputs) > 0 {
			f.Iteration = i
			return
		}
	}
}

// look finds the range of every inner tensor. In each run, up to mostMarked tensors become outputs.
func (f *Origin) look(ctx context.Context, s *side, inputs *tensor.Set) error {
	var names []string
	for name := range outputsOf(s.nodes) {
		names = append(names, name)
	}
	for batch := range slices.Chunk(names, mostMarked) {
		marked, err := s.model.Mark(batch...)
		if err != nil {
			return err
		}
		run, err := s.run(ctx, marked, fixtures.Of(inputs))
		if err != nil {
			return err
		}
		for name, t := range run.Outputs()[0].All() {
			f.ranges[name] = rangeOf(name, t)
		}
	}
	for _, name := range f.Outputs {
		if r, seen := f.ranges[name]; seen && r.finite() {
			f.Notes = append(f.Notes, fmt.Sprintf("%q becomes finite when inner tensors are outputs too: "+
				"the engine then computes differently, for example without fusing nodes", name))
		}
	}
	return nil
}

// constants adds the ranges of the float weights to the ranges found so far.
func (f *Origin) constants(model *loaders.Model) error {
	weights, err := model.Initializers()
	if err != nil {
		return err
	}
	for _, w := range weights {
		if !w.Type.IsFloat() {
			continue
		}
		t, err := model.Weight(w.Name)
		if err != nil {
			return err
		}
		r := rangeOf(w.Name, t)
		r.Weight = true
		f.ranges[w.Name] = r
	}
	return nil
}

// trace finds the nodes in which the non-finite values of the outputs begin.
func (f *Origin) trace(nodes []loaders.Node) {
	made, leads := maps.Collect(outputsOf(nodes)), map[string]bool{}
	follow := func(name string) bool {
		leads[name] = !f.ranges[name].finite()
		return leads[name]
	}
	ends := slices.DeleteFunc(slices.Clone(f.Outputs), func(name string) bool { return !follow(name) })
	pairing.Walk(ends, made, func(node int) []string { return pairing.Reads(&nodes[node]) }, follow)
	for i := range nodes {
		n := &nodes[i]
		p := OriginNode{Node: *n}
		hasNaN, hasInf := false, false
		for _, name := range slices.Concat(n.Inputs, n.Captured) {
			if r, known := f.ranges[name]; known {
				p.Operands = append(p.Operands, r)
				hasNaN, hasInf = hasNaN || r.NaN > 0, hasInf || r.Inf > 0
			}
		}
		for _, name := range n.Outputs {
			r := f.ranges[name]
			if !leads[name] || r.finite() {
				continue
			}
			own := p
			own.Output = r
			if f.NaN == nil && r.NaN > 0 && !hasNaN {
				f.NaN = &own
			}
			if f.Infinity == nil && r.Inf > 0 && !hasInf && !hasNaN {
				f.Infinity = &own
			}
		}
	}
	if f.NaN != nil || f.Infinity != nil {
		return
	}
	// No node makes them, so they come from inputs or weights.
	for _, name := range slices.Sorted(maps.Keys(leads)) {
		_, inner := made[name]
		if leads[name] && !inner {
			f.Notes = append(f.Notes, "non-finite values come from "+f.ranges[name].text(false))
		}
	}
}

// margins finds the float16 tensors whose values come closest to the largest float16 number. It
// leaves out tensors whose values are more than a thousand times smaller.
func (f *Origin) margins(nodes []loaders.Node) {
	for name := range outputsOf(nodes) {
		if r := f.ranges[name]; r.Type == tensor.Float16 && r.reach() > greatestHalf/1000. {
			f.Near = append(f.Near, r)
		}
	}
	slices.SortStableFunc(f.Near, func(a, b Range) int { return cmp.Compare(b.reach(), a.reach()) })
	f.Near = f.Near[:min(nearest, len(f.Near))]
}

func rangeOf(name string, t *tensor.Tensor) Range {
	r := Range{Tensor: name, Type: t.ElementType(), Shape: slices.Clone(t.Shape()), Least: math.NaN(),
		Greatest: math.NaN()}
	if t.ElementType() == tensor.String {
		return r
	}
	for i := range t.Len() {
		switch v := t.Float64At(i); {
		case v != v:
			r.NaN++
		case v-v != 0:
			r.Inf++
		default:
			if !(r.Least <= v) {
				r.Least = v
			}
			if !(r.Greatest >= v) {
				r.Greatest = v
			}
		}
	}
	return r
}
