package conformance_test

import (
	"context"
	"testing"

	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
)

// The same cases on OpenVINO. It computes what it has operators for; this test is about that
// no case gives wrong numbers unnoticed.
func TestNodeCasesOnOpenVINO(t *testing.T) {
	engine := nodeCases{test: "TestNodeCasesOnOpenVINO", title: "OpenVINO", file: "openvino",
		check: testCase.checkOpenVINO}
	if engine.serves(t) {
		return
	}
	openvino.Require(t)
	engine.hold(t)
}

// checkOpenVINO runs a case on OpenVINO and says how far it got, and why no further.
func (c testCase) checkOpenVINO(ctx context.Context) outcome {
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
	backend, err := openvino.Engine().Open(ctx, model, fed)
	if err != nil {
		return outcome{Stage: load, Why: err.Error()}
	}
	defer backend.Close()
	actual, err := backend.Run(ctx, fed)
	if err != nil {
		return outcome{Stage: run, Why: err.Error()}
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
