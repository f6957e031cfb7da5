package compare

import (
	"github.com/modelparity/modelparity/tensor"
)

// Verdict is the answer of a comparison. A misuse has none: it is an error.
type Verdict string

// The two verdicts.
const (
	Pass Verdict = "pass"
	Fail Verdict = "fail"
)

// Report is what a comparison of sets or runs found. It is a value: printing or marshalling it
// changes nothing, and it keeps the tensors alive that it was made from.
type Report struct {
	Verdict Verdict
	// Reason is one line that says why the report fails, empty where it passes.
	Reason string
	// Outputs are in the order of the actual side, iteration by iteration; lost outputs follow.
	Outputs []Output
	// LeftOut names the outputs that Options.Only and Except left out.
	LeftOut []string
	// Notes are what the reader should know besides, such as that only a sample was compared.
	Notes []string
}

// Averaged is the Iteration of an output whose numbers are averages over all iterations.
const Averaged = -1

// Output is what the comparison found about one output of one iteration.
type Output struct {
	// Name is the name on the actual side, or on the expected side for a lost output.
	Name string
	// ExpectedName is the name on the expected side; it differs only under Options.Names.
	ExpectedName string
	// Iteration counts from 0; see [Averaged].
	Iteration int
	Verdict   Verdict
	// Reason says in one line why the output fails; it is empty for a pass.
	Reason string
	// Actual and Expected are the tensors as they were compared, after reshaping and top-k; for a
	// sequence or a map, its elements as one tensor (see tensor.Value). One is nil where an output is
	// lost or extra; both are nil for an averaged output, and in a report that was read from JSON.
	Actual, Expected *tensor.Tensor
	// Results has one entry for each check, in order. It is empty where the values were not looked
	// at, as with another shape. Do not write to it: passing outputs may share one.
	Results []Result

	rules equality // what counts as equal, for Statistics
	// values are the two sides of an output that is a sequence or a map; nil for a tensor. ranked says
	// that Actual and Expected hold not its elements but their top-k.
	values struct {
		actual, expected *tensor.Value
		ranked           bool
	}
	// known and stored stand for the tensors in a report that was read from JSON.
	known  *Statistics
	stored kinds

	empty bool // both sides are, in every iteration

	// barred is whether the output fails whatever its checks say.
	barred bool
	// Of an averaged output: each check's results over the iterations that have elements, and how
	// many have none.
	gathered [][]Result
	empties  int
}

// Result is what one check found.
type Result struct {
	Check   Check
	Verdict Verdict
	// Abs and Rel are the statistic of the absolute and of the relative error that [Within] compared
	// with its tolerances. They are NaN if the statistic is elementwise, or NaN.
	Abs, Rel float64
	// Value is the number that any other check compared with its limit: an L2 norm, a similarity in
	// [−1,1], decibels, the greatest ULP distance, the fraction of agreeing rows.
	Value float64
	// Limit is the limit of Value, NaN for a rule without one number.
	Limit float64
	// Text is the line of a rule made by [Func] or of [WithinNoise], else "".
	Text string
	// Mismatches is the number of elements (rows for TopKAgreement and KL, entries for Indices) that
	// the check found out of tolerance, or −1 if it does not count them.
	Mismatches int

	of     int        // how many elements or rows there are
	hollow *Powerless // why a pass would prove nothing
}

// kinds are the type and shape of both sides; nil for a side that is not there.
type kinds struct{ actual, expected *jsonTensor }
