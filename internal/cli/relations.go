package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/cli/relationflags"
	"github.com/modelparity/modelparity/relations"
)

// relationsRequest is the parsed command line of `modelparity relations`.
type relationsRequest struct {
	running
	outputs
	rule      compareflags.Flags
	relations relationflags.Flags
}

func (r *relationsRequest) sections() []section {
	return r.around([]section{part("Relations", r.relations.List()...), ruleSection(&r.rule)},
		resultSection(r.reportFlags(), r.printFlags()))
}

func (*relationsRequest) kind() string { return "relations" }

func (r *relationsRequest) do(ctx context.Context, given []string, _ io.Writer) (f finding,
	err error) {
	list, err := r.relations.Relations()
	if err != nil {
		return f, err
	}
	options, err := r.relations.Options(ctx, &r.rule)
	if err != nil {
		return f, err
	}
	if steps, err := r.relations.Inputs(); err == nil {
		if err := r.inputs.Use(steps); err != nil {
			return f, err
		}
	}
	subject, err := r.engines.Only(given, &r.inputs)
	if err != nil {
		return f, err
	}
	subject.Engine = r.relations.Engine(subject.Engine)
	found, err := relations.Check(ctx, subject, options, list...)
	if err != nil {
		return f, err
	}
	for i := range found.Results {
		found.Results[i].Refused = r.inFlags(found.Results[i].Refused)
	}
	f = finding{result: found, differs: found.Primary() != nil,
		text: either(found.Headline, found.Text)}
	if refused := found.Refused(); refused != nil {
		f.refused = fmt.Sprintf("%s could not be judged: %s", refused.Relation, refused.Refused)
		if !r.relations.Chosen() {
			f.refused += " (--only chooses the relations)"
		}
	}
	return f, nil
}
