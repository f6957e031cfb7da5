// Package reportfile reads reports: Ginkgo's JSON reports with the entries that matchers add, and
// the reports that `modelparity … --report` writes. All commands use this package to parse reports,
// so that they agree on the content.
//
// A report may come from another machine and is untrusted: every error names the file and the byte,
// suite or spec, and memory is limited to a small multiple of the file's size.
package reportfile

import (
	"encoding/json"
	"time"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/schema"
)

// File is the content of a report file: either Ginkgo's suites or one report of modelparity.
type File struct {
	Path     string
	Suites   []Suite
	Document *Document
}

// Document is a report written by modelparity; see docs/report.schema.json.
type Document struct {
	schema.Schema
	Verdict string `json:"verdict"` // "pass", "fail" or "error"
	Reason  string `json:"reason"`  // the reason for a verdict other than "pass"
	// Comparison is set if the document's kind is "comparison"; otherwise it is nil.
	Comparison *compare.Document `json:"-"`
	// Raw is the document's text in the file.
	Raw json.RawMessage `json:"-"`
}

// Suite is one run of a Ginkgo suite.
type Suite struct {
	SuitePath                  string // folder of the package on the machine that ran the suite
	SuiteDescription           string
	SuiteSucceeded             bool
	SuiteHasProgrammaticFocus  bool
	SpecialSuiteFailureReasons []string // such as "Interrupted by User"
	PreRunStats                struct{ TotalSpecs int }
	StartTime, EndTime         time.Time
	RunTime                    time.Duration
	SuiteConfig                Config
	// Specs contains the reports of specs, and of nodes such as BeforeSuite, in the file's order.
	Specs []Spec `json:"-"`

	head []member // the text of every other member in the file
}

// Config is the part of Ginkgo's configuration that selects and orders specs.
type Config struct {
	RandomSeed    int64
	FocusStrings  []string
	SkipStrings   []string
	FocusFiles    []string
	SkipFiles     []string
	LabelFilter   string
	SemVerFilter  string
	DryRun        bool
	ParallelTotal int
}

// Spec is the report of a spec, or of another Ginkgo node, such as BeforeSuite.
type Spec struct {
	ContainerHierarchyTexts  []string
	ContainerHierarchyLabels [][]string
	LeafNodeType             string // "It" for a spec
	LeafNodeText             string
	LeafNodeLabels           []string
	LeafNodeLocation         Location
	State                    string // see the constants
	IsInOrderedContainer     bool
	RunTime                  time.Duration
	Failure                  *Failure
	AdditionalFailures       []struct {
		State   string
		Failure Failure
	}
	ReportEntries []Entry

	raw json.RawMessage
}

// These are the states of specs that did not fail.
const (
	Passed  = "passed"
	Skipped = "skipped" // Failure.Message says why, unless a filter skipped the spec
	Pending = "pending"
)

// failures lists the states of failed specs.
var failures = []string{"failed", "aborted", "panicked", "interrupted", "timedout"}

// Failure says why a spec failed or was skipped.
type Failure struct{ Message, ForwardedPanic string }

// Location is a place in the source code.
type Location struct {
	FileName   string
	LineNumber int
}

// Entry is a report entry. Value is its value as JSON, and Text is its console output.
type Entry struct {
	Name  string
	Value json.RawMessage
	Text  string
}

// These are the names of report entries that package ginkgoreport writes. The value of a Comparison
// entry is a document of kind "comparison".
const (
	Comparison = "modelparity: comparison"
	Shard      = "modelparity: shard" // entry of a suite; see [Share]
	Unit       = "modelparity: unit"  // entry of a spec in an Ordered container
	Saved      = "modelparity: saved" // the files of a failed comparison
	// The entries Used and Runs list the golden files that a spec used, and the engines that ran in
	// it. In a parallel run, they pass these lists to the process that writes the summary.
	Used = "modelparity: golden used"
	Runs = "modelparity: runs"
)
