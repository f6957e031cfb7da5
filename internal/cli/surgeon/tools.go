package surgeon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/loaders"
)

// tool is one of surgeon's tools.
type tool struct {
	flags []string // in addition to the flags of [Flags.Editing]
	do    func(f *Flags, ctx context.Context, m *loaders.Model) (*loaders.Model, string, error)
}

var tools = map[string]tool{
	"extract": {append([]string{"--inputs", "--outputs", "--model-input-shapes"}, observing...),
		(*Flags).extract},
	"insert": {[]string{"--inputs", "--outputs", "--op", "--name", "--attrs"}, (*Flags).insert},
	"sanitize": {append([]string{"--override-inputs", "--fold-constants", "--num-passes",
		"--no-fold-shapes", "--fold-size-threshold", "--no-per-pass-shape-inference", "--partitioning",
		"--cleanup", "--toposort", "--no-shape-inference", "--outputs", "--exclude-outputs",
		"--outputs-by-type",
		"--set-unbounded-dds-upper-bound"}, observing...), (*Flags).sanitize},
	"prune":              {nil, (*Flags).prune},
	"weight-strip":       {[]string{"--exclude-list"}, (*Flags).strip},
	"weight-reconstruct": {[]string{"--seed"}, (*Flags).reconstruct},
}

// observing lists the flags for finding shapes by running the model. Only some tools of
// surgeon take them.
var observing = []string{"--force-fallback-shape-inference", "--load-inputs", "--val-range",
	"--seed", "--iterations", "--data-loader-backend-module", "--data-loader-script"}

// errNoOutput is the error for a command that has no output path.
var errNoOutput = errors.New("the output is missing; add -o OUT.onnx")

// Tools returns the names of the tools.
func Tools() []string { return slices.Sorted(maps.Keys(tools)) }

// Operate applies a tool to the ONNX file at path and writes the result to out.
func (f *Flags) Operate(ctx context.Context, name, path, out string) (Result, error) {
	t, known := tools[name]
	if !known {
		return Result{}, fmt.Errorf("unknown surgeon tool %q; the tools are %s", name,
			strings.Join(Tools(), ", "))
	}
	for _, flag := range f.given {
		if !slices.Contains(t.flags, flag) && !slices.ContainsFunc(f.Editing(),
			func(common arguments.Flag) bool { return common.Name == flag }) {
			return Result{}, fmt.Errorf("surgeon %s does not take %s, only %s", name, flag,
				cmp.Or(strings.Join(t.flags, " "), "flags of all tools"))
		}
	}
	if out == "" {
		return Result{}, errNoOutput
	}
	m, err := f.changed(ctx, path, func(m *loaders.Model) (*loaders.Model, string, error) {
		return t.do(f, ctx, m)
	})
	if err != nil {
		return Result{}, err
	}
	return f.Save(m, out)
}
