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

// Further stages, beside those of ONNX Runtime.
const (
	parser stage = "parser" // TensorRT's ONNX parser refuses the model
	build  stage = "build"  // TensorRT's builder gives no engine
)

// nodeEngine is an engine that runs the node cases.
type nodeEngine struct {
	name   string // testdata/<name>-<version>.tsv lists the cases that do not pass
	title  string
	engine backends.Engine
	// refused says how far an error got, and why no further; nil for the error's own words.
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

// Every engine supports a part of ONNX and says so of the rest. What these tests are about is that
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

// run runs a case on an engine. Where there is no run, the outcome says how far it got, and why
// no further.
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

// check runs a case on an engine, and says how far it got, and why no further.
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

// expected is what ONNX says the case gives.
func (c testCase) expected() (*tensor.Set, error) {
	return c.values("output", loaders.ONNXBytes(c.name, c.files["model.onnx"]).Outputs)
}

// tractsReason is what a refusal means, where that is known, and otherwise tract's words.
func tractsReason(at stage, err error) (stage, string) {
	var refused *tract.Error
	switch {
	case !errors.As(err, &refused):
		return at, err.Error()
	case refused.Reason == tract.NeedsConstant:
		return at, refused.Meaning + ": " + refused.Answer
	case refused.Meaning != "":
		return at, refused.Meaning
	}
	return at, refused.Answer
}

// tensorRTsStage tells the parser's refusals from the builder's.
func tensorRTsStage(at stage, err error) (stage, string) {
	if refused := (*trtabi.ParserError)(nil); errors.As(err, &refused) {
		at = parser
	} else if at == load {
		at = build
	}
	return at, err.Error()
}
