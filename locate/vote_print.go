package locate

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/names"
)

// ruleText describes in words the checks in the options.
func ruleText(o compare.Options) string {
	var words []string
	for _, c := range o.Checks {
		words = append(words, c.String())
	}
	text := strings.Join(words, " and ")
	if len(o.PerOutput) > 0 {
		text += ", and separate rules for some outputs"
	}
	return text
}

// Text returns the whole report: the voters, the vote on each output, and how and where engines
// differ from the majority. It ends with a newline.
func (r *VoteReport) Text() string {
	var b strings.Builder
	votes := len(r.Voters) - len(r.Refused())
	fmt.Fprintf(&b, "%d engines, inputs %s, every pair checked with %s\n", votes,
		names.Line(r.Inputs), r.Rule)
	for _, v := range r.Voters {
		if v.Refused != "" {
			fmt.Fprintf(&b, "  %s did not run and has no vote: %s\n", v.Name, v.Refused)
		} else {
			fmt.Fprintf(&b, "  %s: %v, %s\n", v.Name, v.Provenance, v.Provenance.Precision())
		}
	}
	for i := range r.Outputs {
		b.WriteString(r.Outputs[i].text())
	}
	for i := range r.Apart {
		a := &r.Apart[i]
		b.WriteString(located(a.Name, a.Against, a.Located, a.Problem))
	}
	return b.String()
}

// Headline returns one line that names the outputs on which engines disagree, and the engines
// outside the majority.
func (r *VoteReport) Headline() string {
	var lines []string
	for i := range r.Outputs {
		if o := &r.Outputs[i]; o.Outcome != Agreed {
			lines = append(lines, names.Line(o.Name)+": "+o.sentence())
		}
	}
	if len(lines) == 0 {
		return fmt.Sprintf("all %d engines agree", len(r.Voters)-len(r.Refused()))
	}
	return strings.Join(lines, "; ")
}

// sentence describes the outcome of the vote on the output in one sentence.
func (o *VoteOutput) sentence() string {
	switch o.Outcome {
	case Agreed:
		return "all agree"
	case OddOneOut:
		return fmt.Sprintf("%s disagrees with the majority: %s agree", o.Apart[0], list(o.Camps[0]))
	case SeveralApart:
		return fmt.Sprintf("%s disagree with the majority: %s agree", list(o.Apart), list(o.Camps[0]))
	case Tied:
		if len(o.Camps[0]) == 1 {
			return fmt.Sprintf("%s and %s differ; add a third engine to see which one it agrees with",
				o.Camps[0][0], o.Camps[1][0])
		}
		var camps []string
		for _, camp := range o.Camps {
			camps = append(camps, list(camp))
		}
		return "a tie: " + strings.Join(camps, " against ")
	case Scattered:
		if len(o.Camps[0]) == 1 {
			return "no two engines agree"
		}
		return fmt.Sprintf("no majority: only %s agree", list(o.Camps[0]))
	}
	return "undecided: two engines differ but both agree with a third, so the tolerance is about as " +
		"large as their differences"
}

// list joins names for use in a sentence: "a", "a and b", "a, b and c".
func list(texts []string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " and " + texts[last]
}

// text describes the vote on the output. If the engines do not all agree, it also describes each
// pair of engines.
func (o *VoteOutput) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", names.Line(o.Name), o.sentence())
	if o.Caution != "" {
		fmt.Fprintf(&b, "  caution: %s\n", o.Caution)
	}
	if o.Outcome == Agreed {
		return b.String()
	}
	for _, p := range o.Pairs {
		if p.Agree {
			fmt.Fprintf(&b, "  %s, %s: agree (max abs %v, max rel %v)\n", p.A, p.B, p.Abs, p.Rel)
			continue
		}
		fmt.Fprintf(&b, "  %s, %s: differ (max abs %v, max rel %v", p.A, p.B, p.Abs, p.Rel)
		if p.Iteration > 0 {
			fmt.Fprintf(&b, ", iteration %d", p.Iteration)
		}
		fmt.Fprintf(&b, "): %s\n", p.Reason)
	}
	return b.String()
}

// located says where inside the model one engine first differs from the other, or why that is not
// known.
func located(actual, expected string, found *Finding, problem string) string {
	switch {
	case found != nil:
		return fmt.Sprintf("%s compared with %s, inside the model: %s\n", actual, expected,
			names.Line(found.Cause))
	case problem != "":
		return fmt.Sprintf("cannot locate where %s differs from %s: %s\n", actual, expected,
			strings.TrimPrefix(problem, "locate: "))
	}
	return ""
}
