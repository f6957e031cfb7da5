package decisions

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// Findings is the result of [Judge].
type Findings struct {
	Rule    string   // the rule in words
	Outputs []string // the compared outputs; the first one decides
	Pass    bool
	// Reason says in one line why the comparison fails; it is empty for a pass.
	Reason string
	// Unit names what a decision is about, in the plural: "rows", "pairs", "pixels", "boxes",
	// "sequences", "positions".
	Unit string
	// Decisions counts all decisions. Excused counts the flips that the rule excuses, Unexcused all
	// other flips.
	Decisions, Unexcused, Excused int
	// Flips lists up to five flips that are not excused, and then up to five excused flips. Of each
	// kind, it lists the flips with the largest margins.
	Flips []Flip
	// Measures contains further numbers, such as Kendall's τ.
	Measures []Measure
	// Notes contains further lines for the reader.
	Notes []string
	// Allowed is the share of decisions that may flip without an excuse. It is +Inf if the verdict
	// depends only on Measures.
	Allowed float64

	could            int    // how many flips of a run of zeros the rule would not excuse
	idle             string // why the other decisions would not flip, for messages
	broken           string // why the actual run fails whatever the rule allows, or ""
	several          bool   // whether there are several iterations
	beyond, forgiven []Flip
}

// Flip is one decision that differs between the two sides.
type Flip struct {
	Where string // "row 3", "iteration 1, row 3"
	// Actual and Expected describe the decision of each side: classes, indices, tokens, boxes.
	Actual, Expected string
	// Margin is how far the expected numbers must move before the expected decision flips too. It is
	// +Inf if nothing excuses the flip.
	Margin  float64
	Excused bool
}

// String returns the flip for messages: "row 3: 7, expected 2 (margin 0.0012)".
func (f Flip) String() string {
	text := fmt.Sprintf("%s: %s, expected %s", f.Where, f.Actual, f.Expected)
	if math.IsInf(f.Margin, 1) {
		return text
	}
	return text + fmt.Sprintf(" (margin %s)", figures.Short(f.Margin))
}

// Measure is one named number, such as Kendall's τ.
type Measure struct {
	Name  string
	Value float64
	// Limit is the limit for Value, or NaN if there is none.
	Limit float64
	// AtMost says that Limit is an upper limit, not a lower one.
	AtMost bool
	// Error is the standard error of Value, or 0 or NaN if unknown.
	Error float64

	ifEqual, ifWrong float64 // the values if the actual run equals the expected run, or is wrong
}

// Holds reports whether Value is within Limit. A Value of NaN never is. Without a limit, Holds
// returns true.
func (m Measure) Holds() bool {
	switch {
	case math.IsNaN(m.Limit):
		return true
	case m.AtMost:
		return m.Value <= m.Limit
	}
	return m.Value >= m.Limit
}

// String returns text such as "NDCG at 10 is 0.93, want at least 0.99", or "NDCG at 10 0.93"
// without a limit.
func (m Measure) String() string {
	value := figures.Short(m.Value)
	if !m.Holds() && value == figures.Short(m.Limit) {
		value = figures.Exact(m.Value) // a rounded number could make a failure look like a pass
	}
	if m.Error > 0 {
		value += fmt.Sprintf(" ± %.2g", m.Error)
	}
	switch {
	case math.IsNaN(m.Limit):
		return m.Name + " " + value
	case m.AtMost:
		return m.Name + " is " + value + ", want at most " + figures.Exact(m.Limit)
	}
	return m.Name + " is " + value + ", want at least " + figures.Exact(m.Limit)
}

// shownFlips is the number of flips of each kind that a report lists.
const shownFlips = 5

// inf is +Inf. As the margin of a flip, it is larger than the margin that any rule allows.
var inf = math.Inf(1)

// maxMargin is the largest margin that a rule may have.
const maxMargin = math.MaxFloat64

// flip counts a flip, and lists it if its margin is among the largest.
func (f *Findings) flip(flip Flip) { f.flips(flip, 1) }

// flips counts n flips. It lists one of them, the given flip, if that flip's margin is among the
// largest.
func (f *Findings) flips(flip Flip, n int) {
	list, count := &f.beyond, &f.Unexcused
	if flip.Excused {
		list, count = &f.forgiven, &f.Excused
	}
	*count += n
	at, _ := slices.BinarySearchFunc(*list, flip, func(x, y Flip) int {
		if x.Margin >= y.Margin { // with equal margins, the earlier flip comes first
			return -1
		}
		return 1
	})
	if at < shownFlips {
		*list = slices.Insert(*list, at, flip)
		*list = (*list)[:min(len(*list), shownFlips)]
	}
}

// tell adds a named number to the findings. The number is only reported: no limit applies to it.
func (f *Findings) tell(name string, value float64) { f.atLeast(name, value, 0, 0) }

// row returns the name of a row: "row 3", or "iteration 1, row 3" if there are several iterations.
func (f *Findings) row(iteration, row int) string {
	return f.in(iteration, fmt.Sprintf("row %d", row))
}

// in returns the name of a place in the outputs. If the runs have several iterations, the iteration
// comes first: "iteration 1, row 3".
func (f *Findings) in(iteration int, place string) string {
	if f.several {
		return fmt.Sprintf("iteration %d, %s", iteration, place)
	}
	return place
}

// conclude sets the verdict and the reason.
func (f *Findings) conclude() {
	f.Flips = append(slices.Clone(f.beyond), f.forgiven...)
	var reasons []string
	if float64(f.Unexcused) > f.Allowed*float64(f.Decisions) {
		text := fmt.Sprintf("%s that flip and are not excused by the rule: %d of %d", f.Unit,
			f.Unexcused, f.Decisions)
		if f.Allowed > 0 {
			text += fmt.Sprintf(" (%s, at most %s)",
				figures.Percent(float64(f.Unexcused)/float64(f.Decisions)), figures.Percent(f.Allowed))
		}
		reasons = append(reasons, text)
	}
	for _, m := range f.Measures {
		if !m.Holds() {
			reasons = append(reasons, m.String())
		}
	}
	if f.broken != "" && len(reasons) == 0 {
		reasons = []string{f.broken}
	}
	f.Pass, f.Reason = len(reasons) == 0, strings.Join(reasons, "; ")
}

// Text returns the findings for a reader. It ends with a newline.
func (f *Findings) Text() string {
	var b strings.Builder
	if f.Reason != "" {
		b.WriteString(f.Reason + "\n")
	}
	if f.Decisions > 0 {
		fmt.Fprintf(&b, "%d %s; flips: %d not excused, %d excused\n", f.Decisions, f.Unit,
			f.Unexcused, f.Excused)
	}
	for _, list := range []struct {
		name  string
		flips []Flip
		all   int
	}{{"not excused", f.beyond, f.Unexcused}, {"excused", f.forgiven, f.Excused}} {
		if len(list.flips) == 0 {
			continue
		}
		shown := ""
		if len(list.flips) < list.all {
			shown = ", the largest margins"
		}
		fmt.Fprintf(&b, "%s%s:\n", list.name, shown)
		for _, flip := range list.flips {
			fmt.Fprintf(&b, "    %v\n", flip)
		}
	}
	for _, m := range f.Measures {
		verdict := ""
		if !m.Holds() {
			verdict = "fails: "
		}
		fmt.Fprintf(&b, "%s%v\n", verdict, m)
	}
	for _, note := range f.Notes {
		b.WriteString(note + "\n")
	}
	return b.String()
}

// Report converts the findings to a report of package compare, for report files and entries. The
// report lists every compared output in each iteration. Each output gets the overall verdict. Each
// number in Measures becomes a check.
func (f *Findings) Report(actual, expected []*tensor.Set) compare.Report {
	verdict := func(pass bool) compare.Verdict {
		if pass {
			return compare.Pass
		}
		return compare.Fail
	}
	result := func(name string, pass bool, value, limit float64) compare.Result {
		return compare.Result{Check: compare.Func(name, nil), Verdict: verdict(pass), Abs: math.NaN(),
			Rel: math.NaN(), Value: value, Limit: limit, Mismatches: -1}
	}
	flips := result(f.Rule, f.Pass, math.NaN(), math.NaN())
	if f.Decisions > 0 {
		flips.Value, flips.Mismatches = float64(f.Unexcused)/float64(f.Decisions), f.Unexcused
		if !math.IsInf(f.Allowed, 1) {
			flips.Limit = f.Allowed
		}
		flips.Text = fmt.Sprintf("%s that flip and are not excused by the rule: %d of %d; excused: %d",
			f.Unit, f.Unexcused, f.Decisions, f.Excused)
	}
	results := []compare.Result{flips}
	for _, m := range f.Measures {
		results = append(results, result(m.Name, m.Holds(), m.Value, m.Limit))
	}
	r := compare.Report{Verdict: verdict(f.Pass), Reason: f.Reason}
	for i := range max(len(actual), len(expected)) {
		for _, name := range f.Outputs {
			o := compare.Output{Name: name, ExpectedName: name, Iteration: i, Verdict: r.Verdict,
				Reason: f.Reason, Results: results}
			if i < len(actual) {
				o.Actual, _ = actual[i].Get(name)
			}
			if i < len(expected) {
				o.Expected, _ = expected[i].Get(name)
			}
			r.Outputs = append(r.Outputs, o)
		}
	}
	return r
}
