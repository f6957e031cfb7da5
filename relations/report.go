package relations

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/schema"
)

// Result is the result of checking one relation.
type Result struct {
	Relation string `json:"relation"` // the relation's name
	Text     string `json:"text"`     // the property that must hold
	// Verdict is Pass or Fail. It is "" if the relation could not be judged, and Refused says why.
	Verdict compare.Verdict `json:"verdict"`
	Refused string          `json:"refused,omitempty"`
	// Compared is the number of outputs, or rows of outputs, that were compared.
	Compared int      `json:"compared"`
	Notes    []string `json:"notes,omitempty"`
	Breach   *Breach  `json:"breach,omitempty"`
	// Follows names a relation that also failed and that explains this failure: if repeated runs
	// differ, for example, batches differ too.
	Follows string `json:"follows,omitempty"`
}

// Report is the result of checking several relations of one model on one engine.
type Report struct {
	Model   string   `json:"model"`
	Engine  string   `json:"engine"`
	Rule    string   `json:"rule"`
	Results []Result `json:"results"`
}

// precedence lists the relations in the order in which [Report.Primary] looks for a failure.
var precedence = []string{"repeat", "rebuild", "profiles", "threads", "marking", "levels", "rows",
	"batch", "order", "padding", "steps", "rollback", "sequences", "shift", "under", "reset", "chunks",
	"releases"}

// implies maps each relation to the relations that usually break with it. For example, if repeated
// runs differ, all other comparisons are meaningless.
var implies = map[string][]string{"repeat": precedence[1:],
	"rebuild": {"levels", "marking", "profiles"}, "rows": {"batch", "order"}, "batch": {"order"}}

// rank sets Follows in the failed results that have a known cause: the failure of another relation,
// according to [implies].
func (r *Report) rank() {
	broken := map[string]bool{}
	for _, x := range r.Results {
		broken[x.Relation] = broken[x.Relation] || x.Verdict == compare.Fail
	}
	for _, first := range precedence {
		for i := range r.Results {
			x := &r.Results[i]
			if broken[first] && x.Follows == "" && x.Verdict == compare.Fail &&
				slices.Contains(implies[first], x.Relation) {
				x.Follows = first
			}
		}
	}
}

// Holds reports whether every relation could be judged and holds.
func (r *Report) Holds() bool {
	return !slices.ContainsFunc(r.Results, func(x Result) bool { return x.Verdict != compare.Pass })
}

// Primary returns the failed result that should be examined first, because it explains the other
// failures or comes before them in a fixed order. It returns nil if no relation failed.
func (r *Report) Primary() *Result {
	for _, name := range precedence {
		for i := range r.Results {
			if x := &r.Results[i]; x.Relation == name && x.Verdict == compare.Fail {
				return x
			}
		}
	}
	return nil
}

// Refused returns the first relation that could not be judged, or nil.
func (r *Report) Refused() *Result {
	if i := slices.IndexFunc(r.Results, func(x Result) bool { return x.Verdict == "" }); i >= 0 {
		return &r.Results[i]
	}
	return nil
}

// Headline returns the verdict in one line.
func (r *Report) Headline() string {
	switch first, refused := r.Primary(), r.Refused(); {
	case first != nil:
		head, _, _ := strings.Cut(first.Breach.String(), "\n")
		return fmt.Sprintf("%s is broken: %s", first.Relation, head)
	case refused != nil:
		return fmt.Sprintf("%s could not be judged: %s", refused.Relation, refused.Refused)
	}
	held := names.Each(r.Results, func(x Result) string { return x.Relation })
	verb := " holds "
	if len(held) > 1 {
		verb = " hold "
	}
	return strings.Join(held, ", ") + verb + r.Rule
}

// Text formats the report for people. It ends with a newline.
func (r *Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %s, %s\n", r.Model, r.Engine, r.Rule)
	for _, x := range r.Results {
		fmt.Fprintf(&b, "%s: %s\n", x.Relation, strings.ReplaceAll(x.String(), "\n", "\n    "))
	}
	if first := r.Primary(); first != nil {
		var following []string
		for _, x := range r.Results {
			if x.Follows == first.Relation {
				following = append(following, x.Relation)
			}
		}
		fmt.Fprintf(&b, "first: %s", first.Relation)
		if len(following) > 0 {
			fmt.Fprintf(&b, "; it may also explain %s", strings.Join(following, ", "))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// String describes the result without the relation's name.
func (x Result) String() string {
	var lines []string
	switch x.Verdict {
	case compare.Pass:
		lines = append(lines, fmt.Sprintf("holds in %d comparisons: %s", x.Compared, x.Text))
	case compare.Fail:
		lines = append(lines, "BROKEN: "+x.Text+", but", x.Breach.String())
	default:
		lines = append(lines, "not judged: "+x.Refused)
	}
	return strings.Join(append(lines, x.Notes...), "\n")
}

// MarshalJSON writes the report in the format of docs/report.schema.json. The verdict "error" means
// that a relation could not be judged.
func (r *Report) MarshalJSON() ([]byte, error) {
	type plain Report // without this method
	verdict, reason := "pass", ""
	switch {
	case r.Primary() != nil:
		verdict, reason = "fail", r.Headline()
	case r.Refused() != nil:
		verdict, reason = "error", r.Headline()
	}
	written := plain(*r)
	written.Results = slices.Clone(r.Results)
	for i, x := range r.Results {
		written.Results[i].Verdict = cmp.Or(x.Verdict, "error")
	}
	return json.Marshal(struct {
		schema.Schema
		Verdict string `json:"verdict"`
		Reason  string `json:"reason"`
		plain
	}{schema.Of("relations"), verdict, reason, written})
}
