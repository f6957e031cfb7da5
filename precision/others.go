package precision

import (
	"context"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
)

// Others judges the sets that other methods choose for the same model, inputs and rule, in the same
// way as a [Repair] without an Engine. It shows how [Repair] compares with these methods.
type Others struct {
	repaired *Repaired
	judged   map[string]bool
}

// Other is the result of another method.
type Other struct {
	// Found reports whether the method found a passing set.
	Found bool
	// Computing is the number of computing nodes in the set. It is comparable to
	// [Repaired.Computing], although other methods also keep data movement.
	Computing int
	// Runs is the number of sets that were judged.
	Runs int
}

// NewOthers returns an Others that compares other methods with r.
func NewOthers(r *Repaired) *Others { return &Others{r, map[string]bool{}} }

// Bisection applies Polygraphy's `debug precision` ([Marker]); the layers are the model's nodes
// except Constants.
func (o *Others) Bisection(ctx context.Context, mode Mode, direction Direction) (Other, error) {
	n := o.repaired.network
	layers := n.layers()
	m, err := NewMarker(mode, direction, len(layers))
	if err != nil {
		return Other{}, err
	}
	var least []bool
	err = m.Run(ctx, func(ctx context.Context, from, to int) (bool, error) {
		kept := n.among(from, to)
		passes, err := o.passes(ctx, kept)
		if passes {
			least = kept
		}
		return passes, err
	})
	if err != nil {
		return Other{}, err
	}
	other := Other{Runs: m.Steps()}
	if _, other.Found = m.Found(); other.Found {
		other.Computing = size(least)
	}
	return other, nil
}

// layers lists the nodes except Constants, in the order of `debug precision`.
func (n *network) layers() (list []int) {
	for i := range n.nodes {
		if n.nodes[i].Op != "Constant" || n.nodes[i].Domain != "" {
			list = append(list, i)
		}
	}
	return list
}

// among marks the computing nodes among the layers in [from,to).
func (n *network) among(from, to int) []bool {
	marked := keep{}
	for _, i := range n.layers()[from:to] {
		marked[i] = true
	}
	kept := make([]bool, len(n.steps))
	for j, i := range n.steps {
		kept[j] = marked[i]
	}
	return kept
}

// bisection starts a bisection over the layers.
func (n *network) bisection(direction Direction) (*Marker, error) {
	return NewMarker(Bisect, direction, len(n.layers()))
}

// Range keeps the nodes that a range rule selects without looking at the outputs: nodes with a
// constant that overflows, and nodes with inputs or outputs of a magnitude above most. NVIDIA's
// AutoCast uses such a rule with 512 (modelopt.onnx.autocast, --data_max).
func (o *Others) Range(ctx context.Context, most float64) (Other, error) {
	n := o.repaired.network
	kept := make([]bool, len(n.steps))
	for j, i := range n.steps {
		l := &n.nodes[i]
		for _, name := range l.takes {
			w, constant := n.weights[name]
			kept[j] = kept[j] || n.format.beyond(w.greatest) || !constant && n.greatest(name) > most
		}
		for _, name := range l.makes {
			kept[j] = kept[j] || n.greatest(name) > most
		}
	}
	passes, err := o.passes(ctx, kept)
	return Other{Found: passes, Computing: size(kept), Runs: 1}, err
}

// Keeping reports whether a set of nodes, given by their indices in graph order, passes.
func (o *Others) Keeping(ctx context.Context, nodes ...int) (bool, error) {
	n := o.repaired.network
	kept := make([]bool, len(n.steps))
	for j, i := range n.steps {
		kept[j] = slices.Contains(nodes, i)
	}
	return o.passes(ctx, kept)
}

// Candidates lists the computing nodes by their indices in graph order. All sets are subsets of
// these nodes.
func (o *Others) Candidates() []int { return slices.Clone(o.repaired.network.steps) }

// passes judges a set, or returns its known result.
func (o *Others) passes(ctx context.Context, kept []bool) (bool, error) {
	if passes, known := o.judged[key(kept)]; known {
		return passes, nil
	}
	n := o.repaired.network
	model, err := n.rounded(n.keep(kept))
	if err != nil {
		return false, err
	}
	passes, err := o.judge(ctx, model)
	if err == nil && passes && o.repaired.delivers {
		delivered, wrong := n.delivered(n.keep(kept))
		if wrong != nil {
			return false, wrong
		}
		passes, err = o.judgeIn(ctx, o.repaired.subject.Engine, delivered)
	}
	if err == nil {
		o.judged[key(kept)] = passes
	}
	return passes, err
}

// judge runs a model in the subject's engine and applies the rule.
func (o *Others) judge(ctx context.Context, model *loaders.Model) (bool, error) {
	return o.judgeIn(ctx, o.repaired.plain, model)
}

func (o *Others) judgeIn(ctx context.Context, engine backends.Engine, model *loaders.Model) (bool,
	error) {
	run, err := backends.RunIn(ctx, engine, model, fixtures.Of(o.repaired.inputs...))
	if err != nil {
		return false, err
	}
	report, err := compare.Runs(run.Outputs(), o.repaired.expected, o.repaired.rule)
	return report.Verdict == compare.Pass, err
}
