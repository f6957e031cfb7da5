package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/noise"
)

// toleranceRequest is the parsed command line of `modelparity tolerance`.
type toleranceRequest struct {
	running
	outputs
	rule compareflags.Flags // only its false-alarm rate is used
}

func (r *toleranceRequest) sections() []section {
	return r.around([]section{part("Noise", r.rule.FalseAlarm())}, resultSection(r.printFlags()))
}

func (r *toleranceRequest) do(ctx context.Context, given []string, _ io.Writer) (f finding,
	err error) {
	subjects, err := r.engines.Each(given, &r.inputs)
	if err != nil {
		return f, err
	}
	first := subjects[0]
	reference, err := backends.RunIn(ctx, first.Engine, first.Model, first.Inputs)
	if err != nil {
		return f, err
	}
	p, err := noise.Propose(ctx, reference, r.rule.Bars(), enginesOf(subjects[1:]))
	if err != nil {
		return f, fmt.Errorf("%s: %w", first.Model.Name(), err)
	}
	return finding{differs: !p.Within(), text: either(p.Spec, p.Text)}, nil
}
