package tolerances_test

import (
	"fmt"
	"math"
	"strings"
)

// line returns the row of the table.
func (r *row) line() string {
	cells := []string{r.model, fmt.Sprint(r.results)}
	for _, n := range r.alarms {
		cells = append(cells, fmt.Sprint(n))
	}
	cells = append(cells, fmt.Sprintf("%.2g", r.greatest), fmt.Sprint(r.faults))
	for _, n := range r.missed {
		cells = append(cells, fmt.Sprint(n))
	}
	least := "–"
	if r.faults > 0 {
		least = fmt.Sprintf("%.2g", r.least)
	}
	return "| " + strings.Join(append(cells, least, fmt.Sprint(r.hidden)), " | ") + " |"
}

// page returns the table as Markdown, with notes on missing measurements.
func page(rows []*row) string {
	var b strings.Builder
	models := 0 // with results
	sum := &row{model: "**all**", least: math.Inf(1)}
	names := ""
	for _, r := range rules {
		names += " " + r.name + " |"
	}
	b.WriteString(head)
	fmt.Fprintf(&b, "| model | results |%s greatest | faults |%s least | hidden |\n", names, names)
	b.WriteString("|" + strings.Repeat(" --- |", 2*len(rules)+6) + "\n")
	for _, r := range rows {
		sum.outputs, sum.undecided = sum.outputs+r.outputs, sum.undecided+r.undecided
		if r.results > 0 {
			models++
		}
		sum.results, sum.faults = sum.results+r.results, sum.faults+r.faults
		sum.greatest, sum.hidden = max(sum.greatest, r.greatest), sum.hidden+r.hidden
		if r.faults > 0 {
			sum.least = min(sum.least, r.least)
		}
		for k := range rules {
			sum.alarms[k], sum.missed[k] = sum.alarms[k]+r.alarms[k], sum.missed[k]+r.missed[k]
		}
		b.WriteString(r.line() + "\n")
	}
	b.WriteString(sum.line() + "\n")
	b.WriteString("\n" + proven(sum, models))
	for _, r := range rows {
		for _, note := range r.notes {
			note, _, _ = strings.Cut(note, "\n")
			if len(note) > 100 {
				note = note[:100] + "…"
			}
			fmt.Fprintf(&b, "\n- %s: %s", r.model, note)
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// proven describes what the table proves about false alarms.
func proven(sum *row, models int) string {
	text := fmt.Sprintf("%d false alarms of noise in %d distinct results, of %d outputs",
		sum.alarms[byNoise], sum.results, sum.outputs)
	if sum.alarms[byNoise] == 0 && sum.results > 0 {
		text += fmt.Sprintf(bound, atMost(sum.results), models, atMost(models))
	}
	text += ".\n"
	if sum.undecided > 0 {
		text += fmt.Sprintf(undecided, sum.undecided)
	}
	return text
}

const bound = `: were the results independent, the
true rate would be below %.2g %% with 95 %% confidence. They are not: results of one model share its
weights, its expected run and one measurement of σ, and two exports of a module share the weights.
Counted by model, 0 of %d have a false alarm, which proves no more than a rate below %.2g %%`

const undecided = `
%d results of quantised models are beyond noise. They are in no column: noise does not judge them,
and its error says so.
`

// atMost is the upper 95 % confidence bound, in percent, of a rate with no event in n: (1−p)ⁿ = 5
// %.
func atMost(n int) float64 { return 100 * (1 - math.Pow(0.05, 1/float64(n))) }

const head = `# False alarms and missed faults, measured

` + "`make tolerances`" + ` writes this page: correct engines and planted faults, judged by
[noise](../noise.md) and by the fixed tolerances that are in use. Polygraphy's rule with 1e-3, 1e-4
and 1e-5; torch.testing.assert_close for float32 (atol 1e-5, rtol 1.3e-6); ONNX's backend tests
(atol 1e-7, rtol 1e-3). The reference is ONNX Runtime as it is.

- *results*: outputs of a correct engine for one input, identical bits counted once: ONNX Runtime
  at four levels of optimisation on one and two threads, OpenVINO in float32, tract; and, of the
  field suite's models, what ONNX Runtime makes of the forms that other tools rewrote them in.
  Models of lower precision (fp16, qdq, qoperator, dynamic) count separately. The first six
  columns count false alarms.
- *greatest*: the greatest error of a correct engine over its bar, by noise.
- *faults*: weights that were changed by the power that noise prints, or by up to 30 times that:
  one weight or all of a tensor, in the first, the middle and the last one, run without
  optimisation. The second six columns count those that a rule lets pass. They are small ones, of
  the size that noise is said to see.
- *least*: the smallest error of a fault over its bar; *hidden*: places where no change up to 100 %
  shows.

`
