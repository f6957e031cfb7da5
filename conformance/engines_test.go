package conformance_test

import (
	"context"
	"errors"
	"testing"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/tract"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// These stages are additional to ONNX Runtime's.
const (
	parser stage = "parser" // TensorRT's ONNX parser rejects the model
	build  stage = "build"  // TensorRT's builder fails
)

// nodeEngine is an engine for the node cases.
type nodeEngine struct {
	name   string // testdata/<name>-<version>.tsv lists the failing cases
	title  string
	engine backends.Engine
	// refused derives the stage and reason from an error; nil uses the error's text.
	refused func(at stage, err error) (stage, string)
}

var (
	onORT      = nodeEngine{name: "ort", title: "ONNX Runtime", engine: ort.Engine()}
	onOpenVINO = nodeEngine{name: "openvino", title: "OpenVINO", engine: openvino.Engine()}
	onTract    = nodeEngine{name: "tract", title: "tract", refused: tractsReason,
		engine: tract.Engine()}
	onTensorRT = nodeEngine{name: "tensorrt", title: "TensorRT", refused: tensorRTsStage,
		engine: trt.Engine(trt.NoEngineCache(), trt.OptimizationLevel(0))}
)

// Every engine supports part of ONNX and reports the rest as unsupported. These tests ensure that
// no case gives wrong numbers unnoticed.
func TestNodeCasesOnOpenVINO(t *testing.T) {
	if !serves(t, onOpenVINO.check) {
		openvino.Require(t)
		onOpenVINO.hold(t)
	}
}

func TestNodeCasesOnTract(t *testing.T) {
	if !serves(t, onTract.check) {
		tract.Require(t)
		onTract.hold(t)
	}
}

func TestNodeCasesOnTensorRT(t *testing.T) {
	if !serves(t, onTensorRT.check) {
		trt.Require(t)
		onTensorRT.hold(t)
	}
}

// run runs a case on an engine. Without a run, the outcome has the stage and the reason.
func (on nodeEngine) run(ctx context.Context, c testCase) (*backends.Run, outcome) {
	model := loaders.ONNXBytes(c.name, c.files["model.onnx"])
	inputs, err := c.values("input", model.Inputs)
	if err != nil {
		return nil, outcome{Stage: broken, Why: err.Error()}
	}
	fed := fixtures.Of(inputs)
	backend, err := on.engine.Open(ctx, model, fed)
	if err != nil {
		return nil, on.refusal(load, err)
	}
	defer backend.Close()
	result, err := backend.Run(ctx, fed)
	if err != nil {
		return nil, on.refusal(run, err)
	}
	return result, outcome{Version: result.Provenance.Version}
}

func (on nodeEngine) refusal(at stage, err error) outcome {
	if on.refused == nil {
		return outcome{Stage: at, Why: err.Error()}
	}
	at, why := on.refused(at, err)
	return outcome{Stage: at, Why: why}
}

// check runs a case on an engine and returns its outcome.
func (on nodeEngine) check(ctx context.Context, c testCase) outcome {
	expected, err := c.expected()
	if err != nil {
		return outcome{Stage: broken, Why: err.Error()}
	}
	actual, o := on.run(ctx, c)
	if actual == nil {
		return o
	}
	o.Stage = passes
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

// expected returns ONNX's outputs for the case.
func (c testCase) expected() (*tensor.Set, error) {
	return c.values("output", loaders.ONNXBytes(c.name, c.files["model.onnx"]).Outputs)
}

// tractsReason returns the known meaning of a rejection, or tract's own text.
func tractsReason(at stage, err error) (stage, string) {
	var refused *backends.Refusal
	switch {
	case !errors.As(err, &refused):
		return at, err.Error()
	case refused.Reason == backends.NeedsConstant:
		return at, refused.Meaning + ": " + refused.Answer
	case refused.Meaning != "":
		return at, refused.Meaning
	}
	return at, refused.Answer
}

// tensorRTsStage distinguishes rejections by the parser from those by the builder.
func tensorRTsStage(at stage, err error) (stage, string) {
	if refused := (*trtabi.ParserError)(nil); errors.As(err, &refused) {
		at = parser
	} else if at == load {
		at = build
	}
	return at, err.Error()
}
