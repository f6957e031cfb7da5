package locate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// reduction is the state of one search for the smallest failing part.
type reduction struct {
	failing  *side
	recorder *side
	fails    Fails
	options  ReduceOptions

	nodes    []loaders.Node
	live     []int          // indices of the nodes that depend on an input
	place    map[string]int // by tensor name: its node's index in live
	outputs  []string
	verdicts *verdicts
	tried    int
	good     [][]int                       // parts that did not fail
	ends     bool                          // return only tensors that no node in the part reads
	types    map[string]tensor.ElementType // declared types, for engines that need them
}

// prepare reads the graph. It also reads the verdicts that an earlier search has stored.
func (r *reduction) prepare() (err error) {
	r.nodes, r.outputs, r.place = r.failing.nodes, loaders.Names(r.failing.ends), map[string]int{}
	live := map[string]bool{}
	for _, v := range r.failing.starts {
		live[v.Name] = true
	}
	for i := range r.nodes {
		n := &r.nodes[i]
		if len(r.failing.starts) > 0 &&
			!slices.ContainsFunc(pairing.Reads(n), func(name string) bool { return live[name] }) {
			continue
		}
		for _, name := range n.Outputs {
			if name != "" {
				live[name] = true
				r.place[name] = len(r.live)
			}
		}
		r.live = append(r.live, i)
	}
	if len(r.live) == 0 {
		return errors.New("locate: no node depends on an input, so there is nothing to reduce")
	}
	r.verdicts, err = openVerdicts(r.options.Verdicts, r.failing, r.options.Question)
	return err
}

// part returns the inputs and the outputs of the part that consists of the nodes at the given
// places, which are indices in r.live. A tensor must be an output if it is an output of the model,
// if a node outside the part reads it, or if no node in the part reads it. If r.ends is set, only
// tensors that no node in the part reads are outputs.
func (r *reduction) part(places []int) (given, outputs []string) {
	inside := make(map[int]bool, len(places))
	for _, p := range places {
		inside[p] = true
	}
	readInside, readOutside := map[string]bool{}, map[string]bool{}
	for p, i := range r.live {
		for _, name := range pairing.Reads(&r.nodes[i]) {
			if inside[p] {
				readInside[name] = true
			} else {
				readOutside[name] = true
			}
		}
	}
	for _, p := range places {
		n := &r.nodes[r.live[p]]
		for _, name := range pairing.Reads(n) {
			at, made := r.place[name]
			if made && !inside[at] && !slices.Contains(given, name) {
				given = append(given, name)
			}
		}
		for _, name := range n.Outputs {
			more := !r.ends && (slices.Contains(r.outputs, name) || readOutside[name])
			if name != "" && (more || !readInside[name]) {
				outputs = append(outputs, name)
			}
		}
	}
	return given, outputs
}

// upstream drops the places (indices in r.live) of the nodes on which the last node does not
// depend.
func (r *reduction) upstream(places []int) []int {
	last := r.live[places[len(places)-1]]
	kept := pairing.Walk(r.nodes[last].Outputs, r.place,
		func(place int) []string { return pairing.Reads(&r.nodes[r.live[place]]) },
		func(name string) bool {
			at, made := r.place[name]
			return made && slices.Contains(places, at)
		})
	slices.Sort(kept)
	return kept
}

// candidate cuts out the part with the nodes at the given places, and records the inputs of the
// part.
func (r *reduction) candidate(ctx context.Context, places []int) (*Candidate, error) {
	names, wanted := r.part(places)
	outputs := untyped(wanted)
	for i, name := range wanted {
		if elem, known := r.types[name]; known {
			outputs[i].Kind, outputs[i].Type = loaders.Tensor, elem
		}
	}
	return r.cut(ctx, names, outputs)
}

// cut creates the part of the model that computes outputs from the named tensors. It also records
// the values of these tensors, and converts them to the types that the failing model needs.
func (r *reduction) cut(ctx context.Context, names []string, outputs []loaders.Value) (
	*Candidate, error) {
	c := &Candidate{outputs: outputs, of: r.failing.model, types: r.types}
	values, own, err := r.record(ctx, names)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		recorded := all(values, name)
		// From opset 18, nodes that read an optional accept a tensor, too.
		if recorded == nil || c.of.File().Opset() < 18 && r.isOptional(name) {
			return nil, fmt.Errorf("locate: %q is not a tensor but a sequence, a map or an optional, and a "+
				"part can begin only at tensors: name a tensor before or after it", name)
		}
		c.recorded = append(c.recorded, declared(name, recorded))
	}
	c.given = typedLike(c.recorded, own)
	if c.Model, err = c.of.Cut(c.given, outputs); err == nil && own != nil {
		values, err = backends.Subject{Inputs: fixtures.Of(values...).Cast(c.Model)}.Draw()
	}
	if err != nil {
		return nil, err
	}
	needed, err := c.Model.Inputs()
	c.Inputs = only(join(r.failing.sets, values), loaders.Names(needed))
	return c, err
}

// isOptional reports whether the named value is an optional. Engines return it as a tensor.
func (r *reduction) isOptional(name string) bool {
	return slices.ContainsFunc(r.failing.nodes, func(n loaders.Node) bool {
		return n.Op == "Optional" && slices.Contains(n.Outputs, name)
	})
}

// record computes the named tensors with the recording side's engine and returns them as values. It
// runs only the nodes that these tensors need, because other nodes may make the run fail. If the
// failing side has a different model, record also computes the tensors with the failing side's
// engine and returns them as own.
func (r *reduction) record(ctx context.Context, names []string) (values, own []*tensor.Set,
	err error) {
	if len(names) == 0 {
		return make([]*tensor.Set, len(r.failing.sets)), nil, nil
	}
	values, err = r.before(ctx, r.recorder, untyped(names))
	if ctx.Err() != nil || r.failing == r.recorder ||
		err == nil && r.failing.model == r.recorder.model {
		return values, nil, err
	}
	// An engine may need declared output types. These come from the other side's results.
	own, wrong := r.before(ctx, r.failing, untyped(names))
	if err != nil && wrong == nil {
		values, err = r.before(ctx, r.recorder, typedLike(untyped(names), own))
	}
	return values, own, err
}

// before runs the beginning of a side's model, up to the given outputs.
func (r *reduction) before(ctx context.Context, s *side, outputs []loaders.Value) (
	[]*tensor.Set, error) {
	model, err := s.model.Cut(nil, outputs)
	if err != nil {
		return nil, err
	}
	needed, err := model.Inputs()
	if err != nil {
		return nil, err
	}
	return outputSets(s.run(ctx, model, fixtures.Of(only(s.sets, loaders.Names(needed))...)))
}

// ending is an error that ends the search. Any other error means that a part cannot run, and the
// search continues.
type ending struct{ error }

func (e *ending) Unwrap() error { return e.error }

// inner is an error for the end of another error of this package: it does not repeat the package's
// name.
type inner struct{ error }

func (e inner) Error() string { return strings.TrimPrefix(e.error.Error(), "locate: ") }
func (e inner) Unwrap() error { return e.error }

// tryPart is like try, but treats a part that cannot be judged as one that passes.
func (r *reduction) tryPart(ctx context.Context, places []int) (bool, error) {
	failed, err := r.try(ctx, places)
	if ctx.Err() != nil {
		return false, fmt.Errorf("locate: %w", context.Cause(ctx))
	}
	if errors.As(err, new(*ending)) {
		return false, err
	}
	return failed && err == nil, nil
}

// try judges the part with the nodes at the given places. It reuses the verdict of an earlier
// search if there is one.
func (r *reduction) try(ctx context.Context, places []int) (failed bool, err error) {
	step := Step{Nodes: len(places)}
	key := r.verdicts.key(places)
	if r.ends {
		key += " ends"
	}
	if step.Fails, step.Kept = r.verdicts.Verdicts[key]; !step.Kept {
		if err := ctx.Err(); err != nil {
			return false, context.Cause(ctx)
		}
		c, err := r.candidate(ctx, places)
		if err == nil {
			r.tried++
			step.Fails, err = r.fails(ctx, c)
		}
		if step.Err = err; err == nil && ctx.Err() == nil {
			if err := r.verdicts.keep(key, step.Fails); err != nil {
				return false, err
			}
		}
	}
	if r.options.Progress != nil {
		r.options.Progress(step)
	}
	if step.Err == nil && !step.Fails {
		r.good = append(r.good, places)
	}
	return step.Fails, step.Err
}

// result returns the result of the search. The smallest failing part consists of the nodes at the
// given places, which are indices in r.live.
func (r *reduction) result(ctx context.Context, places []int) (*Reduced, error) {
	c, err := r.candidate(ctx, places)
	if err != nil {
		return nil, err
	}
	if err := r.complete(ctx, c); err != nil {
		return nil, err
	}
	if r.options.Outputs {
		// If the two sides have different models, the part is cut from the recording side's model.
		model, err := c.Counterpart(r.recorder.model)
		if err == nil {
			c.Outputs, err = outputSets(r.recorder.run(ctx, model, fixtures.Of(c.Inputs...).Cast(model)))
		}
		if err != nil {
			return nil, fmt.Errorf("locate: test data: cannot compute the correct outputs: %w",
				inner{err})
		}
	}
	found := &Reduced{Part: *c, Before: len(r.live), Tried: r.tried}
	for _, p := range places {
		found.Nodes = append(found.Nodes, r.nodes[r.live[p]])
	}
	if good := r.closest(len(places)); r.options.Good && good != nil {
		if found.Good, err = r.candidate(ctx, good); err == nil {
			err = r.complete(ctx, found.Good)
		}
		if err != nil {
			return nil, fmt.Errorf("locate: checking the passing part of the model: %w", inner{err})
		}
	}
	return found, nil
}

// closest chooses among the parts of the model that have passed. It returns the part whose size is
// closest to n, or nil if none has passed. Among equally close parts it returns the one that was
// tried last, because the search narrows as it proceeds.
func (r *reduction) closest(n int) (places []int) {
	off := func(part []int) int { return max(len(part)-n, n-len(part)) }
	for _, part := range r.good {
		if places == nil || off(part) <= off(places) {
			places = part
		}
	}
	return places
}
