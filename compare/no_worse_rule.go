package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// noWorse is the rule of [NoWorseThan] for one output of one iteration.
type noWorse struct {
	format     string
	pool       *pooled // nil where the rule was read from JSON, or nothing is known of the output
	iteration  int
	falseAlarm float64
	published  bool
}

func (w *noWorse) name() string { return "no_worse_than" }

func (w *noWorse) text() string {
	if w.published {
		return "no worse than " + w.format + ", by AWS's gate as published"
	}
	return fmt.Sprintf("no worse than %s, with a false alarm once in %.0f", w.format,
		1/w.falseAlarm)
}

func (w *noWorse) parameters() parameters {
	return parameters{atol: nan, rtol: nan, limit: w.falseAlarm, format: w.format,
		published: w.published}
}

func (w *noWorse) validate() error { return nil }

func (w *noWorse) measure(p pair, r *Result, _ int) error {
	r.Value, r.Limit = nan, nan
	if w.pool == nil {
		return errors.New("nothing is known of what a lower precision does to it")
	}
	counted := w.pool.counted[w.iteration]
	if !slices.Contains(counted, true) {
		r.hollow = hollow("keep what overflows in float32, or hold it otherwise",
			"%s leaves no element that it could be held to", w.format)
		return nil
	}
	differ := 0
	for i, held := range counted {
		switch {
		case !held:
		case !w.pool.floats:
			if valueOf(p.actual, i) != valueOf(p.expected, i) {
				differ++
			}
		case math.IsNaN(w.pool.actual[w.iteration][i]) || math.IsInf(w.pool.actual[w.iteration][i], 0):
			differ++
		}
	}
	var parts []string
	if differ > 0 {
		r.Mismatches, r.Verdict = differ, Fail
		parts = append(parts, fmt.Sprintf("%d elements differ that %s does not change", differ, w.format))
	}
	parts = append(parts, w.conclude(r)...)
	if w.pool.overflows > 0 {
		parts = append(parts, fmt.Sprintf("%d elements left out, which overflow in %s", w.pool.overflows,
			w.format))
	}
	if len(parts) == 0 {
		parts = append(parts, "equal")
	}
	r.Text = strings.Join(parts, "; ")
	return nil
}

// conclude adds the verdict over all iterations, which the worst of them bears.
func (w *noWorse) conclude(r *Result) []string {
	p := w.pool
	if !p.concluded {
		return nil
	}
	if w.iteration != p.worst {
		return []string{fmt.Sprintf("judged with iteration %d, the worst", p.worst)}
	}
	by := p.rejectedBy
	if w.published {
		by = p.published
	} else {
		r.Value, r.Limit = max(p.rms/p.bar, p.greatest/mostGreatest), 1
	}
	if len(by) == 0 {
		return []string{p.text(w.format)}
	}
	r.Verdict = Fail
	return []string{"rejected by " + strings.Join(by, " and ") + ": " + p.text(w.format)}
}

func (w *noWorse) holds(r *Result) bool { return r.Verdict == Pass }

func (w *noWorse) reason(r *Result) string {
	return "worse than " + w.format + ": " + r.Text
}

func (w *noWorse) figures(r *Result) string { return r.Text }

func (w *noWorse) elements() elementRule { return nil }

func (w *noWorse) mean([]Result) (Result, bool) { return Result{}, false }

// suggest offers nothing: what the format causes is measured, not chosen.
func (w *noWorse) suggest(pair, Result, *Required) {}
