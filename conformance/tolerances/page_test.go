package tolerances_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// line returns the row of the table.
func (r *row) line() string {
	cells := []string{r.Model, fmt.Sprint(r.Results)}
	for _, n := range r.Alarms {
		cells = append(cells, fmt.Sprint(n))
	}
	greatest := fmt.Sprintf("%.2g", r.Greatest)
	if r.Greatest == math.MaxFloat64 {
		greatest = "∞"
	}
	cells = append(cells, greatest, fmt.Sprint(r.Faults))
	for _, n := range r.Missed {
		cells = append(cells, fmt.Sprint(n))
	}
	least := "–"
	if r.Faults > 0 {
		least = fmt.Sprintf("%.2g", r.Least)
	}
	wider, caught := "–", "–"
	if len(r.Wider) > 0 {
		wider = fmt.Sprintf("%.2g", median(r.Wider))
	}
	if c := total(r.Large); c.Engines > 0 {
		caught = fmt.Sprintf("%d of %d", c.Engines-c.Wrong, c.Engines)
	}
	cells = append(cells, least, fmt.Sprint(r.Hidden), wider, caught)
	return "| " + strings.Join(cells, " | ") + " |"
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// page returns the table as Markdown, with notes on missing measurements.
func page(rows []*row) string {
	var b strings.Builder
	models := 0 // with results
	sum := &row{Model: "**all**", Least: math.MaxFloat64, Large: map[string]counts{}}
	names := ""
	for _, r := range rules {
		names += " " + r.name + " |"
	}
	b.WriteString(head)
	fmt.Fprintf(&b, "| model | results |%s largest | faults |%s smallest | hidden |"+
		" wider | caught |\n", names, names)
	b.WriteString("|" + strings.Repeat(" --- |", 2*len(rules)+8) + "\n")
	for _, r := range rows {
		sum.Outputs, sum.Undecided = sum.Outputs+r.Outputs, sum.Undecided+r.Undecided
		if r.Results > 0 {
			models++
		}
		sum.Results, sum.Faults = sum.Results+r.Results, sum.Faults+r.Faults
		sum.Greatest, sum.Hidden = max(sum.Greatest, r.Greatest), sum.Hidden+r.Hidden
		if r.Faults > 0 {
			sum.Least = min(sum.Least, r.Least)
		}
		sum.Wider = append(sum.Wider, r.Wider...)
		add(sum.Large, r.Large)
		for k := range rules {
			sum.Alarms[k], sum.Missed[k] = sum.Alarms[k]+r.Alarms[k], sum.Missed[k]+r.Missed[k]
		}
		b.WriteString(r.line() + "\n")
	}
	b.WriteString(sum.line() + "\n")
	b.WriteString("\n" + proven(sum, models))
	if len(sum.Large) > 0 {
		b.WriteString("\nThe faults of *caught* by kind:\n\n")
		writeKinds(&b, sum.Large)
	}
	for _, r := range rows {
		for _, note := range r.Notes {
			note, _, _ = strings.Cut(note, "\n")
			if len(note) > 90 {
				note = note[:90] + "…"
			}
			fmt.Fprintf(&b, "\n- %s: %s", r.Model, note)
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// proven describes what the table proves about false alarms.
func proven(sum *row, models int) string {
	text := fmt.Sprintf("%d false alarms of noise in %d distinct results, of %d outputs",
		sum.Alarms[byNoise], sum.Results, sum.Outputs)
	if sum.Alarms[byNoise] == 0 && sum.Results > 0 {
		text += fmt.Sprintf(bound, atMost(sum.Results), models, atMost(models))
	}
	text += ".\n"
	if sum.Undecided > 0 {
		text += fmt.Sprintf(undecided, sum.Undecided)
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
[noise](../noise.md) and by fixed tolerances in common use: Polygraphy's rule with 1e-3, 1e-4 and
1e-5; torch.testing.assert_close for float32 (atol 1e-5, rtol 1.3e-6); ONNX's backend tests (atol
1e-7, rtol 1e-3). The reference is ONNX Runtime with its defaults.

- *results*: outputs of a correct engine for one input, identical bits counted once: ONNX Runtime
  at four levels of optimisation on one and two threads, OpenVINO in float32, tract; and, for the
  models of real exporters, ONNX Runtime's results for the versions that other tools rewrote.
  Models of lower precision (fp16, qdq, qoperator, dynamic) count separately. The first six
  columns count false alarms.
- *largest*: the largest error of a correct engine, divided by the limit of noise.
- *faults*: weights that were changed by the size of fault that noise promises to catch, or by up
  to 30 times that: one weight or all of a tensor, in the first, the middle and the last one, run
  without optimisation. The second six columns count the faults that a rule passes. The faults are
  small by design.
- *smallest*: the smallest error of a fault, divided by the limit; *hidden*: places where no change
  up to 100 % shows.
- *wider*: the limit of noise divided by the limit of an oracle that knows the spread, from 64 runs
  whose hidden axes are permuted; the median over the results. *caught*: of the faults with at
  least ten times that spread (a layer in TF32 or bfloat16, a weight or a layer off, a bias lost),
  those that noise rejects. Both only for models whose sums can be permuted
  (conformance/tolerances/make).

`
