package cli

import (
	"context"
	"io"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/locate"
	"github.com/modelparity/modelparity/noise"
	"github.com/modelparity/modelparity/precision"
)

// locateRequest is the parsed command line of `modelparity locate`.
type locateRequest struct {
	running
	outputs
	rule       compareflags.Flags
	cumulative bool  // do not run nodes alone
	memory     int64 // in bytes; 0 means the default
	table      bool  // print every tensor
	origin     bool  // look for the origin of NaN and infinities instead of a divergence
}

func (r *locateRequest) sections() []section {
	where := section{"Where", []arguments.Flag{
		arguments.Spelled("--no-isolate", arguments.Set(&r.cumulative)),
		arguments.Spelled("--table", arguments.Set(&r.table)),
		arguments.Spelled("--non-finite", arguments.Set(&r.origin)),
		arguments.Spelled("--memory MIB", func(words []string) error {
			n, err := values.Count(words[0], 1)
			r.memory = int64(n) << 20
			return err
		}),
	}}
	return r.around([]section{where, r.expected()}, part("Comparison", r.rule.List()...),
		part("Noise", r.rule.NoiseFlags(true)...),
		resultSection(r.reportFlags(), r.printFlags()))
}

func (*locateRequest) kind() string { return "divergence" }

func (r *locateRequest) do(ctx context.Context, given []string, stderr io.Writer) (finding, error) {
	if r.origin {
		return r.nonFinite(ctx, given)
	}
	r.loud(stderr, max(r.volume, r.engine))
	found, err := r.locate(ctx, given, stderr)
	if found == nil {
		return finding{}, err
	}
	text := found.Text
	if r.table {
		text = found.Table
	}
	return finding{ // an interrupted search has partial results
		result: found, differs: found.First != nil || found.Verdict == compare.Fail,
		text: either(func() string { return found.Cause },
			func() string {
				return compare.Document{Timings: found.Timings}.Text(r.volume) + text() + "\n"
			}),
	}, err
}

// locate finds the first divergence.
func (r *locateRequest) locate(ctx context.Context, files []string, stderr io.Writer) (
	*locate.Finding, error) {
	search, err := searchBy(ctx, &r.rule)
	if err != nil {
		return nil, err
	}
	search.Isolate, search.Memory = !r.cumulative, r.memory
	actual, expected, err := r.engines.Sides(files, &r.inputs)
	if err != nil {
		return nil, err
	}
	if r.volume >= 0 {
		tell, wipe := bar(stderr)
		search.Progress = tell
		defer wipe()
	}
	return locate.Divergence(ctx, actual, expected, search)
}

// searchBy returns search options whose rule comes from the flags.
func searchBy(ctx context.Context, rule *compareflags.Flags) (o locate.Options, err error) {
	if o.Compare, err = rule.Options(ctx); err != nil {
		return o, err
	}
	switch lower := rule.NoWorseThan(); {
	case rule.Noise():
		o.Measure = noise.Inside(rule.Bars(), nil)
	case lower != "":
		o.Measure = (&precision.Judge{Format: lower, Bars: rule.Bars()}).Measure
	}
	return o, nil
}
