package locate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/guesses"
	"github.com/modelparity/modelparity/internal/passing"
	"github.com/modelparity/modelparity/internal/speccode"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
)

// ErrNotFused is wrapped by the error of [Fence] if the outputs differ even when the engine is
// prevented from fusing nodes.
var ErrNotFused = errors.New("preventing fusion does not make the outputs agree")

// Fenced says which fusions of nodes make an engine's outputs differ, and how to prevent them.
type Fenced struct {
	Fused
	// Engine is the actual side's engine without Fused.Passes. It is nil if there are no passes to
	// leave out.
	Engine backends.Engine
	// Model is the model with Fused.Fences as additional outputs.
	Model *loaders.Model

	actual, expected backends.Subject
	inputs           fixtures.Inputs
	outputs          []string
	rule             compare.Options
}

// Fence finds out how to make outputs agree by preventing fusion. It makes two independent
// searches:
//
//   - The first finds the fewest passes of the actual side's optimiser that must be disabled for
//     the outputs to agree.
//   - The second finds the fewest tensors that must become additional outputs of the model (fences)
//     for the original outputs to agree.
//
// Both lists are empty if the outputs agree already. Fence returns [ErrNotFused] if neither search
// succeeds. Both subjects must have the same model.
func Fence(ctx context.Context, actual, expected backends.Subject, o Options) (*Fenced, error) {
	ctx, cancel := inTime(ctx)
	defer cancel()
	ctx = guesses.Context(passing.Context(ctx), actual.Inputs.Notes())
	w, err := newRunner(ctx, actual, expected, o)
	if err != nil {
		return nil, err
	}
	defer w.close()
	w.progress.doing("running the original models", 0)
	whole, err := runWhole(ctx, w)
	if err != nil {
		return nil, err
	}
	found := &Fenced{Model: w.actual.model, actual: actual, expected: expected,
		inputs: w.actual.inputs, outputs: loaders.Names(w.actual.ends), rule: o.Compare}
	if whole.nonFinite {
		return nil, errors.New("locate: the outputs differ only in NaN or infinities; to accept them, " +
			"set NaNEqual and InfinitiesEqual")
	}
	if whole.verdict == compare.Pass {
		return found, nil
	}
	found.rule.NaNEqual, found.rule.InfinitiesEqual = whole.rule.NaNEqual, whole.rule.InfinitiesEqual
	w.progress.doing("searching the fused graph", 0)
	f := newFusing(w, &whole, w.actual, whole.outputs[1])
	passes, err := f.passes(ctx)
	if err != nil {
		return nil, err
	}
	marks, err := f.fences(ctx)
	if err != nil {
		return nil, err
	}
	found.Fused = *f.found
	if passes {
		found.Engine = backends.CapabilitiesOf(actual.Engine).WithoutPasses(f.found.Passes)
	}
	if marks {
		found.Model, err = Mark(ctx, actual, f.found.Fences...)
	}
	if !passes && !marks {
		err = fmt.Errorf("locate: %s: %w with the outputs of %v, neither by disabling optimiser passes "+
			"nor by additional outputs; to find the node that differs, run modelparity locate",
			w.actual.name(), ErrNotFused, w.expected.Engine)
	}
	return found, err
}

// Text formats the result for people. It ends with a newline.
func (f *Fenced) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %v: ", f.actual.Model.Name(), f.actual.Engine)
	if len(f.Passes)+len(f.Fences) == 0 {
		return b.String() + "the outputs agree, so no fusion needs to be prevented\n"
	}
	fmt.Fprintf(&b, "%s\nfound in %d sessions\n", f.Fused.text(), f.Sessions)
	if f.Engine != nil {
		fmt.Fprintf(&b, "\nthe engine without these optimiser passes:\n  %#v\n", f.Engine)
	}
	if len(f.Fences) > 0 {
		fmt.Fprintf(&b, "\nmarking these tensors as outputs makes the original outputs agree: %s\n",
			strings.Join(quotedAll(f.Fences), ", "))
	} else {
		b.WriteString("\nmarking tensors as outputs does not make the original outputs agree\n")
	}
	return b.String()
}

func fenceSpec(file string) string { return strings.TrimSuffix(file, ".onnx") + "_test.go" }

// Save writes a Go test to <file without .onnx>_test.go and its inputs to <file>.inputs.json.
// original is the original model's path. Save returns the paths of the written files.
//
// The test's reference is a run of the original model in the expected side's engine. What the test
// compares with the reference depends on what the search found:
//
//   - If it found fences (see [Fence]), the test runs f.Model in the actual side's engine. Save
//     also writes f.Model to file.
//   - If it found optimiser passes to disable, the test runs the original model in f.Engine.
//   - If it found both, the test makes both runs. If it found neither, Save writes no files.
func (f *Fenced) Save(file, original string) ([]string, error) {
	s := speccode.Spec{File: fenceSpec(file), Original: original, Inputs: inputsFile(file),
		Reference: f.expected.Engine, About: fmt.Sprintf("Runs %s without the fusions that change "+
			"its outputs, and compares it with a run in %v.",
			f.actual.Model.Name(), f.expected.Engine),
		Rule: compare.Options{Checks: f.rule.Checks, PerOutput: f.rule.PerOutput,
			NaNEqual: f.rule.NaNEqual, InfinitiesEqual: f.rule.InfinitiesEqual}}
	if len(f.Fences) > 0 {
		s.Sides = append(s.Sides, speccode.Side{Test: "Fenced", Engine: f.actual.Engine, Model: file,
			Only: f.outputs})
	}
	if f.Engine != nil {
		s.Sides = append(s.Sides, speccode.Side{Test: "WithoutPasses", Engine: f.Engine,
			Model: original})
	}
	if len(s.Sides) == 0 {
		return nil, nil
	}
	source, err := s.Source()
	if err != nil {
		return nil, fmt.Errorf("locate: spec: %w", err)
	}
	if err := wholefile.Beside(file, file+".data", inputsFile(file), fenceSpec(file)); err != nil {
		return nil, fmt.Errorf("locate: %w", err)
	}
	written := []string{inputsFile(file), fenceSpec(file)}
	if len(f.Fences) > 0 {
		if err := f.Model.Save(file); err != nil {
			return nil, err
		}
		written = append([]string{file}, written...)
	}
	if err := fixtures.Save(inputsFile(file), f.inputs); err != nil {
		return nil, fmt.Errorf("locate: %w", err)
	}
	if err := wholefile.WriteBytes(fenceSpec(file), source); err != nil {
		return nil, fmt.Errorf("locate: spec of %s: %w", file, err)
	}
	return written, nil
}
