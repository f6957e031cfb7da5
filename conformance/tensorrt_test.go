package conformance_test

import (
	"context"
	"errors"
	"testing"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/loaders"
)

// Further stages, beside those of ONNX Runtime.
const (
	parser stage = "parser" // the ONNX parser refuses the model
	build  stage = "build"  // the builder gives no engine
)

// The same cases on TensorRT. It supports a part of ONNX, and says so in its parser; what this
// test is about is that no case gives wrong numbers unnoticed.
func TestNodeCasesOnTensorRT(t *testing.T) {
	engine := nodeCases{test: "TestNodeCasesOnTensorRT", title: "TensorRT", file: "tensorrt",
		check: testCase.checkTensorRT}
	if engine.serves(t) {
		return
	}
	trt.Require(t)
	engine.hold(t)
}

// checkTensorRT runs a case on TensorRT and says how far it got, and why no further.
func (c testCase) checkTensorRT(ctx context.Context) outcome {
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
	engine, err := trt.New(ctx, model, fed, trt.NoEngineCache(), trt.OptimizationLevel(0))
	if refused := (*trtabi.ParserError)(nil); errors.As(err, &refused) {
		return outcome{Stage: parser, Why: err.Error()}
	}
	if err != nil {
		return outcome{Stage: build, Why: err.Error()}
	}
	defer engine.Close()
	actual, err := engine.Run(ctx, fed)
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
