package relations

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
)

// Result is what was found of one relation.
type Result struct {
	Relation string `json:"relation"` // [Relation.Name]
	Text     string `json:"text"`     // what must hold
	// Verdict is Pass, Fail, or "" where the relation could not be judged, for the reason in Refused.
	Verdict compare.Verdict `json:"verdict"`
	Refused string          `json:"refused,omitempty"`
	// Compared is how many outputs, or rows of outputs, were held to others.
	Compared int      `json:"compared"`
	Notes    []string `json:"notes,omitempty"`
	Breach   *Breach  `json:"breach,omitempty"`
	// Follows names the broken relation that this breach follows from.
	Follows string `json:"follows,omitempty"`
}

// Report is what was found of several relations of one model in one engine.
type Report struct {
	Model   string   `json:"model"`
	Engine  string   `json:"engine"`
	Rule    string   `json:"rule"`
	Results []Result `json:"results"`
}

// implies says which relations break whenever one does: nothing else is known of a run that does
// not repeat, and a row that feels its neighbours is not that of another batch, or order.
var implies = map[string][]string{
	"repeat": {"rebuild", "threads", "marking", "levels", "rows", "batch", "order", "padding",
		"steps", "rollback", "sequences", "shift", "under"},
	"rebuild": {"levels", "marking"},
	"rows":    {"batch", "order"},
	"batch":   {"order"},
}

// precedence is the order in which breaches are told.
var precedence = []string{"repeat", "rebuild", "threads", "marking", "levels", "rows", "batch",
	"order", "padding", "steps", "rollback", "sequences", "shift", "under"}

// rank finds which breaches follow from others.
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

// Holds reports whether every relation was judged and holds.
func (r *Report) Holds() bool {
	return !slices.ContainsFunc(r.Results, func(x Result) bool { return x.Verdict != compare.Pass })
}

// Primary is the broken relation that the others follow from, or nil where none is broken.
func (r *Report) Primary() *Result {
	for _, name := range precedence {
		for i := range r.Results {
			if x := &r.Results[i]; x.Relation == name && x.Verdict == compare.Fail {
				return x
			}
		}
	}
	for i := range r.Results { // whatever it is called
		if x := &r.Results[i]; x.Verdict == compare.Fail {
			return x
		}
	}
	return nil
}

// Refused is the first relation that could not be judged, or nil.
func (r *Report) Refused() *Result {
	for i := range r.Results {
		if r.Results[i].Verdict == "" {
			return &r.Results[i]
		}
	}
	return nil
}

// Headline is the verdict in one line.
func (r *Report) Headline() string {
	switch first, refused := r.Primary(), r.Refused(); {
	case first != nil:
		head, _, _ := strings.Cut(first.Breach.String(), "\n")
		return fmt.Sprintf("%s is broken: %s", first.Relation, head)
	case refused != nil:
		return fmt.Sprintf("%s could not be judged: %s", refused.Relation, refused.Refused)
	}
	held := make([]string, len(r.Results))
	for i, x := range r.Results {
		held[i] = x.Relation
	}
	verb := " holds "
	if len(held) > 1 {
		verb = " hold "
	}
	return strings.Join(held, ", ") + verb + r.Rule
}

// Text is the report for people. It ends with a newline.
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
			fmt.Fprintf(&b, "; %s may follow from it", strings.Join(following, ", "))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// String is the result in lines, without the relation's name.
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

// MarshalJSON writes the result; the verdict of one that could not be judged is "error".
func (x Result) MarshalJSON() ([]byte, error) {
	type plain Result
	if x.Verdict == "" {
		x.Verdict = "error"
	}
	return json.Marshal(plain(x))
}

// MarshalJSON writes the report as docs/report.schema.json has it.
func (r *Report) MarshalJSON() ([]byte, error) {
	type plain Report
	verdict, reason := "pass", ""
	switch {
	case r.Primary() != nil:
		verdict, reason = "fail", r.Headline()
	case r.Refused() != nil:
		verdict, reason = "error", r.Headline()
	}
	return json.Marshal(struct {
		compare.Schema
		Verdict string `json:"verdict"`
		Reason  string `json:"reason"`
		*plain
	}{compare.SchemaOf("relations"), verdict, reason, (*plain)(r)})
}
