// Package reportfile reads reports: Ginkgo's JSON reports with what matchers put into them, and the
// reports that `modelparity … --report` writes. It is the one place where they are parsed, so
// that merging, pages and whatever comes agree on what is in one.
//
// A report comes from another machine, so it is read as hostile: every error names the file and
// the byte, the suite or the spec, and memory stays within a small multiple of the file's size.
package reportfile

import (
	"encoding/json"
	"time"

	"github.com/modelparity/modelparity/compare"
)

// File is a report file: suites, where Ginkgo wrote it, or one document.
type File struct {
	Path     string
	Suites   []Suite
	Document *Document
}

// Document is a report of modelparity's own: see docs/report.schema.json.
type Document struct {
	compare.Schema
	Verdict string `json:"verdict"` // "pass", "fail" or "error"
	Reason  string `json:"reason"`  // why it is not pass
	// Comparison is the document where the kind is "comparison", and nil for other kinds.
	Comparison *compare.Document `json:"-"`
	// Raw is the document as it stands in the file.
	Raw json.RawMessage `json:"-"`
}

// Suite is one run of a Ginkgo suite.
type Suite struct {
	SuitePath                  string // the folder of the package, on the machine that ran it
	SuiteDescription           string
	SuiteSucceeded             bool
	SuiteHasProgrammaticFocus  bool
	SpecialSuiteFailureReasons []string // such as "Interrupted by User"
	PreRunStats                struct {
		TotalSpecs       int
		SpecsThatWillRun int // after filters
	}
	StartTime, EndTime time.Time
	RunTime            time.Duration
	SuiteConfig        Config
	// Specs are the reports of specs and of nodes such as BeforeSuite, in the file's order.
	Specs []Spec `json:"-"`

	head []member // every other member as it stands in the file
}

// Config is the part of Ginkgo's configuration that chooses specs and orders them.
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

// Spec is the report of a spec, or of a node outside specs.
type Spec struct {
	ContainerHierarchyTexts  []string
	ContainerHierarchyLabels [][]string
	LeafNodeType             string // "It" for a spec
	LeafNodeText             string
	LeafNodeLabels           []string
	LeafNodeLocation         Location
	State                    string // see the constants
	IsSerial                 bool
	IsInOrderedContainer     bool
	StartTime, EndTime       time.Time
	RunTime                  time.Duration
	NumAttempts              int
	ParallelProcess          int
	Failure                  *Failure
	AdditionalFailures       []struct {
		State   string
		Failure Failure
	}
	ReportEntries []Entry
	// CapturedGinkgoWriterOutput and CapturedStdOutErr are what the spec printed.
	CapturedGinkgoWriterOutput string
	CapturedStdOutErr          string

	raw json.RawMessage
}

// The states of a spec that say more than how it failed.
const (
	Passed  = "passed"
	Skipped = "skipped" // with a Failure, whose message is the reason, unless a filter chose
	Pending = "pending"
)

// failures are the states of a spec that failed.
var failures = []string{"failed", "aborted", "panicked", "interrupted", "timedout"}

// Failure is why a spec failed, or was skipped.
type Failure struct {
	Message        string
	ForwardedPanic string
	Location       Location
}

// Location is a place in the source, or a text of the user's.
type Location struct {
	FileName      string
	LineNumber    int
	CustomMessage string
}

// Entry is a report entry. Value is its JSON, and Text what consoles show of it.
type Entry struct {
	Name  string
	Value json.RawMessage
	Text  string
}

// The names of the report entries that package ginkgoreport makes; a Comparison's value is a
// document of kind comparison.
const (
	Comparison = "modelparity: comparison"
	Shard      = "modelparity: shard" // of a suite; see [Share]
	Unit       = "modelparity: unit"  // of a spec in an Ordered container: what is sharded whole
)
