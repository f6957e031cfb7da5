package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/modelparity/modelparity/internal/cli/accuracy"
	"github.com/modelparity/modelparity/internal/cli/lint"
	"github.com/modelparity/modelparity/internal/cli/surgeon"
	"github.com/modelparity/modelparity/loaders"
)

// accuracyRequest is the parsed command line of `modelparity check accuracy`.
type accuracyRequest struct{ compareRequest }

func (r *accuracyRequest) sections() []section {
	return []section{part("Comparison", r.rule.List()...),
		resultSection(r.reportFlags(), r.accuracyFlags(), r.printFlags())}
}

func (r *accuracyRequest) do(ctx context.Context, given []string, _ io.Writer) (finding, error) {
	var found comparison
	options, err := r.rule.Options(ctx)
	if err == nil {
		found.Pairs, err = accuracy.Judge(ctx, given, r.rule.Asked(), options)
	}
	return found.finding(&r.outputs, err)
}

// lintRequest is the parsed command line of `modelparity check lint`.
type lintRequest struct {
	running
	outputs
	edit surgeon.Flags // how to read the model
}

func (r *lintRequest) sections() []section {
	return r.around([]section{part("Report", r.writes("--output, -o FILE", ""))},
		part("ONNX", r.edit.Reading()...), resultSection(r.printFlags()))
}

func (r *lintRequest) do(ctx context.Context, given []string, stderr io.Writer) (f finding,
	err error) {
	subject, err := r.engines.Only(given, &r.inputs)
	if err != nil {
		return f, err
	}
	if r.edit.Given() {
		if err := r.engines.OnlyONNX(given[0]); err != nil {
			return f, err
		}
		changed, err := r.edit.Model(ctx, given[0], loaders.Selection{})
		switch {
		case err == nil:
			fmt.Fprint(stderr, changed.Text)
			subject.Model, subject.Inputs = changed.Model, r.inputs.Inputs(changed.Model)
		case loaders.ONNXStructure(given[0]).Load() == nil: // else the report has the error
			return f, err
		}
	}
	found, err := lint.Check(ctx, subject)
	if err != nil {
		return f, err
	}
	for i := range found.Entries {
		found.Entries[i].Message = r.inFlags(found.Entries[i].Message)
	}
	f = finding{differs: !found.Valid(), text: either(found.Headline, found.Text)}
	if path := r.Path("--output"); path != "" {
		return f, writeReport(path, found)
	}
	return f, nil
}
