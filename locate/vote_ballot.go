package locate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
)

// ballot is the state of a vote.
type ballot struct {
	model   fixtures.Declaration
	inputs  fixtures.Inputs
	options VoteOptions
	voting  []*Voter // the voters that ran the model
	report  *VoteReport
	met     []meeting
}

// meeting is the comparison of two engines' runs. a and b are the engines' indices in
// ballot.voting.
type meeting struct {
	a, b   int
	report compare.Report
}

// count compares every pair of runs and counts the votes on each output.
func (b *ballot) count() error {
	var names []string
	for i, first := range b.voting {
		for j := i + 1; j < len(b.voting); j++ {
			// The pair is compared in the order of the report: the later engine is the actual side.
			report, err := compare.Runs(b.voting[j].run.Outputs(), first.run.Outputs(),
				b.options.Compare)
			if err != nil {
				return fmt.Errorf("%s and %s: %w", first.Name, b.voting[j].Name, err)
			}
			b.met = append(b.met, meeting{i, j, report})
			for k := range report.Outputs {
				names = noted(names, []string{report.Outputs[k].Name})
			}
		}
	}
	for _, name := range names {
		b.report.Outputs = append(b.report.Outputs, b.vote(name))
	}
	b.gather()
	return nil
}

// vote determines the outcome for one output.
func (b *ballot) vote(name string) VoteOutput {
	out := VoteOutput{Name: name}
	agreed := map[[2]int]bool{}
	for _, m := range b.met {
		p := pairOf(m.report, name)
		p.A, p.B = b.voting[m.a].Name, b.voting[m.b].Name
		out.Pairs = append(out.Pairs, p)
		agreed[[2]int{m.a, m.b}] = p.Agree
	}
	n := len(b.voting)
	list, ok := camps(n, func(x, y int) bool { return agreed[[2]int{min(x, y), max(x, y)}] })
	if !ok {
		out.Outcome = Chained
		return out
	}
	for _, camp := range list {
		out.Camps = append(out.Camps, b.names(camp))
	}
	var apart []int
	out.Outcome, apart = outcome(n, list)
	out.Apart = b.names(apart)
	if len(apart) > 0 {
		out.Caution = b.caution(list[0], apart)
	}
	return out
}

func (b *ballot) names(voters []int) []string {
	var names []string
	for _, v := range voters {
		names = append(names, b.voting[v].Name)
	}
	return names
}

// caution returns a warning if all engines of the majority are of one kind and an engine outside it
// is of another kind. The majority is then a single opinion that was counted several times.
func (b *ballot) caution(majority, apart []int) string {
	kind := b.voting[majority[0]].Provenance.Backend
	differs := func(v int) bool { return b.voting[v].Provenance.Backend != kind }
	at := slices.IndexFunc(apart, differs)
	if at < 0 || slices.ContainsFunc(majority, differs) {
		return ""
	}
	return fmt.Sprintf("all engines of the majority are variants of %s and share code, so treat "+
		"them as one vote: %s against %s", kind, kind, b.voting[apart[at]].Provenance.Backend)
}

// pairOf returns the comparison of two runs in one output, for the iteration with the largest
// difference.
func pairOf(met compare.Report, name string) VotePair {
	p := VotePair{Agree: true}
	for i := range met.Outputs {
		o := &met.Outputs[i]
		failed := o.Verdict == compare.Fail
		if o.Name != name || !failed && !p.Agree { // a passing iteration is not the worst
			continue
		}
		s := o.Statistics()
		abs, rel := Number(s.Abs.Max), Number(s.Rel.Max)
		if failed && p.Agree || !(abs <= p.Abs) { // NaN is the worst
			p.Iteration, p.Abs, p.Rel = o.Iteration, abs, rel
		}
		if failed {
			p.Agree = false
			if p.Reason == "" || p.Iteration == o.Iteration {
				p.Reason = o.Reason
			}
		}
	}
	return p
}

// gather adds the engines outside the majority to the report. For each such engine it records the
// outputs in which the engine differs, and the engine of the majority to compare it with.
func (b *ballot) gather() {
	for _, v := range b.voting {
		a := VoteApart{Name: v.Name}
		for _, out := range b.report.Outputs {
			if slices.Contains(out.Apart, v.Name) {
				a.Outputs = append(a.Outputs, out.Name)
				a.Against = cmp.Or(a.Against, out.Camps[0][0])
			}
		}
		if a.Against != "" {
			b.report.Apart = append(b.report.Apart, a)
		}
	}
}

func (b *ballot) index(name string) int {
	return slices.IndexFunc(b.voting, func(v *Voter) bool { return v.Name == name })
}
