package matchers

import (
	"github.com/modelparity/modelparity/compare"
)

// Outcome is what a comparison came to, for those who show it: see [OutputsMatcher.ReportTo] and
// package report. It marshals to JSON whatever the numbers are, NaN included.
type Outcome struct {
	// Actual and Expected name the two sides: backend, version, model, golden file.
	Actual   string `json:"actual"`
	Expected string `json:"expected"`
	// Golden says that the golden file was written, and how far each output moved. The report is
	// then about the run and the file that was written from it.
	Golden string `json:"golden,omitempty"`
	// Report is the comparison itself.
	Report compare.Report `json:"report"`

	maker  string   // of the file that Expected names, where it is one
	notes  []string // what else explains a difference
	remedy string   // the lines that end a failure: files to open, command to run
}
