package pages

import (
	"math"
	"time"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/reportfile"
	"github.com/modelparity/modelparity/locate"
)

// page is what the template shows.
type page struct {
	Policy    string
	Counts    []count
	Engines   []string
	Rows      []row
	Cases     []*item
	Sources   []source
	Skipped   []skipped
	Slowest   []*item
	Dates     []string
	History   []past
	Labels    []string
	Shortened bool
}

// count is how many cases are in a state.
type count struct {
	State string
	N     int
}

// row is a model, with a cell for each engine.
type row struct {
	Model string
	Cells []cell
}

// cell is the comparisons of a model in an engine; N is 0 where there is none.
type cell struct {
	N, Failed int
	State     string
	Worst     string // relative error
	Case      int    // the number of the worst case
	worst     float64
}

// item is a spec, or a report that is not of a suite.
type item struct {
	N           int
	State       string
	Name        string
	Source      int // index of the report
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
	document    bool // a report of a command
}

// comparison is one run held to another.
type comparison struct {
	Actual, Expected, Golden, State, Reason string
	Notes                                   []string
	LeftOut                                 []string
	Outputs                                 []*output

	model, engine string
	worst         float64 // relative error
	relMax        string
}

// output is what is shown of an output.
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

// divergence is where two runs part.
type divergence struct {
	*locate.Finding
	Layers *layers
	Left   int // tensors that the table leaves out
}

// source is a report, or a suite of one.
type source struct {
	Path, Suite, Start, Verdict string
	Time                        time.Duration
	Specs                       int
	Details                     string
}

// skipped is a reason, and how many specs gave it.
type skipped struct {
	Reason string
	N      int
}

// past is a spec over the reports.
type past struct {
	Name  string
	Cells []pastCell
}

type pastCell struct{ State, Worst string }

// The states of the page: those of specs, in the order of how much they matter.
const (
	passed  = "passed"
	failed  = "failed"
	ignored = "skipped"
	pending = "pending"
)

// detailed is how many outputs that pass are shown with their statistics; a page of more would be
// slow to open.
const detailed = 400

func verdictState(v compare.Verdict) string {
	if v == compare.Pass {
		return passed
	}
	return failed
}

// worse orders errors: NaN, infinity, the greater number.
func worse(a, b float64) bool {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.IsNaN(a) && !math.IsNaN(b)
	}
	return a > b
}

func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}
