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
	// Golden is the path of the golden file that was compared with, if it was one.
	Golden string `json:"golden,omitempty"`
	// Rewritten says that the golden file was written. Report is then about the old file against
	// the new outputs, and Golden passes from now on.
	Rewritten bool `json:"rewritten,omitempty"`
	// Report is the comparison itself.
	Report compare.Report `json:"report"`

	notes  []string // what else explains a difference
	remedy string   // the lines that end a failure: files to open, command to run
}
