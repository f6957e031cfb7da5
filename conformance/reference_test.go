package conformance_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// onReference is ONNX's reference evaluator, run as a program.
var onReference = nodeEngine{name: "onnxreference", title: "ONNX's evaluator",
	refused: referencesStage,
	engine:  &referenceEngine{Engine: process.Engine(process.ONNXReference())}}

func TestNodeCasesOnTheReferenceEvaluator(t *testing.T) {
	if !serves(t, onReference.check) {
		process.Require(t, process.ONNXReference())
		found, err := process.Found(t.Context(), process.ONNXReference())
		if err != nil || !strings.HasPrefix(found, "onnx 1.22.0 ") {
			t.Skipf("the list is for onnx 1.22.0, which make setup-polygraphy installs: %s", found)
		}
		onReference.hold(t)
	}
}

// referenceEngine runs ONNX's reference evaluator in one program for all cases.
type referenceEngine struct {
	backends.Engine
	start   sync.Once
	program backends.Backend
	err     error
}

// Open starts the program. The model is sent to it with the inputs.
func (e *referenceEngine) Open(ctx context.Context, model fixtures.Declaration, _ fixtures.Inputs) (
	backends.Backend, error) {
	e.start.Do(func() {
		script := process.Model("testdata/node_cases.py", process.Script("testdata/node_cases.py"))
		e.program, e.err = script.Open(context.WithoutCancel(ctx), script, fixtures.Inputs{})
	})
	if e.err != nil {
		return nil, e.err
	}
	onnx, err := backends.ONNX("the evaluator", model)
	return &referenceModel{onnx, e.program}, err
}

// referenceModel is a model in the program.
type referenceModel struct {
	model   *loaders.Model
	program backends.Backend
}

func (e *referenceModel) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	data, err := e.model.Bytes()
	if err != nil {
		return nil, err
	}
	model, err := tensor.FromBytes(tensor.Uint8, tensor.Shape{len(data)}, data)
	if err != nil {
		return nil, err
	}
	var sets []*tensor.Set
	for set, err := range inputs.All() {
		if err != nil {
			return nil, err
		}
		entries := []tensor.Entry{{Name: "the model", Tensor: model}}
		for name, t := range set.All() {
			entries = append(entries, tensor.Entry{Name: name, Tensor: t})
		}
		with, err := tensor.NewSet(entries...)
		if err != nil {
			return nil, err
		}
		sets = append(sets, with)
	}
	return e.program.Run(ctx, fixtures.Of(sets...))
}

// Close leaves the program running for the next case; it ends with this process.
func (*referenceModel) Close() error { return nil }

// referencesStage distinguishes rejected models from rejected inputs and returns the program's
// reason.
func referencesStage(at stage, err error) (stage, string) {
	var refused *process.Refusal
	if !errors.As(err, &refused) {
		return at, err.Error()
	}
	if reason, ok := strings.CutPrefix(refused.Reason, "LoadError: "); ok {
		return load, reason
	}
	return at, refused.Reason
}
