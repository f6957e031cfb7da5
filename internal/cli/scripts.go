package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/pairs"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// scripts holds the paths of two Python scripts: one compares outputs, and one changes them before
// the comparison.
type scripts struct{ compares, changes string }

func (s *scripts) flags() []arguments.Flag {
	return []arguments.Flag{
		arguments.Spelled("--compare-func-script SCRIPT.py[:FUNCTION]",
			arguments.Text(&s.compares)).On(files.Reads),
		arguments.Spelled("--postprocess-func-script SCRIPT.py[:FUNCTION]",
			arguments.Text(&s.changes)).On(files.Reads),
	}
}

// change applies the post-processing script, if there is one, to the outputs of every run.
func (s *scripts) change(ctx context.Context, saved []runs.Named) ([]runs.Named, error) {
	if s.changes == "" {
		return saved, nil
	}
	p, err := process.StartScript(ctx, s.changes)
	if err != nil {
		return nil, fmt.Errorf("--postprocess-func-script: %w", err)
	}
	defer p.Close() //nolint:errcheck // Close never fails
	changed := make([]runs.Named, len(saved))
	for i, run := range saved {
		changed[i] = run
		if changed[i].Run, err = p.PostProcess(ctx, run.Run, run.Name); err != nil {
			return nil, fmt.Errorf("--postprocess-func-script: %s: %w", run.Name, err)
		}
	}
	return changed, nil
}

// compare makes the script compare each run with the next one.
func (s *scripts) compare(ctx context.Context, saved []runs.Named, options compare.Options) (
	[]compare.Pair, error) {
	p, err := process.StartScript(ctx, s.compares)
	if err != nil {
		return nil, fmt.Errorf("--compare-func-script: %w", err)
	}
	defer p.Close() //nolint:errcheck // Close never fails
	pair := 0
	judge := scripted(func(actual, expected *tensor.Set) (map[string]process.ScriptVerdict, error) {
		return p.Compare(ctx, actual, expected, saved[pair].Name, saved[pair+1].Name)
	}, options)
	judged, err := pairs.Judge(ctx, saved, options.FailFast,
		func(actual, expected *backends.Run) (compare.Report, error) {
			defer func() { pair++ }()
			return judge(actual, expected)
		})
	if err != nil {
		err = fmt.Errorf("--compare-func-script: %w", err)
	}
	return judged, err
}

// sensible returns an error if --compare-func-script is combined with --noise or with other
// comparison flags.
func (s *scripts) sensible(asked, noise bool) error {
	if s.compares != "" && (asked || noise) {
		return errors.New("--compare-func-script replaces these rules; drop --compare, tolerances, " +
			"--noise and --no-worse-than")
	}
	return nil
}
