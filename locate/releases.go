package locate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/guesses"
	"github.com/modelparity/modelparity/internal/inputsum"
	"github.com/modelparity/modelparity/internal/schema"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/noise"
)

// ReleaseOptions control how [Releases] judges the runs.
type ReleaseOptions struct {
	// Expected is the run that every release must match. If it is nil, the first release that runs
	// the model is the reference.
	Expected *backends.Run
	// Search contains the rule. If Locate is true, it also controls the search for the node at which
	// the first bad release differs from the last good one.
	Search Options
	Locate bool
	// Judge, if not nil, replaces the rule in Search when two runs are compared. Rule, if not "",
	// describes the rule in the report.
	Judge func(actual, expected *backends.Run) (compare.Report, error)
	Rule  string
	// Progress, if not nil, is called before each release runs; i counts from 0.
	Progress func(i int, r backends.Release)
}

// ReleaseReport is the result of [Releases]. It can be marshalled to JSON even if it contains NaN.
type ReleaseReport struct {
	Model    string    `json:"model"`
	Inputs   string    `json:"inputs"`
	Rule     string    `json:"rule"`
	Expected string    `json:"expected"` // the reference
	Releases []Release `json:"releases"` // the oldest first
	// Bad is the first bad release after a good one, and Good is the last good release before it. If
	// no bad release follows a good one, Bad is the last bad release before a good one, and Good is
	// that good one. If there is no change at all, both are "".
	Bad  string `json:"bad,omitempty"`
	Good string `json:"good,omitempty"`
	// Located says where inside the model Bad differs from Good. It is nil if that was not requested.
	// Problem says why the search failed.
	Located *Finding `json:"located,omitempty"`
	Problem string   `json:"problem,omitempty"`
}

// Release is one release in a [ReleaseReport].
type Release struct {
	Version    string              `json:"version"`
	Provenance backends.Provenance `json:"provenance"`
	// Refused says why the release did not run the model, or why its run could not be judged; then
	// Verdict is empty. Such a release is neither good nor bad.
	Refused string          `json:"refused,omitempty"`
	Verdict compare.Verdict `json:"verdict,omitempty"`
	Reason  string          `json:"reason,omitempty"` // why it is bad: its first bad output
	Abs     Number          `json:"abs"`              // largest absolute error of all outputs
	Rel     Number          `json:"rel"`              // largest relative error
	// Alike is the first release with the same outputs, bit for bit. It is "" for a release whose
	// outputs no earlier one has.
	Alike string `json:"alike,omitempty"`

	engine backends.Engine
	sum    string
}

// Releases finds the first release of an engine whose outputs are bad. Every given release runs the
// model on identical inputs. No release is skipped, because a binary search would miss a fault that
// comes and goes.
//
// A release that cannot run the model, or whose run cannot be judged, is neither good nor bad, and
// the report says why. It is an error if that happens with all releases, if the inputs cannot be
// drawn, or if ctx ends.
func Releases(ctx context.Context, model fixtures.Declaration, inputs fixtures.Inputs,
	o ReleaseOptions, releases ...backends.Release) (*ReleaseReport, error) {
	sets, err := backends.Subject{Model: model, Inputs: inputs}.Draw()
	if err != nil {
		return nil, fmt.Errorf("releases: %w", err)
	}
	ctx = guesses.Context(ctx, inputs.Notes())
	report := &ReleaseReport{Model: model.Name(), Inputs: inputs.Origin().Text,
		Rule: cmp.Or(o.Rule, ruleText(o.Search.Compare))}
	if o.Judge == nil {
		o.Judge = func(actual, expected *backends.Run) (compare.Report, error) {
			return compare.Runs(actual.Outputs(), expected.Outputs(), o.Search.Compare)
		}
	}
	inputs = fixtures.Of(sets...) // drawn once, so that all releases get identical ones
	expected := o.Expected
	var refused []error
	first := map[string]string{} // releases, by the checksum of their outputs
	for i, of := range releases {
		if o.Progress != nil {
			o.Progress(i, of)
		}
		run, err := backends.RunIn(ctx, of.Engine, model, inputs)
		r := Release{Version: of.Version, Abs: nan, Rel: nan, engine: of.Engine}
		if err == nil {
			reference := cmp.Or(expected, run)
			if err = r.judge(run, reference, o.Judge); err != nil {
				err = fmt.Errorf("its run cannot be judged: %w", err)
			} else {
				expected, r.Alike = reference, first[r.sum]
				first[r.sum] = cmp.Or(r.Alike, r.Version)
			}
		}
		if cause := context.Cause(ctx); cause != nil {
			return nil, fmt.Errorf("releases: %w", cause)
		}
		if err != nil {
			r.Refused = err.Error()
			refused = append(refused, fmt.Errorf("%s: %w", of.Version, err))
		}
		report.Releases = append(report.Releases, r)
	}
	if len(refused) == len(releases) {
		return nil, fmt.Errorf("releases: no release could be judged: %w", errors.Join(refused...))
	}
	report.Expected = expected.Provenance.String()
	if m, ok := model.(*loaders.Model); ok && !report.Agree() {
		if err := noise.Repeats(ctx, report.ran()[0].engine, m, inputs); err != nil {
			return nil, fmt.Errorf("releases: %w", err)
		}
	}
	bad, good := report.change()
	if bad == nil {
		return report, nil
	}
	report.Bad, report.Good = bad.Version, good.Version
	if o.Locate {
		report.Located, err = Divergence(ctx,
			backends.Subject{Engine: bad.engine, Model: model, Inputs: inputs},
			backends.Subject{Engine: good.engine, Model: model, Inputs: inputs}, o.Search)
		if cause := context.Cause(ctx); cause != nil {
			return report, fmt.Errorf("releases: %w", cause)
		}
		if err != nil {
			report.Problem = err.Error()
		}
	}
	return report, nil
}

// judge compares a run of the release with the reference.
func (r *Release) judge(run, expected *backends.Run,
	judge func(actual, expected *backends.Run) (compare.Report, error)) error {
	met, err := judge(run, expected)
	if err != nil {
		return err
	}
	if met.Verdict == compare.Fail {
		if self, err := judge(expected, expected); err == nil && self.Verdict == compare.Fail {
			return errors.New("the reference does not match itself; to accept NaN, set NaNEqual; to " +
				"accept infinities, set InfinitiesEqual")
		}
	}
	r.Provenance, r.sum = run.Provenance, inputsum.Of(run.Outputs())
	r.Verdict, r.Abs, r.Rel = met.Verdict, 0, 0
	for i := range met.Outputs {
		o := &met.Outputs[i]
		if o.Verdict == compare.Fail && r.Reason == "" {
			r.Reason = fmt.Sprintf("output %q: %s", o.Name, o.Reason)
		}
		if len(o.Results) == 0 {
			continue // not compared
		}
		s := o.Statistics()
		r.Abs, r.Rel = max(r.Abs, Number(s.Abs.Max)), max(r.Rel, Number(s.Rel.Max)) // or NaN
	}
	return nil
}

// change returns the first bad release that follows a good one, and the good release before it. If
// no bad release follows a good one, change returns the last bad release before a good one, and
// that good release.
func (r *ReleaseReport) change() (bad, good *Release) {
	ran := r.ran()
	for i := 1; i < len(ran); i++ {
		switch before, now := ran[i-1], ran[i]; {
		case before.Verdict == now.Verdict:
		case now.Verdict == compare.Fail:
			return now, before
		case bad == nil:
			bad, good = before, now
		}
	}
	return bad, good
}

// ran returns the releases that have a verdict.
func (r *ReleaseReport) ran() (list []*Release) {
	for i := range r.Releases {
		if r.Releases[i].Refused == "" {
			list = append(list, &r.Releases[i])
		}
	}
	return list
}

// MarshalJSON writes the report in the format of docs/report.schema.json. The verdict is "error" if
// no release is bad but at least one has no verdict.
func (r *ReleaseReport) MarshalJSON() ([]byte, error) {
	type plain ReleaseReport
	verdict, reason := "pass", ""
	switch refused := r.Refused(); {
	case !r.Agree():
		verdict, reason = "fail", r.Headline()
	case refused != nil:
		verdict = "error"
		reason = fmt.Sprintf("%s could not be judged: %s", refused.Version, refused.Refused)
	}
	return json.Marshal(struct {
		schema.Schema
		Verdict string `json:"verdict"`
		Reason  string `json:"reason"`
		*plain
	}{schema.Of("releases"), verdict, reason, (*plain)(r)})
}
