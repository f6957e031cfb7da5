package merge

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/reportfile"
)

// named is the maximum number of specs that the text of a problem names. The text only counts the
// other specs.
const named = 5

// odd returns one line for each problem: a shard that is missing or occurs twice, or shards that
// ran with different settings.
func (g *group) odd() (problems []string) {
	first := g.shards[0]
	have := map[int][]string{}
	for _, s := range g.shards {
		have[s.share.Index] = append(have[s.share.Index], s.path)
		switch {
		case s.share.Total != first.share.Total:
			problems = append(problems, fmt.Sprintf("%s is one of %d shards, but %s is one of %d",
				s.path, s.share.Total, first.path, first.share.Total))
		case s.share.Weights != first.share.Weights:
			problems = append(problems, fmt.Sprintf("%s was sharded by %s, but %s by %s",
				s.path, orNone(s.share.Weights), first.path, orNone(first.share.Weights)))
		case !reflect.DeepEqual(filters(s.suite), filters(first.suite)):
			problems = append(problems, fmt.Sprintf("%s and %s ran under different filters", s.path,
				first.path))
		}
	}
	for i := range first.share.Total {
		switch share := (reportfile.Share{Index: i, Total: first.share.Total}); {
		case len(have[i]) == 0:
			problems = append(problems, share.Name()+" is missing")
		case len(have[i]) > 1:
			problems = append(problems, fmt.Sprintf("%s occurs %d times: %s", share.Name(),
				len(have[i]), strings.Join(have[i], ", ")))
		}
	}
	return problems
}

func orNone(sum string) string {
	if sum == "" {
		return "no weights"
	}
	return "the weights " + sum[:12]
}

// filters returns the part of a configuration that selects specs. It leaves out the order of specs
// and the number of processes, because shards may differ in these.
func filters(s reportfile.Suite) any {
	c := s.SuiteConfig
	lists := [][]string{c.FocusStrings, c.SkipStrings, c.FocusFiles, c.SkipFiles}
	for i, list := range lists {
		lists[i] = append([]string{}, list...) // so that nil and empty lists are equal
	}
	return []any{lists, c.LabelFilter, c.SemVerFilter, c.DryRun, s.SuiteHasProgrammaticFocus}
}

// counted records what the shards did with the specs that have the same text.
type counted struct {
	text string
	// listed holds, for each report, the number of specs with this text in it.
	listed []int
	// ran counts the specs that ran, and decided those that their own shard skipped for a reason.
	// shared is true if a shard left such a spec to another shard, which means that the filters
	// select it.
	ran, decided int
	shared       bool
}

// specs merges the shards' specs, so that each spec occurs once, and adds the setup and teardown
// nodes of all shards. It reports a problem if specs ran in no shard, or in more than one, or if
// the shards' suites differ.
func (g *group) specs() (all []reportfile.Spec, problems []string) {
	var order []*counted
	at := map[string]*counted{}
	reported := map[int]bool{}
	for _, s := range g.shards {
		reported[s.share.Index] = true
	}
	// whole lists the shards whose reports contain all specs of the suite. Other reports come from
	// shards that stopped early.
	var whole []int
	taken := map[*counted]bool{} // specs of missing shards that are in all already
	for i, s := range g.shards {
		listed := map[*counted]bool{}
		for _, spec := range s.suite.Specs {
			if !spec.IsSpec() {
				all = append(all, spec)
				continue
			}
			owner := s.share.Index
			if share, labelled := spec.Shard(); labelled && s.sharded {
				owner = share.Index
			}
			key := fmt.Sprintf("%d %s", owner, spec.FullText())
			c := at[key]
			if c == nil {
				c = &counted{text: spec.FullText(), listed: make([]int, len(g.shards))}
				at[key] = c
				order = append(order, c)
			}
			c.listed[i]++
			listed[c] = true
			ran := spec.State == reportfile.Passed || spec.Failed()
			switch {
			case ran:
				c.ran++
			case spec.Elsewhere():
				c.shared = true
			case owner == s.share.Index && (spec.Reason() != "" || spec.State == reportfile.Pending):
				c.decided++
			}
			if ran || owner == s.share.Index || !reported[owner] && !taken[c] {
				all = append(all, spec)
			}
		}
		for c := range listed {
			taken[c] = true
		}
		if specs := s.suite.Count(); specs >= s.suite.PreRunStats.TotalSpecs {
			whole = append(whole, i)
		}
	}
	var nowhere, twice, differ []string
	for _, c := range order {
		most := slices.Max(c.listed)
		switch {
		case c.ran+c.decided > most:
			twice = append(twice, c.text)
		case c.ran+c.decided < most && c.shared:
			nowhere = append(nowhere, c.text)
		case slices.ContainsFunc(whole, func(i int) bool { return c.listed[i] != most }):
			differ = append(differ, c.text)
		}
	}
	return all, slices.Concat(few(nowhere, "ran nowhere"), few(twice, "ran more than once"),
		few(differ, "not in every shard's suite, so the suites differ"))
}

// few returns one line that names the specs in texts and says what is wrong with them. It returns
// nil if texts is empty.
func few(texts []string, fault string) []string {
	if len(texts) == 0 {
		return nil
	}
	line := fmt.Sprintf("%s %s: %s", figures.Plural(len(texts), "spec"), fault,
		strings.Join(texts[:min(named, len(texts))], "; "))
	if more := len(texts) - named; more > 0 {
		line += fmt.Sprintf("; and %d more", more)
	}
	return []string{line}
}
