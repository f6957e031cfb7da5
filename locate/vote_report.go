package locate

import (
	"encoding/json"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/schema"
)

// VoteOutcome is the result of a vote on one output.
type VoteOutcome string

// The outcomes of a vote on one output.
const (
	// Agreed means that every pair of engines agrees.
	Agreed VoteOutcome = "agreed"
	// OddOneOut means that all engines but one agree.
	OddOneOut VoteOutcome = "odd one out"
	// SeveralApart means that more than half of the engines agree, and that at least two engines do
	// not agree with them.
	SeveralApart VoteOutcome = "several apart"
	// Tied means that the two largest groups of agreeing engines (camps) have the same size. If every
	// camp is a single engine, the vote is tied only if there are exactly two engines.
	Tied VoteOutcome = "tied"
	// Scattered means one of two things: one camp is the largest but has no more than half of the
	// votes, or there are at least three engines and no two of them agree.
	Scattered VoteOutcome = "scattered"
	// Chained means that two engines differ although both agree with a third, so that the engines do
	// not form camps. This happens if the tolerance is about as large as the differences.
	Chained VoteOutcome = "chained"
)

// VoteReport is the result of [Vote]. It can be marshalled to JSON even if it contains NaN.
type VoteReport struct {
	Inputs  string       `json:"inputs"`
	Rule    string       `json:"rule"` // the rule for every pair
	Voters  []*Voter     `json:"voters"`
	Outputs []VoteOutput `json:"outputs"`
	// Apart lists the engines outside the majority in at least one output, in voting order.
	Apart []VoteApart `json:"apart,omitempty"`
}

// Voter is an engine in the vote.
type Voter struct {
	Name       string              `json:"name"` // the engine's own name, made unique
	Provenance backends.Provenance `json:"provenance"`
	// Refused says why the engine has no vote; it is empty if the engine has one.
	Refused string `json:"refused,omitempty"`

	base   string // the name before a number made it unique
	engine backends.Engine
	run    *backends.Run
}

// VoteOutput is the vote on one output, over all iterations.
type VoteOutput struct {
	Name    string      `json:"name"`
	Outcome VoteOutcome `json:"outcome"`
	// Camps lists the names of the engines that agree with each other, the largest camp first. It is
	// empty if the outcome is [Chained].
	Camps [][]string `json:"camps,omitempty"`
	// Apart lists the engines outside the majority. It is empty if there is no majority.
	Apart []string `json:"apart,omitempty"`
	// Caution says why the vote may mislead: all engines of the majority share their code.
	Caution string     `json:"caution,omitempty"`
	Pairs   []VotePair `json:"pairs"`
}

// VotePair is the comparison of two engines, in the iteration with the largest difference.
type VotePair struct {
	A         string `json:"a"`
	B         string `json:"b"`
	Agree     bool   `json:"agree"`
	Iteration int    `json:"iteration"`
	Reason    string `json:"reason,omitempty"` // why they do not agree
	Abs       Number `json:"abs"`              // largest absolute error
	Rel       Number `json:"rel"`              // largest relative error
}

// VoteApart is an engine that disagrees with the majority.
type VoteApart struct {
	Name    string   `json:"name"`
	Against string   `json:"against"` // the engine of the majority that it was compared with
	Outputs []string `json:"outputs"` // the outputs in which it disagrees
	// Located says where inside the model the engine differs from Against. It is nil if that was
	// not requested.
	Located *Finding `json:"located,omitempty"`
	// Problem says why the search for Located failed; it is empty if the search did not fail.
	Problem string `json:"problem,omitempty"`
}

// MarshalJSON writes the report with the version of docs/report.schema.json and a verdict: "pass"
// if the vote is unanimous, otherwise "fail".
func (r *VoteReport) MarshalJSON() ([]byte, error) {
	type plain VoteReport
	verdict := compare.Fail
	if r.Unanimous() {
		verdict = compare.Pass
	}
	return json.Marshal(struct {
		schema.Schema
		Verdict compare.Verdict `json:"verdict"`
		*plain
	}{schema.Of("vote"), verdict, (*plain)(r)})
}

// Unanimous reports whether all voting engines agree on all outputs.
func (r *VoteReport) Unanimous() bool {
	return len(r.Outputs) > 0 && !slices.ContainsFunc(r.Outputs,
		func(o VoteOutput) bool { return o.Outcome != Agreed })
}

// Refused returns the engines that have no vote because they could not run the model.
func (r *VoteReport) Refused() []*Voter {
	return slices.DeleteFunc(slices.Clone(r.Voters), func(v *Voter) bool { return v.Refused == "" })
}
