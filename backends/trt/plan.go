package trt

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/loaders"
)

type planFile struct {
	path string
	list option.List[settings]
}

// Plan returns the engine in a plan file. The plan itself declares the inputs. The plan must have
// been built by the installed version of TensorRT on a GPU of the same kind. A version-compatible
// plan needs [VersionCompatible]; loading such a plan runs code from the file. Build options cannot
// be applied to a plan: opening the plan returns an error that names these options.
func Plan(path string, options ...Option) backends.ModelEngine {
	return planFile{path: path, list: plans.List(options...)}
}

// Open loads the plan. model is the plan itself or the ONNX model from which the plan was built. An
// ONNX model must declare every input of the plan. The weights of the ONNX model are used only if
// the plan was built without weights ([StripPlan]).
func (p planFile) Open(_ context.Context, model fixtures.Declaration, _ fixtures.Inputs) (
	backends.Backend, error) {
	s, err := p.list.Settings()
	if err != nil {
		return nil, err
	}
	var of *loaders.Model
	if plan, same := model.(planFile); !same {
		if of, err = backends.ONNX("a TensorRT plan", model); err != nil {
			return nil, err
		}
	} else if plan.path != p.path {
		return nil, fmt.Errorf("tensorrt: the engine is plan %s, so it cannot run plan %s", p.Name(),
			plan.Name())
	}
	b, err := load(p.path, s, backends.Subject{Engine: p, Model: model}, of)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Run loads the plan, runs it once over the inputs, and closes it.
func (p planFile) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	return backends.RunIn(ctx, p, p, inputs)
}

// parts returns an error: the plan contains one engine that is already built, so it cannot run
// parts of a model.
func (p planFile) parts(context.Context, fixtures.Declaration, fixtures.Inputs) (
	backends.Engine, func(), error) {
	return nil, func() {}, fmt.Errorf("tensorrt: %s is already built, so it cannot run a part of "+
		"its model: build an engine from the ONNX model with the same options as %[1]s", p.Name())
}

// Name returns the file's base name.
func (p planFile) Name() string { return filepath.Base(p.path) }

// Path returns the path of the plan file.
func (p planFile) Path() string { return p.path }

// Format says in messages what kind of file this is.
func (p planFile) Format() string { return "a TensorRT engine" }

// Inputs returns the plan's inputs. Inputs loads the plan to find them, which takes milliseconds.
func (p planFile) Inputs() ([]loaders.Value, error) {
	s, err := p.list.Settings()
	if err != nil {
		return nil, err
	}
	b, err := load(p.path, s, backends.Subject{}, nil)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return b.inputs(), nil
}

// Text returns the text that identifies the engine; see [backends.Engine].
func (p planFile) Text() string { return p.list.TextOf("trt plan", p.path) }

// String describes the engine in readable form: "tensorrt plan net.plan Device(1)".
func (p planFile) String() string { return p.list.StringOf("tensorrt plan " + p.Name()) }

// GoString returns the engine as Go source: trt.Plan("net.plan", trt.Device(1)).
func (p planFile) GoString() string { return p.list.Call("Plan", strconv.Quote(p.path)) }
