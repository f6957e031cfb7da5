package engineflags

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/inputflags"
	"github.com/modelparity/modelparity/loaders"
)

// Each returns the model with the inputs for each engine that the flags name, or for ONNX Runtime
// if they name none. files must name one model.
func (f *Flags) Each(files []string, in *inputflags.Flags) ([]backends.Subject, error) {
	model, err := f.single(files, in)
	if onnx, is := model.(*loaders.Model); is && err == nil {
		err = onnx.Load()
	}
	if err != nil {
		return nil, err
	}
	return f.Subjects(f.Used(), model, in)
}

// single returns the only model that files names. It also checks the flags, with ONNX Runtime as
// the default engine.
func (f *Flags) single(files []string, in *inputflags.Flags) (fixtures.Declaration, error) {
	if len(files) != 1 {
		return nil, arguments.Wanted("the command takes one model", files)
	}
	if err := errors.Join(f.Check(onnxrt), in.Check()); err != nil {
		return nil, err
	}
	return f.Model(files[0])
}

// Subjects returns a subject for each runner, all with the same model and inputs.
func (f *Flags) Subjects(runners []string, model fixtures.Declaration, in *inputflags.Flags) (
	subjects []backends.Subject, err error) {
	inputs := f.Inputs(in, model)
	for _, runner := range runners {
		s, err := f.Subject(runner, model, inputs, in.Shapes())
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, s)
	}
	return subjects, nil
}

// OneOrTwo returns [Flags.Only] if there are at most one model and one engine, and [Flags.Sides]
// otherwise.
func (f *Flags) OneOrTwo(files []string, in *inputflags.Flags) ([]backends.Subject, error) {
	if len(files) == 1 && len(f.runners) < 2 && len(f.expected) == 0 {
		only, err := f.Only(files, in)
		return []backends.Subject{only}, err
	}
	actual, expected, err := f.Sides(files, in)
	return []backends.Subject{actual, expected}, err
}

// Builds reports whether [Flags.Lowering] may build a TensorRT engine: TensorRT is named, or no
// engine is named.
func (f *Flags) Builds() bool {
	return len(f.runners) == 0 || slices.Contains(f.runners, trtRunner)
}

// Lowering is like [Flags.Each], but has a default: if no flag names an engine, Lowering sets
// the flag in preset, such as --trt. flags lists the flags for lower precisions, such as --fp16.
// TensorRT may use several precisions; for other engines, the model is rounded to a single one.
func (f *Flags) Lowering(files []string, preset string, flags []string, in *inputflags.Flags) (
	[]backends.Subject, error) {
	if len(f.runners) == 0 {
		if err := f.Set(preset); err != nil {
			return nil, err
		}
	}
	tensorrt := slices.Contains(f.runners, trtRunner)
	if !tensorrt && len(flags) > 1 {
		return nil, fmt.Errorf("a model can be rounded to only one precision, got %s",
			strings.Join(flags, " "))
	}
	for _, flag := range flags {
		if tensorrt {
			if err := f.Set(flag); err != nil {
				return nil, err
			}
		}
	}
	return f.Each(files, in)
}
