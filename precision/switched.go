package precision

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/sets"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
)

// switched is a model that rounds the constants and outputs of one group of compute nodes at a
// time. An additional input selects the group by its number, so that a single session can measure
// the errors of all groups. The number after the last group rounds only the model's float32 inputs.
type switched struct {
	*network
	reads   []string // the inputs that the model reads; a cut model lacks all others
	backend backends.Backend
	forget  func()
}

// selector is the name of the additional input. The input's value is the number of the group to
// round. If the value is noGroup, the model rounds nothing.
const (
	selector = "modelparity" + suffix + "which"
	noGroup  = -1
)

// whereOpset is the first opset with the operator Where.
const whereOpset = 9

// crossed lists the operators of patterns that ONNX Runtime fuses across casts: layer normalisation
// and GELU. Such a fusion drops roundings, or makes a model that ONNX Runtime then rejects.
var crossed = names.Words("Erf LayerNormalization Pow ReduceMean Tanh")

// lowest returns the engine at its lowest optimisation level, or unchanged if it has no levels.
func lowest(e backends.Engine) backends.Engine {
	if of := backends.CapabilitiesOf(e).Levels; of != nil {
		if levels, err := of(); err == nil && len(levels) > 0 {
			return levels[0]
		}
	}
	return e
}

// choosing builds the model that rounds only the group that an additional input selects; see
// [switched]. groupOf maps each compute node to the number of its group, and groups is the number
// of groups.
func (n *network) choosing(groupOf []int, groups int) (*loaders.Model, error) {
	if n.opset < whereOpset {
		return nil, fmt.Errorf("%s uses opset %d, but ranking its nodes requires opset %d or later",
			n.model.Name(), n.opset, whereOpset)
	}
	given := map[string]string{}
	whole, err := edit.Nodes(n.model, func(node loaders.Node) (to edit.NodeEdit, err error) {
		l := &n.nodes[node.Index]
		to.Inputs, to.Outputs = map[string]string{}, map[string]string{}
		if node.Index == 0 {
			to.Before = append(to.Before, edit.NewNode{Op: "Constant",
				Value: tensor.Scalar[int64](noGroup), Outputs: []string{selector}})
		}
		if l.role != fixed {
			for _, name := range l.data {
				if !n.inputs[name] {
					continue
				}
				if given[name] == "" {
					given[name] = name + suffix + "switched"
					to.Before = append(to.Before,
						n.choice(name, given[name], groups, nil)...)
				}
				to.Inputs[name] = given[name]
			}
		}
		if l.role != computes {
			return to, nil
		}
		group := groupOf[l.step]
		for _, name := range slices.Compact(slices.Sorted(slices.Values(l.takes))) {
			if w, constant := n.weights[name]; constant && !w.exact {
				to.Inputs[name] = fmt.Sprintf("%s%sof/%d", name, suffix, node.Index)
				to.Before = append(to.Before, n.choice(name, to.Inputs[name], group, nil)...)
			}
		}
		for _, name := range l.makes {
			to.Outputs[name] = name + suffix + "exact"
			to.After = append(to.After, n.choice(to.Outputs[name], name, group, l)...)
		}
		return to, nil
	})
	if err != nil {
		return nil, err
	}
	return whole.Cut([]loaders.Value{{Name: selector, Type: tensor.Int64, HasShape: true}}, n.outputs)
}

// choice returns nodes that copy a tensor. If the value of the model's additional input is group,
// they also round the copy ([network.stored]). from is the name of the tensor, and to is the name
// of the copy.
func (n *network) choice(from, to string, group int, maker *layer) []edit.NewNode {
	at := to + suffix + "at"
	return append(n.stored(maker, from, to+suffix+"rounded"),
		edit.NewNode{Op: "Constant", Value: tensor.Scalar(int64(group)), Outputs: []string{at}},
		edit.NewNode{Op: "Equal", Inputs: []string{selector, at}, Outputs: []string{at + "/is"}},
		edit.NewNode{Op: "Where", Inputs: []string{at + "/is", to + suffix + "rounded", from},
			Outputs: []string{to}})
}

// openSwitched opens the model in an engine that computes in float32.
func openSwitched(ctx context.Context, n *network, of []int, groups int, engine backends.Engine,
	sets []*tensor.Set) (*switched, error) {
	model, err := n.choosing(of, groups)
	if err != nil {
		return nil, err
	}
	read, err := model.Inputs()
	if err != nil {
		return nil, err
	}
	s := &switched{network: n, reads: loaders.Names(read)}
	first, err := s.selecting(sets, noGroup)
	if err != nil {
		return nil, err
	}
	var parts backends.Engine
	parts, s.forget, err = backends.ForParts(ctx, engine, n.model, fixtures.Of(sets...))
	if err != nil {
		return nil, err
	}
	s.backend, err = parts.Open(ctx, model, fixtures.Of(first...))
	if err != nil {
		s.forget()
		return nil, fmt.Errorf("rounding one node at a time: %w", err)
	}
	return s, nil
}

// run runs the model on the given sets of inputs. It rounds only the constants and outputs of one
// group of compute nodes. group is the number of this group; for other numbers, see [switched] and
// [selector].
func (s *switched) run(ctx context.Context, sets []*tensor.Set, group int) ([]*tensor.Set, error) {
	sets, err := s.selecting(sets, group)
	if err != nil {
		return nil, err
	}
	run, err := s.backend.Run(ctx, fixtures.Of(sets...))
	if err != nil {
		return nil, fmt.Errorf("rounding one node at a time: %w", err)
	}
	return run.Outputs(), nil
}

func (s *switched) Close() error {
	s.forget()
	return s.backend.Close()
}

// selecting reduces the sets of inputs to the inputs that the model reads. To each set, it adds the
// input that selects the group to round.
func (s *switched) selecting(inputs []*tensor.Set, group int) (list []*tensor.Set, err error) {
	list = make([]*tensor.Set, len(inputs))
	for i, set := range inputs {
		if list[i], err = sets.With(set.Only(s.reads...), map[string]*tensor.Tensor{
			selector: tensor.Scalar(int64(group))}); err != nil {
			return nil, err
		}
	}
	return list, nil
}
