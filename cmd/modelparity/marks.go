package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/internal/wildcard"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// markFlags say which tensors of an ONNX graph are compared.
var markFlags = []flag{
	arguments.Spelled("--onnx-outputs TENSOR ...", func(r *request, words []string) error {
		if strings.Join(words, " ") == "mark all" {
			words = []string{"*"}
		}
		r.marks.Names = append(r.marks.Names, words...)
		return nil
	}),
	arguments.Spelled("--onnx-exclude-outputs, --exclude-outputs TENSOR ...",
		arguments.Texts(func(r *request) *[]string { return &r.marks.Except })),
	arguments.Spelled("--onnx-outputs-by-type OPERATOR ...",
		arguments.Texts(func(r *request) *[]string { return &r.marks.Ops })),
	arguments.Spelled("--mark-all", markAll),
	arguments.Spelled("--save-all-intermediate-outputs, --save-intermediate-outputs",
		func(r *request, words []string) error {
			if r.saveOutputs == "" {
				r.saveOutputs = inOutputDir + "outputs.json"
			}
			return markAll(r, words)
		}),
}

func markAll(r *request, _ []string) error {
	r.marks.All = true
	return nil
}

// mark gives the model with the tensors among its outputs that the request selects, and the names
// of the outputs that are wanted of it; nil is all.
func (r *request) mark(model *loaders.Model) (*loaders.Model, []string, error) {
	if s := r.marks; s.All || len(s.Names)+len(s.Ops) > 0 {
		names, err := model.Select(s)
		if err != nil {
			return nil, nil, err
		}
		marked, err := model.Mark(names...)
		return marked, names, err
	}
	if len(r.marks.Except) == 0 {
		return model, nil, nil
	}
	outputs, err := model.Outputs()
	if err != nil {
		return nil, nil, err
	}
	var names []string
	for _, output := range outputs {
		if !slices.ContainsFunc(r.marks.Except, func(pattern string) bool {
			return wildcard.Compile(pattern).Match(output.Name)
		}) {
			names = append(names, output.Name)
		}
	}
	if len(names) == 0 {
		return nil, nil, fmt.Errorf("--onnx-exclude-outputs leaves no output of %s", model.Name())
	}
	return model, names, nil
}

// only leaves the wanted outputs in a run; nil is all of them.
func only(run *backends.Run, wanted []string) (*backends.Run, error) {
	if wanted == nil {
		return run, nil
	}
	return run.Changed(func(outputs *tensor.Set) (*tensor.Set, error) {
		return outputs.Only(wanted...), nil
	})
}
