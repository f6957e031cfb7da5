package locate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/guesses"
	"github.com/modelparity/modelparity/internal/passing"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/tensor"
)

// Divergence finds where two runs diverge, by running their models again. actual and expected are
// the subjects of the runs: the model, engine and inputs of each ([backends.Run.Subject]).
// Divergence compares the tensors that both models have, in the actual model's graph order, with
// the checks in the options:
//
//   - cumulatively: each side computes from its own earlier tensors, as in a normal run;
//   - alone, if Options.Isolate is set: each node of the actual model runs on the expected side's
//     values. Nodes run together if the expected model lacks the tensors between them.
//
// Divergence reads tensors directly from engines that support it ([backends.Capabilities]). For
// other engines it adds the tensors to the model's outputs; the verdict on the outputs nevertheless
// comes from the unchanged models. Batches keep memory use within Options.Memory. Parts of models
// run in engines adapted by [backends.ForParts].
//
// Both sides run on the actual side's inputs. If the expected model declares different
// floating-point types, its inputs are converted, with a note. Divergence generates or reads the
// inputs again. It is an error if they now differ from the inputs of either run, if a subject lacks
// an engine or a model (as when its run was loaded from a file), if an engine cannot run its model,
// if random numbers change the outputs from run to run (see [noise.Repeats]), or if the options are
// invalid. It is not an error if an engine cannot return a tensor; the finding then has a note.
//
// The search stops when ctx ends, and well before go test's timeout. It then returns both an error
// and the finding so far; see [Finding.Incomplete].
func Divergence(ctx context.Context, actual, expected backends.Subject, o Options) (
	*Finding, error) {
	ctx, cancel := inTime(ctx)
	defer cancel()
	ctx = guesses.Context(passing.Context(ctx), actual.Inputs.Notes())
	runs, err := newRunner(ctx, actual, expected, o)
	if err != nil {
		return nil, err
	}
	defer runs.close()
	return search(ctx, runs)
}

func search(ctx context.Context, runs *runner) (*Finding, error) {
	var s steps
	for _, step := range []struct {
		doing string
		do    func(context.Context, *runner) error
	}{
		{"running the original models", s.runWhole},
		{"pairing tensors", s.pairTensors},
		{"comparing inner tensors", s.compareInside},
		{"running nodes alone", s.settle},
		{"testing suspect nodes with the expected side's values", s.explain},
		{"computing the node in float64", s.excuse},
		{"searching for errors below the tolerance", s.beneath},
		{"searching the node's body", s.searchInside},
		{"searching the fused graph", s.searchFused},
		{"finding where non-finite values begin", s.findNonFinite},
	} {
		runs.progress.doing(step.doing, 0)
		if err := step.do(ctx, runs); err != nil {
			if ctx.Err() == nil {
				return nil, err
			}
			return s.stopped(runs, step.doing, context.Cause(ctx))
		}
	}
	return s.complete(runs)
}

// steps contains the results of all steps of a search. No step changes an earlier step's result.
type steps struct {
	whole     whole
	pairs     *pairs
	judged    *judged
	explained explained
	rounding  *Rounding
	inside    *Finding
	fused     *Fused
	nonFinite string // see findNonFinite
}

// note adds a note to the finding.
func (s *steps) note(format string, args ...any) {
	s.explained.notes = append(slices.Clip(s.explained.notes), fmt.Sprintf(format, args...))
}

// whole contains the results of running the models without additional outputs.
type whole struct {
	actual, expected string     // the sides' titles
	names            *namesakes // of outputs; nil if all names are the same
	rule             compare.Options
	measured         func(output string) judge // nil if rule has checks
	verdict          compare.Verdict
	aside            []string // describes the outputs out of tolerance that are weights
	nonFinite        bool     // verdict is Pass only because rule lets NaN and infinities be equal
	timings          []compare.Timing
	notes            []string
	provenances      [2]backends.Provenance // actual, expected
	outputs          [2][]*tensor.Set       // of the sides, under their own names
}

func (s *steps) runWhole(ctx context.Context, w *runner) (err error) {
	s.whole, err = runWhole(ctx, w)
	return err
}

// runWhole runs the models without additional outputs, and compares their outputs.
func runWhole(ctx context.Context, w *runner) (s whole, err error) {
	s = whole{actual: w.actual.name(), expected: w.expected.name(), rule: w.options.Compare}
	if s.names, s.notes = pairOutputs(w); s.names != nil {
		s.rule.Names = nil // expected outputs get their actual names
	}
	for _, note := range w.expected.Inputs.Notes() {
		s.notes = append(s.notes, "the expected side's inputs were "+note)
	}
	for i, side := range w.sides() {
		run, err := side.open(ctx)
		if err == nil {
			s.provenances[i], err = side.described(ctx, run.Provenance)
		}
		if err != nil {
			return s, err
		}
		s.outputs[i] = run.Outputs()
		var each []time.Duration
		for _, iteration := range run.Iterations() {
			each = append(each, iteration.Runtime)
		}
		if t, known := compare.TimingOf(side.label, side.Engine.GoString(), each); known {
			s.timings = append(s.timings, t)
		}
	}
	s.title(w)
	actual, given := s.outputs[0], s.names.back(s.outputs[1], nil)
	for i, outputs := range actual[:min(len(actual), len(given))] {
		for name, t := range outputs.All() {
			if other, ok := given[i].Get(name); ok {
				if note := allowTypes(&s.rule, name, t, other); note != "" {
					s.notes = append(s.notes, note)
				}
			}
		}
	}
	if w.options.Measure != nil {
		rule, how, err := w.measured(ctx, w.expected.model, w.expected.inputs)
		if err != nil {
			return s, fmt.Errorf("locate: %w", err)
		}
		s.rule.Checks, s.rule.PerOutput = []compare.Check{exact}, nil
		s.measured = func(output string) judge { return rule(s.names.called(output)) }
		s.notes = append(s.notes, "tensors are judged by the "+how)
	}
	var wrong []string
	if s.verdict, wrong, err = compareOutputs(s.rule, s.measured, actual, given); err != nil {
		return s, fmt.Errorf("locate: outputs: %w", err)
	}
	made := maps.Collect(outputsOf(w.actual.nodes))
	for _, name := range wrong {
		if _, computed := made[name]; !computed && !w.fed[name] {
			text := fmt.Sprintf("the output %q, which is a weight of the model, differs", name)
			s.aside = noted(s.aside, []string{text})
		}
	}
	if s.verdict == compare.Fail { // a node that draws random numbers would look faulty
		for _, side := range w.sides() {
			model, err := side.withDropouts()
			if err == nil {
				err = noise.Repeats(ctx, side.parts, model, side.inputs)
			}
			if err != nil {
				return s, fmt.Errorf("locate: %w", err)
			}
		}
	}
	if census, err := compare.Finite(given, true); err == nil && s.verdict == compare.Fail &&
		census.Verdict == compare.Fail {
		// Inside, NaN equals NaN. If it did not in outputs, no change inside could make them agree.
		s.rule.NaNEqual, s.rule.InfinitiesEqual = true, true
		s.verdict, _, err = compareOutputs(s.rule, s.measured, actual, given)
		s.nonFinite = s.verdict == compare.Pass
		return s, err
	}
	return s, nil
}

// title names each side by its model, engine and precision. If both sides have the same model and
// engine, title adds the engines' options.
func (s *whole) title(w *runner) {
	actual, expected := s.provenances[0], s.provenances[1]
	s.actual = fmt.Sprintf("%s in %v", w.actual.model.Name(), actual)
	s.expected = fmt.Sprintf("%s in %v", w.expected.model.Name(), expected)
	if s.actual == s.expected {
		s.actual += fmt.Sprintf(", %v", w.actual.Engine)
		s.expected += fmt.Sprintf(", %v", w.expected.Engine)
	}
	s.actual += ", " + actual.Precision()
	s.expected += ", " + expected.Precision()
}
