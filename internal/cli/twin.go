package cli

import (
	"context"
	"io"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/precision"
)

// twinRequest is the parsed command line of `modelparity twin`.
type twinRequest struct {
	running
	outputs
}

func (r *twinRequest) sections() []section {
	return r.around(nil, resultSection(r.printFlags()))
}

func (r *twinRequest) do(ctx context.Context, given []string, _ io.Writer) (f finding, err error) {
	subjects, err := r.engines.Each(given, &r.inputs)
	if err != nil {
		return f, err
	}
	found, err := precision.TwinAmong(ctx, subjects[0], enginesOf(subjects)...)
	if err != nil {
		return f, err
	}
	return finding{differs: !found.Passes(), text: either(found.Verdicts, found.Text)}, nil
}

func enginesOf(subjects []backends.Subject) []backends.Engine {
	engines := make([]backends.Engine, len(subjects))
	for i, s := range subjects {
		engines[i] = s.Engine
	}
	return engines
}
