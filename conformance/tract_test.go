package conformance_test

import (
	"context"
	"errors"
	"testing"

	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
)

// The same cases on tract. It needs to know beforehand what many cases give it as an input: axes,
// shapes, sizes.
func TestNodeCasesOnTract(t *testing.T) {
	engine := nodeCases{test: "TestNodeCasesOnTract", title: "tract", file: "tract",
		check: testCase.checkTract}
	if engine.serves(t) {
		return
	}
	tract.Require(t)
	engine.hold(t)
}

// checkTract runs a case on tract and says how far it got, and why no further.
func (c testCase) checkTract(ctx context.Context) outcome {
	model := loaders.ONNXBytes(c.name, c.files["model.onnx"])
	inputs, err := c.values("input", model.Inputs)
	if err != nil {
		return outcome{Stage: broken, Why: err.Error()}
	}
	expected, err := c.values("output", model.Outputs)
	if err != nil {
		return outcome{Stage: broken, Why: err.Error()}
	}
	fed := fixtures.Of(inputs)
	backend, err := tract.Engine().Open(ctx, model, fed)
	if err != nil {
		return outcome{Stage: load, Why: tractsReason(err)}
	}
	defer backend.Close()
	actual, err := backend.Run(ctx, fed)
	if err != nil {
		return outcome{Stage: run, Why: tractsReason(err)}
	}
	o := outcome{Stage: passes, Version: actual.Provenance.Version}
	matcher := tolerances(expected).Of(expected)
	matched, err := matcher.Match(actual)
	switch {
	case err != nil:
		o.Stage, o.Why = mismatch, err.Error()
	case !matched:
		o.Stage, o.Why = mismatch, matcher.FailureMessage(actual)
	}
	return o
}

// tractsReason is what a refusal means, where that is known, and otherwise tract's words.
func tractsReason(err error) string {
	var refused *tract.Error
	switch {
	case !errors.As(err, &refused):
		return err.Error()
	case refused.Reason == tract.NeedsConstant:
		return refused.Meaning + ": " + refused.Answer
	case refused.Meaning != "":
		return refused.Meaning
	}
	return refused.Answer
}
