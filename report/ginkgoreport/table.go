package ginkgoreport

import (
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/internal/reportfile"
	"github.com/modelparity/modelparity/internal/tally"
	"github.com/modelparity/modelparity/report/internal/kept"
)

type cell struct {
	tally.Run
	Passed int `json:"passed"` // number of specs
	Failed int `json:"failed,omitempty"`
	// Worst is the largest absolute error of a reported comparison, or nil if there was none.
	Worst *float64 `json:"-"`
}

func (c *cell) text() string {
	if c == nil {
		return "–"
	}
	text := fmt.Sprintf("%d passed", c.Passed)
	if c.Failed > 0 {
		text = fmt.Sprintf("%d of %d failed", c.Failed, c.Failed+c.Passed)
	}
	if c.Worst != nil {
		text += fmt.Sprintf(", max abs %.3g", *c.Worst)
	}
	return text
}

// cells returns a cell for each model and engine that ran, in the order of their first runs.
func cells(r ginkgo.Report) ([]*cell, error) {
	var all []*cell
	for _, spec := range r.SpecReports {
		seen := map[*cell]bool{}
		lists, err := entriesOf[[]tally.Run](spec, reportfile.Runs)
		if err != nil {
			return nil, err
		}
		for _, run := range slices.Concat(lists...) {
			c := find(all, run.Model, run.Engine)
			if c == nil {
				c = &cell{Run: run}
				all = append(all, c)
			}
			if seen[c] {
				continue
			}
			seen[c] = true
			if spec.State.Is(types.SpecStateFailureStates) {
				c.Failed++
			} else {
				c.Passed++
			}
		}
		documents, err := entriesOf[compare.Document](spec, ComparisonEntry)
		if err != nil {
			return nil, err
		}
		for _, d := range documents {
			for c := range seen {
				c.worsen(d)
			}
		}
	}
	return all, nil
}

// find returns the cell for a model and an engine, or nil.
func find(all []*cell, model, engine string) *cell {
	for _, c := range all {
		if c.Model == model && c.Engine == engine {
			return c
		}
	}
	return nil
}

// worsen raises Worst to the largest error of those comparisons in d whose actual outputs come from
// the cell's engine. NaN exceeds all numbers.
func (c *cell) worsen(d compare.Document) {
	for _, p := range d.Pairs {
		if !strings.Contains(p.Actual, c.Engine) {
			continue
		}
		worst := kept.Worst(p.Report)
		if c.Worst == nil || worst != nil && figures.Worse(*worst, *c.Worst) {
			c.Worst = worst
		}
	}
}

// table formats the cells with models in rows and engines in columns. Each line begins with left
// and ends with right, and middle separates its columns.
func table(all []*cell, left, middle, right string, rule bool) []string {
	var models, engines []string
	for _, c := range all {
		if !slices.Contains(models, c.Model) {
			models = append(models, c.Model)
		}
		if !slices.Contains(engines, c.Engine) {
			engines = append(engines, c.Engine)
		}
	}
	rows := [][]string{{"model"}}
	for _, engine := range engines {
		rows[0] = append(rows[0], names.Line(engine))
	}
	if rule {
		rows = append(rows, strings.Split(strings.Repeat("---,", len(engines))+"---", ","))
	}
	for _, model := range models {
		row := []string{names.Line(model)}
		for _, engine := range engines {
			row = append(row, find(all, model, engine).text())
		}
		rows = append(rows, row)
	}
	figures.Pad(rows)
	var lines []string
	for _, row := range rows {
		lines = append(lines, strings.TrimRight(left+strings.Join(row, middle)+right, " "))
	}
	return lines
}
