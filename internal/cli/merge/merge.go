// Package merge merges the reports of a suite's shards, and checks that they are complete: there is
// one report for every shard, and every spec ran in exactly one shard.
package merge

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/reportfile"
)

// Report is the merged report of one or more suites.
type Report struct {
	Suites []Suite
}

// Suite is one suite, merged from all its shards.
type Suite struct {
	// Merged is the suite's report as a single process without shards would have written it. If
	// there are Problems, the suite has failed, and they are among its failure reasons.
	Merged reportfile.Suite
	Shards int // the expected number of shards; 1 for a suite without shards
	// Problems explains, in one line per problem, why the shards do not make up the whole suite.
	Problems []string

	passed, failed, skipped, pending int
}

// Files merges reports, each of which contains one or more suites. A file that is not a Ginkgo
// report is an error. Missing or inconsistent shards are not an error; they are listed in Problems.
func Files(files ...reportfile.File) (Report, error) {
	var groups []*group
	at := map[string]*group{}
	for _, f := range files {
		if f.Document != nil {
			return Report{}, fmt.Errorf("%s: a report of kind %s has no shards; merge takes JSON "+
				"reports of Ginkgo", f.Path, f.Document.Kind)
		}
		for _, s := range f.Suites {
			share, sharded, err := s.Share()
			if err != nil {
				return Report{}, fmt.Errorf("%s: %s: %w", f.Path, s.SuiteDescription, err)
			}
			key := keyOf(s, share)
			if at[key] == nil {
				at[key] = &group{}
				groups = append(groups, at[key])
			}
			at[key].shards = append(at[key].shards, shard{f.Path, share, sharded, s})
		}
	}
	var r Report
	for _, g := range groups {
		s, err := g.merge()
		if err != nil {
			return Report{}, err
		}
		r.Suites = append(r.Suites, s)
	}
	return r, nil
}

// keyOf returns a key that identifies a suite. All shards of a suite have the same key, even if
// they ran on machines with different folders.
func keyOf(s reportfile.Suite, share reportfile.Share) string {
	if share.Package != "" {
		return share.Package + "\x00" + s.SuiteDescription
	}
	path := strings.ReplaceAll(s.SuitePath, `\`, "/")
	return filepath.Base(path) + "\x00" + s.SuiteDescription
}

// Whole reports whether every suite is complete and has passed.
func (r Report) Whole() bool {
	return !slices.ContainsFunc(r.Suites, func(s Suite) bool { return !s.Merged.SuiteSucceeded })
}

// All returns the merged reports of all suites.
func (r Report) All() (all []reportfile.Suite) {
	for _, s := range r.Suites {
		all = append(all, s.Merged)
	}
	return all
}

// Text returns one line for every suite and one for every problem.
func (r Report) Text() string {
	var b strings.Builder
	for _, s := range r.Suites {
		fmt.Fprintf(&b, "%s: %s", s.Merged.SuiteDescription,
			figures.Plural(s.passed+s.failed+s.skipped+s.pending, "spec"))
		if s.Shards > 1 {
			fmt.Fprintf(&b, " of %d shards", s.Shards)
		}
		fmt.Fprintf(&b, ": %d passed, %d failed, %d skipped, %d pending\n", s.passed, s.failed,
			s.skipped, s.pending)
		for _, reason := range s.Merged.SpecialSuiteFailureReasons {
			fmt.Fprintf(&b, "  %s\n", reason)
		}
	}
	return b.String()
}

// group holds the shards of one suite.
type group struct{ shards []shard }

// shard is a file's report of one suite. A file may contain several.
type shard struct {
	path    string
	share   reportfile.Share
	sharded bool
	suite   reportfile.Suite
}

// merge merges the shards into one suite. If shards are missing or do not fit together, it records
// the problems in the suite.
func (g *group) merge() (Suite, error) {
	slices.SortStableFunc(g.shards, func(a, b shard) int { return a.share.Index - b.share.Index })
	first := g.shards[0]
	made := Suite{Shards: first.share.Total, Problems: g.odd()}
	specs, lost := g.specs()
	made.Problems = append(made.Problems, lost...)
	succeeded, start, end := len(made.Problems) == 0, first.suite.StartTime, time.Time{}
	var reasons []string
	for _, s := range g.shards {
		succeeded = succeeded && s.suite.SuiteSucceeded
		if s.suite.StartTime.Before(start) {
			start = s.suite.StartTime
		}
		if s.suite.EndTime.After(end) {
			end = s.suite.EndTime
		}
		for _, reason := range s.suite.SpecialSuiteFailureReasons {
			if s.sharded {
				reason = s.share.Name() + ": " + reason
			}
			reasons = append(reasons, reason)
		}
	}
	for _, spec := range specs {
		succeeded = succeeded && !spec.Failed() // even if the suite claims success
		switch {
		case !spec.IsSpec():
		case spec.State == reportfile.Passed:
			made.passed++
		case spec.Failed():
			made.failed++
		case spec.State == reportfile.Pending:
			made.pending++
		default:
			made.skipped++
		}
	}
	var err error
	made.Merged, err = first.suite.With(specs, map[string]any{
		"SuiteSucceeded":             succeeded,
		"SpecialSuiteFailureReasons": append(reasons, made.Problems...),
		"StartTime":                  start, "EndTime": end, "RunTime": end.Sub(start),
	})
	return made, err
}
