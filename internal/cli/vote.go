package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/cli/engineflags"
	"github.com/modelparity/modelparity/internal/cli/inputflags"
	"github.com/modelparity/modelparity/locate"
)

// voteRequest is the parsed command line of `modelparity vote`.
type voteRequest struct {
	outputs
	inputs  inputflags.Flags
	rule    compareflags.Flags
	engines []backends.Engine // in the order of the flags
	shallow bool              // do not look for the diverging node
	process engineflags.Isolation
}

func (r *voteRequest) sections() []section {
	var engines []arguments.Flag
	for _, e := range engineflags.Engines() {
		engines = append(engines, arguments.Flag{Name: e.Flag, Arity: arguments.Any, Value: "SETTING",
			Text: "ENGINE", Fill: []string{"{title}", e.Title, "{settings}", e.Usage()}, Repeats: true,
			Apply: func(words []string) error {
				engine, err := e.With(words...)
				r.engines = append(r.engines, engine)
				return err
			}})
	}
	engines = append(engines, engineflags.ProgramFlags(func(e backends.Engine) {
		r.engines = append(r.engines, e)
	})...)
	return []section{part("Engines", append(engines, r.process.List()...)...),
		part("Where", arguments.Spelled("--no-locate", arguments.Set(&r.shallow))),
		part("Inputs", r.inputs.List()...), part("Comparison", r.rule.List()...),
		resultSection(r.reportFlags(), r.printFlags())}
}

func (*voteRequest) kind() string { return "vote" }

func (r *voteRequest) inputNotes() []string { return r.inputs.Notes("--input-shapes") }

func (r *voteRequest) do(ctx context.Context, given []string, _ io.Writer) (f finding, err error) {
	if len(given) != 1 {
		return f, arguments.Wanted("vote takes one model", given)
	}
	rule, err := r.rule.Options(ctx)
	if err != nil {
		return f, err
	}
	if err := errors.Join(r.inputs.Check(), r.process.Check()); err != nil {
		return f, err
	}
	model, err := new(engineflags.Flags).Model(given[0])
	if err != nil {
		return f, err
	}
	engines, err := engineflags.Voters(model, r.engines)
	if err != nil {
		return f, err
	}
	engines = slices.Clone(engines)
	for i, e := range engines {
		engines[i] = r.process.Of(e)
	}
	if _, err := model.Inputs(); err != nil { // report an invalid model once
		return f, err
	}
	found, err := locate.Vote(ctx, model, r.inputs.Inputs(model),
		locate.VoteOptions{Compare: rule, Locate: !r.shallow}, engines...)
	if err != nil {
		return f, err
	}
	for _, v := range found.Voters {
		v.Refused = r.inFlags(v.Refused)
	}
	f = finding{result: found, differs: !found.Unanimous(),
		text: either(found.Headline, found.Text)}
	if refused := found.Refused(); len(r.engines) > 0 && len(refused) > 0 {
		f.refused = fmt.Sprintf("%s did not run the model: %s", refused[0].Name, refused[0].Refused)
	}
	return f, nil
}
