package locate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/bound"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// recalled is a node of one side, with that side's values of the node's inputs and output. A tensor
// has one value per iteration, and a constant has a single value. All names are this side's.
type recalled struct {
	name   string // of the node's first output
	node   bound.Node
	inputs []string
	values map[string][]*tensor.Tensor
	// constant maps the node's constants to true, and the graph's inputs to false.
	constant map[string]bool
	unknown  string // why the node cannot be judged
}

func newRecalled(name string, inputs []string) recalled {
	return recalled{name: name, inputs: inputs, values: map[string][]*tensor.Tensor{},
		constant: map[string]bool{}}
}

// recall reads one side's values of the node that computes the named tensor.
func recall(ctx context.Context, w *runner, s *side, v view, name string) (recalled, error) {
	r := newRecalled(name, nil)
	at := slices.IndexFunc(s.nodes, func(n loaders.Node) bool {
		return slices.Contains(n.Outputs, name)
	})
	switch {
	case at < 0:
		r.unknown = fmt.Sprintf("no node computes %q", name)
		return r, nil
	case s.nodes[at].Outputs[0] != name:
		r.unknown = fmt.Sprintf("%q is not the first output of its node", name)
		return r, nil
	}
	var err error
	if r.node, err = bound.Read(s.model, at); err != nil {
		return r, err
	}
	r.inputs = s.nodes[at].Inputs
	for _, name := range append([]string{name}, r.inputs...) {
		if v.quantization(name) != nil {
			r.unknown = "the node computes on integers"
			return r, nil
		}
	}
	return r, r.read(ctx, w, s, v, name)
}

// read reads the side's values of the node's inputs and of the named outputs.
func (r *recalled) read(ctx context.Context, w *runner, s *side, v view, wanted ...string) error {
	constants, err := s.literals(view{})
	if err != nil {
		return err
	}
	for _, input := range r.inputs {
		if t := all(s.sets, input); t != nil {
			r.values[input], r.constant[input] = t, false
		} else if t := constants.read(input); t != nil {
			r.values[input], r.constant[input] = []*tensor.Tensor{t}, true
		} else if input != "" {
			wanted = append(wanted, input)
		}
	}
	wanted = slices.DeleteFunc(wanted, func(name string) bool {
		list, seen := s.kept.tensors[name]
		if seen = seen && s.inside != nil; seen { // a marked model returns all values together
			r.values[name] = list
		}
		return seen
	})
	if len(wanted) == 0 {
		return nil
	}
	sets, err := w.gives(ctx, s, v, wanted)
	if ctx.Err() != nil {
		return fmt.Errorf("locate: %w", context.Cause(ctx))
	}
	if err != nil {
		r.unknown = err.Error()
		return nil
	}
	for _, name := range wanted {
		if r.values[name] = all(sets, name); r.values[name] == nil {
			r.unknown = fmt.Sprintf("%q could not be read", name)
		}
	}
	return nil
}

// in returns the value that a tensor has in an iteration. A constant has the same value in all
// iterations.
func (r *recalled) in(name string, iteration int) *tensor.Tensor {
	switch list := r.values[name]; {
	case len(list) == 0:
		return nil
	case r.constant[name]:
		return list[0]
	default:
		return list[iteration]
	}
}

func (r *recalled) output(iteration int) *tensor.Tensor { return r.in(r.name, iteration) }

// difference explains why the results of two nodes differ although each result by itself is correct
// up to rounding. text says what differs: the nodes, the tensors that they read, or only the values
// of these tensors. If none of these differ, text says that the results differ only in rounding.
// same reports whether the nodes and the tensors that they read are the same.
func (r *recalled) difference(other recalled, j *judged, iteration int) (same bool, text string) {
	const node = "the two nodes differ in operator, attributes or weights"
	if r.node.Op != other.node.Op || !maps.Equal(r.node.Attributes, other.node.Attributes) ||
		len(r.inputs) != len(other.inputs) {
		return false, node
	}
	text = "both sides run the same node on the same inputs, and differ only in rounding"
	for i, name := range r.inputs {
		theirs := other.inputs[i]
		mine, given := r.in(name, iteration), other.in(theirs, iteration)
		switch {
		case r.constant[name] != other.constant[theirs]:
			return false, node
		case mine.Identical(given):
		case r.constant[name]:
			return false, node
		case agrees(j, name) && mine.ElementType() == given.ElementType(),
			j.pairs.matched == nil && j.pairs.called(name) != theirs:
			return false, fmt.Sprintf("the two nodes read different tensors, or the same in a different "+
				"order: %s, expected %s", abridged(quotedAll(r.inputs)), abridged(quotedAll(other.inputs)))
		default:
			text = "the two nodes are the same, but their inputs differ"
		}
	}
	return true, text
}

// judge compares the side's output with the float64 result. If the two differ by more than rounding
// allows, judge also runs the node alone, and compares the result of that.
func (r *recalled) judge(ctx context.Context, s *side, p backends.Provenance, iteration int,
	suspects []int) (Distance, error) {
	if r.unknown != "" {
		return Distance{Unknown: r.unknown}, nil
	}
	output := r.output(iteration)
	arithmetic, known := arithmeticOf(p, output.ElementType())
	if !known {
		return Distance{Unknown: fmt.Sprintf("%v may use types of fewer than 16 bits", s.Engine)}, nil
	}
	found, err := r.against(ctx, arithmetic, iteration, output, true, suspects)
	if ctx.Err() != nil {
		return Distance{}, fmt.Errorf("locate: %w", context.Cause(ctx))
	}
	if err != nil {
		return Distance{Unknown: err.Error()}, nil
	}
	if found.Judged == found.Open {
		return Distance{Unknown: "rounding to " + arithmetic.Name + " has no known error bound for any " +
			"element of the result"}, nil
	}
	d := Distance{Ratio: Number(found.Ratio), Element: output.Shape().Index(found.Element),
		Value: Number(found.Got), Float64: Number(found.Want), Bound: Number(found.Bound),
		Usual: Number(found.Usual), Arithmetic: arithmetic.Name}
	if !(d.Ratio > 1) {
		return d, nil
	}
	alone, err := r.alone(ctx, s, iteration)
	if ctx.Err() != nil {
		return d, fmt.Errorf("locate: %w", context.Cause(ctx))
	}
	if err != nil {
		return d, nil //nolint:nilerr // the text says that the node could not run alone
	}
	if found, err = r.against(ctx, arithmetic, iteration, alone, false, suspects); err == nil {
		d.Alone = new(Number)
		*d.Alone = Number(found.Ratio)
	}
	return d, nil
}

// against compares an output with the float64 result. inGraph is true if the node ran as a part of
// its graph, where an engine may compute with more digits than it returns.
func (r *recalled) against(ctx context.Context, arithmetic bound.Arithmetic, iteration int,
	output *tensor.Tensor, inGraph bool, suspects []int) (bound.Ratio, error) {
	n := r.node
	n.Inputs = make([]bound.Input, len(r.inputs))
	for i, name := range r.inputs {
		_, source := r.constant[name]
		n.Inputs[i] = bound.Input{Tensor: r.in(name, iteration), Rounded: inGraph && !source}
	}
	return bound.Judge(ctx, n, arithmetic, output, suspects)
}

func (r *recalled) alone(ctx context.Context, s *side, iteration int) (*tensor.Tensor, error) {
	var feed []fed
	for i, name := range r.inputs {
		if name != "" && !r.constant[name] && !slices.Contains(r.inputs[:i], name) {
			feed = append(feed, fed{name, []*tensor.Tensor{r.in(name, iteration)}})
		}
	}
	part, inputs, err := cut(s.model, make([]*tensor.Set, 1), feed, []loaders.Value{{Name: r.name,
		Type: r.output(iteration).ElementType()}})
	if err != nil {
		return nil, err
	}
	run, err := s.run(ctx, part, fixtures.Of(inputs...))
	if err != nil {
		return nil, err
	}
	t, ok := run.Outputs()[0].Get(r.name)
	if !ok {
		return nil, fmt.Errorf("locate: the node did not return %q when run alone", r.name)
	}
	return t, nil
}
