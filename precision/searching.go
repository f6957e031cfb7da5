package precision

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/guesses"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

// ranked is the maximum number of iterations used to rank nodes. Using more would take long,
// because each node is measured on each iteration. The result is verified on all iterations.
const ranked = 4

// trials is the number of sets of nodes that a search can always try, whatever the measurements
// cost.
const trials = 13

// spare is the number of runs that a search may take in addition to one per node.
const spare = 10

// begin runs the reference and analyses the model. If err is nil, the caller must call done after
// the search.
func (r Repair) begin(ctx context.Context, subject backends.Subject) (w *searching, done func(),
	err error) {
	if !r.Format.everywhere() {
		return nil, nil, fmt.Errorf("the format %q cannot be searched node by node: expected "+
			"precision.FP16 or precision.BF16", r.Format)
	}
	ctx = guesses.Context(ctx, subject.Inputs.Notes())
	s, err := open(ctx, subject, r.Format)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			s.forget()
		}
	}()
	w = &searching{Repair: r, opened: s, subject: subject, few: len(s.inputs) < fewInputs}
	if w.state, err = openState(r.State, w); err != nil { // before anything runs
		return nil, nil, err
	}
	if err := errors.Join(noise.Float32(ctx, s.engine), r.fitting(s.inputs),
		noise.Repeats(ctx, s.engine, s.model, fixtures.Of(s.inputs...))); err != nil {
		return nil, nil, err
	}
	if r.Engine != nil {
		forget := s.forget
		shared, forgetBuilds, err := sharing(ctx, r.Engine, s.model, fixtures.Of(s.inputs...))
		if err != nil {
			return nil, nil, err
		}
		w.shared, s.forget = shared, func() { forgetBuilds(); forget() }
	}
	if err := w.prepare(ctx); err != nil || r.Engine == nil {
		return w, s.forget, err
	}
	w.network.told, err = w.shared.NodeLayers(ctx, w.model)
	return w, s.forget, err
}

// sharing returns capabilities like the engine's, whose builds share timing measurements until the
// caller calls forget. If the engine cannot share them, sharing returns the engine's own
// capabilities.
func sharing(ctx context.Context, engine backends.Engine, model fixtures.Declaration,
	inputs fixtures.Inputs) (shared backends.Capabilities, forget func(), err error) {
	parts, forget, err := backends.ForParts(ctx, engine, model, inputs)
	if err != nil {
		return shared, nil, err
	}
	if shared = backends.CapabilitiesOf(parts); shared.Raise == nil {
		shared = backends.CapabilitiesOf(engine)
	}
	return shared, forget, nil
}

// fitting returns an error if there are expected outputs, but the number of their sets differs from
// the number of sets of inputs.
func (r Repair) fitting(inputs []*tensor.Set) error {
	if r.Expected != nil && len(r.Expected) != len(inputs) {
		return fmt.Errorf("the expected outputs have %d iterations, but the inputs have %d: pass the "+
			"inputs that produced these outputs", len(r.Expected), len(inputs))
	}
	return nil
}

// searching is the state of one search for a set of nodes to keep in float32. A set of nodes is a
// slice of bools, indexed by compute node. All other compute nodes compute in the lower precision
// ([Repair.Format]).
type searching struct {
	Repair
	*opened
	subject backends.Subject
	// plain is the engine to run rounded models in, at an optimisation level that preserves their
	// roundings.
	plain     backends.Engine
	network   *network
	names     []string // names of the outputs
	expected  []*tensor.Set
	why       map[int]Why
	stored    []float64 // by compute node: the error of storing its outputs
	own       [][]float64
	predicted *prediction
	tried     map[string]*trial // by key
	state     *state
	runs      int
	most      int  // number of runs after which the search for a first set of nodes ends
	guided    int  // number of runs until the first set of nodes was found
	thorough  bool // a set of nodes is found, so the number of runs is no longer limited
	few       bool // there are few inputs, so a set of nodes must pass with a margin
	grown     int  // how often inputs were added
	refused   bool // the engine rejects the model to deploy

	shared  backends.Capabilities // Engine's; its builds share timing measurements
	builds  int
	judging time.Duration
}

func (w *searching) say(format string, args ...any) {
	if w.Progress != nil {
		w.Progress(fmt.Sprintf(format, args...))
	}
}

// prepare runs the reference and measures the model's inner tensors.
func (w *searching) prepare(ctx context.Context) error {
	run, err := backends.RunIn(ctx, w.engine, w.model, fixtures.Of(w.inputs...))
	if err != nil {
		return err
	}
	w.runs++
	if w.expected = w.Expected; w.expected == nil {
		w.expected = run.Outputs()
	}
	hint := "; an output is NaN or infinite: use inputs for which all outputs are finite"
	if w.Expected != nil {
		hint = "; the expected outputs may be of a different model or different inputs, or the rule " +
			"may be tighter than float32's own error"
	}
	if err := w.holds(run.Outputs(), "even in float32, the model does not pass", hint); err != nil {
		return err
	}
	inside, err := lookInside(ctx, w.engine, w.model, w.format, w.ranking())
	if err != nil {
		return err
	}
	w.runs += inside.runs
	if w.network, err = newNetwork(w.model, w.format, inside); err != nil {
		return err
	}
	if w.plain = w.engine; w.network.crosses {
		w.plain = lowest(w.engine)
	}
	w.names = loaders.Names(w.network.outputs)
	w.why = w.network.ranges()
	for _, i := range w.network.steps {
		stored := 0.0
		for _, name := range w.network.nodes[i].makes {
			stored = max(stored, inside.stored[name])
		}
		w.stored = append(w.stored, stored)
	}
	if w.most = w.network.floating() + spare; len(w.network.steps) == 0 {
		return fmt.Errorf("%s has no node to lower from float32 to %s (nodes of other types or "+
			"domains, bodies of If, Loop and Scan, and functions stay as they are)", w.model.Name(),
			w.format)
	}
	return nil
}

// holds returns an error if the given float32 outputs fail the rule. The error says what is wrong,
// and ends with the hint.
func (w *searching) holds(outputs []*tensor.Set, wrong, hint string) error {
	report, err := compare.Runs(outputs, w.expected[:len(outputs)], w.Rule)
	if err != nil || report.Verdict == compare.Pass {
		return err
	}
	return fmt.Errorf("%w: %s in the engine %v: %s", ErrBeyond, wrong, w.engine, report.Reason+hint)
}

// ranking returns the iterations used to rank nodes.
func (w *searching) ranking() []*tensor.Set { return w.inputs[:min(ranked, len(w.inputs))] }

// measure measures the errors of the outputs with one group of nodes rounded at a time, and then
// with only the inputs rounded.
func (w *searching) measure(ctx context.Context) (err error) {
	sets := w.ranking()
	var s *switched
	defer func() {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	wanted := w.network.floating() + spare - w.runs - 2 - w.reserved(len(w.network.steps)) - trials
	of, groups := w.network.group(wanted)
	count := groups + 1
	var exact []*tensor.Set
	for j := noGroup; j < count; j++ {
		if errors, ok := w.known(j); ok {
			w.runs++
			w.own = append(w.own, errors)
			continue
		}
		if s == nil {
			if s, err = openSwitched(ctx, w.network, of, groups, w.plain, sets); err != nil {
				return err
			}
			if exact, err = s.run(ctx, sets, noGroup); err != nil {
				return err
			}
		}
		if j == noGroup {
			w.runs++
			// All nodes of the model with rounding nodes that are switched off ([switched]) compute in
			// float32, but the engine fuses fewer of them, so it adds sums in a different order.
			err = w.holds(exact, "the tolerance is tighter than float32's own error: if fewer nodes are "+
				"fused, the float32 model does not pass", "")
			if err != nil {
				return err
			}
			w.own = append(w.own, nil)
			w.state.Measured[noGroup] = nil
			continue
		}
		outputs, err := s.run(ctx, sets, j)
		if err != nil {
			return err
		}
		w.runs++
		errors, err := deviations(w.names, outputs, exact)
		if err != nil {
			return err
		}
		w.own = append(w.own, errors)
		if err := w.state.measured(j, errors); err != nil {
			return err
		}
		w.say("measured %d of %d", j+1, count)
	}
	w.own = w.network.split(w.own[1:], of, w.stored)
	w.predicted = w.network.predict(w.own, w.stored)
	return nil
}
