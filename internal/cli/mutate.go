package cli

import (
	"context"
	"errors"
	"io"
	"runtime"
	"time"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/mutate"
	"github.com/modelparity/modelparity/internal/terminal"
)

// mutateRequest is the parsed command line of `modelparity mutate`.
type mutateRequest struct {
	outputs
	options mutate.Options
}

func (r *mutateRequest) sections() []section {
	return []section{part("Mutants",
		arguments.Spelled("--mutants N", arguments.Value(arguments.AtLeast(1), &r.options.PerKind)),
		arguments.Spelled("--parallel, -p N",
			arguments.Value(arguments.AtLeast(1), &r.options.Parallel))),
		resultSection(r.reportFlags()[:1], r.printFlags())}
}

func (*mutateRequest) kind() string { return "mutation" }

func (r *mutateRequest) do(ctx context.Context, given []string, stderr io.Writer) (f finding,
	err error) {
	if len(given) == 0 {
		return f, errors.New("no packages given; name them as for go test: ./... or ./vision")
	}
	o := r.options
	if o.Limit = 10 * time.Minute; o.PerKind == 0 {
		o.PerKind = 4
	}
	if o.Parallel == 0 {
		o.Parallel = max(1, runtime.NumCPU()/2)
	}
	bar := terminal.NewBar(stderr)
	o.Show = bar.Show
	found, err := mutate.Suites(ctx, given, o)
	bar.Clear()
	if err != nil {
		return f, err
	}
	f = finding{result: found, differs: found.Verdict == "fail",
		text: either(found.Headline, found.Text)}
	if found.Verdict == "error" {
		f.refused = found.Reason
	}
	return f, nil
}
