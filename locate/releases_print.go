package locate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
)

// Agree reports whether no release is bad.
func (r *ReleaseReport) Agree() bool {
	return !slices.ContainsFunc(r.Releases, func(x Release) bool { return x.Verdict == compare.Fail })
}

// Refused returns the first release without a verdict, or nil.
func (r *ReleaseReport) Refused() *Release {
	at := slices.IndexFunc(r.Releases, func(x Release) bool { return x.Refused != "" })
	if at < 0 {
		return nil
	}
	return &r.Releases[at]
}

// Headline summarizes the result in one line.
func (r *ReleaseReport) Headline() string {
	spans := r.spans()
	at := func(version string) int {
		return slices.IndexFunc(r.Releases, func(x Release) bool { return x.Version == version })
	}
	first, last := at(r.Good), at(r.Bad)
	var text string
	switch {
	case r.Agree():
		return "every release that runs the model is good"
	case r.Bad == "":
		return "every release that runs the model is bad: the change is older, or the reference is wrong"
	case first < last:
		text = fmt.Sprintf("%s is the first bad release, and %s the last good one before it", r.Bad,
			r.Good)
	default:
		first, last = last, first
		text = fmt.Sprintf("the oldest releases are bad, up to %s, and %s is the first good one",
			r.Bad, r.Good)
	}
	if between := last - first - 1; between > 0 {
		text += fmt.Sprintf("; %d in between could not be judged", between)
	}
	if len(spans) > 2 {
		text += "; the verdict changes more than once across the releases: " + strings.Join(spans, ", ")
	}
	return text
}

// spans summarizes runs of consecutive releases with the same verdict, as in "good 1.24.1 to
// 1.26.0".
func (r *ReleaseReport) spans() (list []string) {
	ran := r.ran()
	for len(ran) > 0 {
		n := 1
		for n < len(ran) && ran[n].Verdict == ran[0].Verdict {
			n++
		}
		text := ran[0].state() + " " + ran[0].Version
		if n > 1 {
			text += " to " + ran[n-1].Version
		}
		list, ran = append(list, text), ran[n:]
	}
	return list
}

// state returns the verdict as "good" or "bad".
func (r *Release) state() string {
	if r.Verdict == compare.Fail {
		return "bad"
	}
	return "good"
}

// Text returns the whole report: every release, the change, and the place inside the model where
// the change shows. It ends with a newline.
func (r *ReleaseReport) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %d releases; inputs: %s; every release compared with %s; rule: %s\n",
		r.Model, len(r.Releases), r.Inputs, r.Expected, r.Rule)
	width := 0
	for i := range r.Releases {
		width = max(width, len(r.Releases[i].Version))
	}
	for i := range r.Releases {
		x := &r.Releases[i]
		fmt.Fprintf(&b, "  %-*s  ", width, x.Version)
		switch {
		case x.Refused != "":
			fmt.Fprintf(&b, "error: %s\n", strings.ReplaceAll(x.Refused, "\n", "\n    "))
			continue
		case x.Alike != "":
			fmt.Fprintf(&b, "%-4s  bit-identical to %s\n", x.state(), x.Alike)
			continue
		}
		errors := []string{fmt.Sprintf("max abs %v, max rel %v", x.Abs, x.Rel), x.Reason}
		if x.Reason != "" && x.Abs == 0 { // as for another shape
			errors = errors[1:]
		}
		fmt.Fprintf(&b, "%-4s  %s\n", x.state(), strings.TrimSuffix(strings.Join(errors, ": "), ": "))
	}
	fmt.Fprintln(&b, r.Headline())
	b.WriteString(located(r.Bad, r.Good, r.Located, r.Problem))
	return b.String()
}
