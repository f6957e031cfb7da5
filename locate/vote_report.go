package locate

import (
	"encoding/json"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
)

// VoteOutcome is how a vote over one output ended.
type VoteOutcome string

// The outcomes.
const (
	// Agreed: every pair agrees.
	Agreed VoteOutcome = "agreed"
	// OddOneOut: all agree but one.
	OddOneOut VoteOutcome = "odd one out"
	// SeveralApart: more than half agree, and several others do not.
	SeveralApart VoteOutcome = "several apart"
	// Tied: the two greatest camps are of one size. Two engines that differ are such camps.
	Tied VoteOutcome = "tied"
	// Scattered: no camp has more than half of the votes.
	Scattered VoteOutcome = "scattered"
	// Chained: engines differ that both agree with a third, so there are no camps. The tolerance is
	// of the size of what separates them.
	Chained VoteOutcome = "chained"
)

// VoteReport is what a vote found. It marshals to JSON safely.
type VoteReport struct {
	Inputs  string       `json:"inputs"`
	Rule    string       `json:"rule"` // that every pair was held to
	Voters  []*Voter     `json:"voters"`
	Outputs []VoteOutput `json:"outputs"`
	// VoteApart are the engines that stand apart in any output, in the order of the votes.
	Apart []VoteApart `json:"apart,omitempty"`
}

// Voter is an engine in the vote.
type Voter struct {
	Name       string              `json:"name"` // as the engine says itself; unique
	Kind       string              `json:"kind,omitempty"`
	Provenance backends.Provenance `json:"provenance"`
	// Refused says why the engine has no vote; it is empty for one that has.
	Refused string `json:"refused,omitempty"`
}

// VoteOutput is the vote over one output, over all iterations.
type VoteOutput struct {
	Name    string      `json:"name"`
	Outcome VoteOutcome `json:"outcome"`
	// Camps are the engines that agree with each other, by name, the greatest camp first. There are
	// none where the votes are [Chained].
	Camps [][]string `json:"camps,omitempty"`
	// VoteApart are the engines outside the majority; none where there is no majority.
	Apart []string `json:"apart,omitempty"`
	// Caution says why the vote may mislead: a majority that shares its code.
	Caution string     `json:"caution,omitempty"`
	Pairs   []VotePair `json:"pairs"`
}

// VotePair is what the comparison of two engines found, in the worst iteration.
type VotePair struct {
	A         string `json:"a"`
	B         string `json:"b"`
	Agree     bool   `json:"agree"`
	Iteration int    `json:"iteration"`
	Reason    string `json:"reason,omitempty"` // why they do not agree
	Abs       Number `json:"abs"`              // greatest absolute error
	Rel       Number `json:"rel"`              // greatest relative error
}

// VoteApart is an engine that stands apart.
type VoteApart struct {
	Name    string   `json:"name"`
	Against string   `json:"against"` // the engine of the majority that it was held to
	Outputs []string `json:"outputs"` // in which it stands apart
	// Hint says what its outputs look like; it is empty where they look like nothing known.
	Hint string `json:"hint,omitempty"`
	// Located is where inside the model it leaves the other; nil where that was not asked for.
	Located *Finding `json:"located,omitempty"`
	// Problem says why it could not be located.
	Problem string `json:"problem,omitempty"`
}

// MarshalJSON writes the report with the version of docs/report.schema.json that it follows, and
// with a verdict: pass where the vote is unanimous.
func (r *VoteReport) MarshalJSON() ([]byte, error) {
	type plain VoteReport
	verdict := compare.Fail
	if r.Unanimous() {
		verdict = compare.Pass
	}
	return json.Marshal(struct {
		compare.Schema
		Verdict compare.Verdict `json:"verdict"`
		*plain
	}{compare.SchemaOf("vote"), verdict, (*plain)(r)})
}

// Unanimous reports whether every engine that voted agrees with every other in all outputs.
func (r *VoteReport) Unanimous() bool {
	for i := range r.Outputs {
		if r.Outputs[i].Outcome != Agreed {
			return false
		}
	}
	return len(r.Outputs) > 0
}

// Refused are the engines that have no vote.
func (r *VoteReport) Refused() []*Voter {
	var list []*Voter
	for _, v := range r.Voters {
		if v.Refused != "" {
			list = append(list, v)
		}
	}
	return list
}
