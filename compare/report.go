package compare

import (
	"github.com/modelparity/modelparity/tensor"
)

// Verdict is the result of a comparison. If a comparison is set up wrongly, it returns an error
// instead of a verdict.
type Verdict string

// The two verdicts.
const (
	Pass Verdict = "pass"
	Fail Verdict = "fail"
)

// Report is the result of comparing sets or runs. Printing or marshalling a report does not change
// it. A report keeps the compared tensors in memory.
type Report struct {
	Verdict Verdict `json:"verdict"`
	// Reason is one line that says why the report fails; it is empty for a pass.
	Reason string `json:"reason"`
	// Outputs contains the outputs in the order of the actual side, iteration by iteration; outputs
	// that only the expected side has follow at the end of their iteration.
	Outputs []Output `json:"outputs"`
	// LeftOut names the outputs that Options.Only and Except left out.
	LeftOut []string `json:"left_out,omitempty"`
	// Notes contain anything else the reader should know, such as that only a sample was compared.
	Notes []string `json:"notes,omitempty"`
}

// Averaged is the value of Output.Iteration if the output's numbers are averages over all
// iterations.
const Averaged = -1

// Output is the result for one output in one iteration.
type Output struct {
	// Name is the name on the actual side. For an output that only the expected side has, it is the
	// name there.
	Name string
	// ExpectedName is the name on the expected side. It differs from Name only if Options.Names maps
	// one to the other.
	ExpectedName string
	// Iteration counts from 0; see [Averaged].
	Iteration int
	Verdict   Verdict
	// Reason says in one line why the output fails; it is empty for a pass.
	Reason string
	// Actual and Expected are the tensors as they were compared, after reshaping and top-k. For a
	// sequence or a map, they contain its elements as one tensor (see tensor.Value). One is nil if
	// only the other side has the output. Both are nil for an averaged output, and in a report read
	// from JSON.
	Actual, Expected *tensor.Tensor
	// Results has one entry for each check, in order. It is empty if the values were not compared,
	// for example because the shapes differ.
	Results []Result

	rules equality // which values count as equal, for Statistics
	// values contains both sides of an output that is a sequence or a map; its pointers are nil for a
	// tensor. ranked says that Actual and Expected contain the indices of the largest elements
	// (top-k).
	values struct {
		actual, expected *tensor.Value
		ranked           bool
	}
	// known contains the statistics, and stored the types and shapes, of a report that was read from
	// JSON, because JSON does not contain the tensors.
	known  *Statistics
	stored kinds

	empty bool // both sides are empty, in every iteration

	// barred says that the output fails regardless of its checks.
	barred bool
}

// Result is the result of one check.
type Result struct {
	Check   Check   `json:"check"`
	Verdict Verdict `json:"verdict"`
	// Abs and Rel are the statistics of the absolute and of the relative errors that [Within]
	// compared with its tolerances. They are NaN for an elementwise check, and if the statistic
	// itself is NaN.
	Abs float64 `json:"abs"`
	Rel float64 `json:"rel"`
	// Value is the number that any other check compared with its limit: an L2 norm, a similarity in
	// [−1,1], decibels, the largest ULP distance, or the fraction of agreeing rows.
	Value float64 `json:"value"`
	// Limit is the limit for Value. It is NaN for a rule that does not compare a single number.
	Limit float64 `json:"limit"`
	// Mismatches is the number of elements (rows for TopKAgreement and KL, entries for Indices) that
	// the check found out of tolerance, or −1 if it does not count them. Of is the number of elements
	// or rows.
	Mismatches int `json:"mismatches"`
	Of         int `json:"of"`
	// Text is the line that a rule made by [Func] or [WithinNoise] reports; it is "" for other
	// rules.
	Text string `json:"text,omitempty"`

	hollow *Powerless // why a pass would prove nothing, or nil
}

// kinds contains the type and shape of each side. It is nil for a side that does not have the
// output.
type kinds struct{ actual, expected *jsonTensor }
