package pages

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/modelparity/modelparity/internal/figures"
)

// finish sorts and summarizes the collected content. If several cases have the same name, the page
// shows the latest one, with the others as its history.
func (b *builder) finish() {
	for _, key := range slices.Sorted(maps.Keys(b.all)) {
		latest := b.all[key][0]
		for _, c := range b.all[key] {
			if !c.start.Before(latest.start) {
				latest = c
			}
		}
		b.Cases = append(b.Cases, latest)
	}
	rank := map[string]int{failed: 0, ignored: 2, pending: 1, passed: 3}
	slices.SortStableFunc(b.Cases, func(x, y *item) int {
		return cmp.Or(cmp.Compare(rank[x.State], rank[y.State]), cmp.Compare(x.Suite, y.Suite),
			cmp.Compare(x.Name, y.Name))
	})
	states, reasons, labels := map[string]int{}, map[string]int{}, map[string]bool{}
	for i, c := range b.Cases {
		c.N = i + 1
		states[c.State]++
		if c.State == ignored {
			reasons[c.Reason]++
		}
		for _, label := range c.Labels {
			labels[label] = true
		}
	}
	b.Labels = slices.Sorted(maps.Keys(labels))
	for _, state := range []string{failed, passed, ignored, pending} {
		b.Counts = append(b.Counts, count{state, states[state]})
	}
	b.Skipped = reasons
	b.grid()
	b.history()
}

// grid builds the table of models and engines, with the worst comparison of each pair.
func (b *builder) grid() {
	cells := map[[2]string]*cell{}
	models, engines := map[string]bool{}, map[string]bool{}
	for _, c := range b.Cases {
		for _, of := range c.Comparisons {
			model := cmp.Or(of.model, c.Suite)
			models[model], engines[of.engine] = true, true
			key := [2]string{model, of.engine}
			at := cells[key]
			if at == nil {
				at = &cell{State: passed, Case: c.N}
				cells[key] = at
			}
			at.N++
			if of.State == failed {
				at.Failed++
			}
			if of.State == failed && at.State == passed ||
				of.State == at.State && figures.Worse(of.worst, at.worst) {
				at.State, at.Case = of.State, c.N
				at.worst, at.Worst = of.worst, of.relMax
			}
		}
	}
	b.Engines = slices.Sorted(maps.Keys(engines))
	for _, model := range slices.Sorted(maps.Keys(models)) {
		r := row{Model: model}
		for _, engine := range b.Engines {
			r.Cells = append(r.Cells, *cmp.Or(cells[[2]string{model, engine}], new(cell)))
		}
		b.Rows = append(b.Rows, r)
	}
}

// history lists the specs that occur in several reports, with their results in order of date.
func (b *builder) history() {
	var starts []time.Time
	for key, cases := range b.all {
		if len(cases) < 2 {
			delete(b.all, key)
			continue
		}
		for _, c := range cases {
			if !slices.ContainsFunc(starts, c.start.Equal) {
				starts = append(starts, c.start)
			}
		}
	}
	slices.SortFunc(starts, time.Time.Compare)
	for _, start := range starts {
		b.Dates = append(b.Dates, when(start))
	}
	for _, key := range slices.Sorted(maps.Keys(b.all)) {
		cases := b.all[key]
		p := past{Name: cases[0].Name, Cells: make([]pastCell, len(starts))}
		for _, c := range cases {
			p.Cells[slices.IndexFunc(starts, c.start.Equal)] = pastCell{c.State, c.Worst}
		}
		b.History = append(b.History, p)
	}
}
