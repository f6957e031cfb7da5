package main

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
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
				r.inOutputDir("--save-outputs", outputsFile)
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
	names, err := model.SelectOutputs(r.marks.Except...)
	if err != nil {
		return nil, nil, fmt.Errorf("--onnx-exclude-outputs: %w", err)
	}
	return model, names, nil
}

// only leaves the wanted outputs in a run, in their order, which is the graph's: otherwise marked
// tensors come behind the model's own outputs. nil is all of them.
func only(run *backends.Run, wanted []string) (*backends.Run, error) {
	if wanted == nil {
		return run, nil
	}
	return run.Changed(func(outputs *tensor.Set) (*tensor.Set, error) {
		var entries []tensor.Entry
		seen := map[string]bool{}
		for _, name := range wanted {
			for part, t := range outputs.Only(name).All() {
				if !seen[part] {
					seen[part] = true
					entries = append(entries, tensor.Entry{Name: part, Tensor: t})
				}
			}
		}
		return tensor.NewSet(entries...)
	})
}
