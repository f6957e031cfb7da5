package pages

import (
	"time"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/reportfile"
	"github.com/modelparity/modelparity/locate"
)

type page struct {
	Policy    string
	Counts    []count
	Engines   []string
	Rows      []row
	Cases     []*item
	Sources   []source
	Skipped   map[string]int // the number of skipped specs by reason
	Dates     []string
	History   []past
	Labels    []string
	Shortened bool
}

// count is the number of items in one state.
type count struct {
	State string
	N     int
}

// row is a row of the grid: a model, with a cell for each engine.
type row struct {
	Model string
	Cells []cell
}

// cell summarizes the comparisons of one model in one engine. N is the number of comparisons.
type cell struct {
	N, Failed int
	State     string
	Worst     string // largest relative error
	Case      int    // the number of the worst case
	worst     float64
}

// item is a spec, or a report that is not from a suite.
type item struct {
	N           int
	State       string
	Name        string
	Suite       string
	Labels      []string
	Where       string
	Time        time.Duration
	Failures    []string
	Reason      string
	Comparisons []*comparison
	Pictures    []picture
	Divergence  *divergence
	Entries     []reportfile.Entry
	Raw         string
	Worst       string
	worst       float64
	start       time.Time
	document    bool // whether it is a command's report
}

type comparison struct {
	compare.Pair
	State   string
	Notes   []string
	Outputs []*output

	model, engine string
	worst         float64 // largest relative error
	relMax        string
}

type output struct {
	compare.Output
	compare.Statistics
	State    string
	Kinds    string
	AbsMax   string
	RelMax   string
	Counted  string
	Detailed bool
	AbsBars  *bars
	RelBars  *bars
}

// divergence describes where two runs begin to differ.
type divergence struct {
	*locate.Finding
	Left int // number of tensors omitted from the table
}

// source is a report or one of its suites.
type source struct {
	Path, Suite, Start, Verdict string
	Time                        time.Duration
	Specs                       int
	Details                     string
}

// past is a spec's history: its results in several reports.
type past struct {
	Name  string
	Cells []pastCell
}

type pastCell struct{ State, Worst string }

// The states of specs on the page.
const (
	passed  = "passed"
	failed  = "failed"
	ignored = "skipped"
	pending = "pending"
)

// detailed is the maximum number of passing outputs shown with statistics; more would make the page
// slow.
const detailed = 400

func verdictState(v compare.Verdict) string {
	if v == compare.Pass {
		return passed
	}
	return failed
}

func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}
