package ginkgoreport

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/internal/reportfile"
	"github.com/modelparity/modelparity/internal/tally"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/report/internal/kept"
)

// Suite completes the reports of a Ginkgo suite. It also delays updates of golden files to the end
// of the spec that makes them: if the spec passes, the updates are written, otherwise they are
// discarded. Every spec that writes a golden file gets a report entry with the change of each
// output. After the suite, a summary lists the written files and the reasons for skipped specs, so
// that a missing backend does not look like success. If nothing was skipped or written, there is no
// summary.
//
// After a complete run, in which every spec ran and passed, the summary lists the golden files that
// no spec used. GOLDEN_UPDATE=diff fails the specs whose golden files an update would write. If
// GITHUB_STEP_SUMMARY names a file, the summary and the failures are appended to it as Markdown. On
// GitHub, each failure also becomes an annotation at its line.
//
// A spec with a ginkgo.ComponentSemVerConstraint on an engine runs only if the installed engine
// satisfies it; otherwise the engine's Require function skips the spec. The engine's name is
// onnxruntime, openvino, tensorrt or tract:
//
//	It("runs the new operators", ComponentSemVerConstraint("onnxruntime", ">= 1.30"), func() {
//
// Each spec's engines, versions, models and worst error are report entries, which Ginkgo writes as
// properties into JUnit reports. If the suite calls [Artifacts], `go test -json` also prints them,
// as attributes.
//
// The summary ends with a table of models and engines. For each pair, it shows how many specs
// passed, and the largest error in the comparisons that these specs attached ([Attach]). If specs
// were skipped and no engine ran, the summary says so; if no spec passed either, `go test` adds
// "[no tests to run]" to its "ok".
//
// Call Suite once, in the declaration of a package-level variable that is not used:
//
//	var _ = ginkgoreport.Suite()
func Suite() bool {
	tally.Unfit = unfit
	tally.Take()          // discard runs from before the suite
	var spec *golden.Spec // the current spec of this process, which runs one at a time
	suite := ""           // the suite's text, which only the first process knows
	ginkgo.ReportBeforeSuite(func(r ginkgo.Report) { suite = r.SuiteDescription })
	ginkgo.ReportBeforeEach(func(r ginkgo.SpecReport) {
		spec = golden.Begin(r.FullText(), choosing(suite, r.FullText(), r.LeafNodeLocation)...)
	})
	ginkgo.BeforeEach(func() {
		r := ginkgo.CurrentSpecReport()
		if r.NumAttempts > 1 {
			spec.Again(r.MaxFlakeAttempts > 0)
		}
	})
	seen := 0
	ginkgo.ReportAfterEach(func(r ginkgo.SpecReport) {
		changes, err := spec.End(r.State.Is(types.SpecStatePassed))
		for _, change := range changes {
			matchers.Announce(change)
		}
		all := matchers.Updated()
		for _, change := range all[seen:] {
			name := WrittenEntry
			if !change.Wrote() {
				name = unwrittenEntry
			}
			ginkgo.AddReportEntry(name, entryOf(change), r.LeafNodeLocation)
		}
		seen = len(all)
		if files := goldentree.TakeUses(); len(files) > 0 {
			ginkgo.AddReportEntry(reportfile.Used, files, r.LeafNodeLocation,
				ginkgo.ReportEntryVisibilityNever)
		}
		if runs := tally.Take(); len(runs) > 0 {
			ginkgo.AddReportEntry(reportfile.Runs, runs, r.LeafNodeLocation,
				ginkgo.ReportEntryVisibilityNever)
			err = errors.Join(err, describe(r, runs))
		}
		if err != nil {
			ginkgo.Fail("modelparity: " + err.Error())
		}
	})
	return ginkgo.ReportAfterSuite("modelparity", func(r ginkgo.Report) {
		s, err := summarise(r)
		if err == nil {
			s.Unused, err = unusedBy(r)
		}
		if err != nil {
			ginkgo.Fail("modelparity: cannot read the report entries: " + err.Error())
		}
		for _, c := range s.Ran {
			if suiteT != nil {
				kept.Describe(suiteT.Attr, c.Name, c.Version, c.Model, c.Worst)
			}
		}
		if s.String() != "" {
			ginkgo.AddReportEntry("modelparity: summary", s)
		}
		if os.Getenv("GITHUB_ACTIONS") == "true" {
			var text bytes.Buffer
			annotate(&text, r, s, os.Getenv("GITHUB_WORKSPACE"))
			if text.Len() > 0 { // start a new line after Ginkgo's dots, as commands need
				fmt.Print("\n" + text.String())
			}
		}
		if s.NoEngine && r.SuiteSucceeded && passed(r) == 0 {
			fmt.Print(noTests)
		}
		if path := os.Getenv("GITHUB_STEP_SUMMARY"); path != "" {
			// one write, since steps of one job may share the file
			if err := wholefile.Append(path, []byte(s.markdown(r))); err != nil {
				ginkgo.Fail("modelparity: GITHUB_STEP_SUMMARY: " + err.Error())
			}
		}
	})
}

// noTests makes go test append "[no tests to run]" to the line of a passing package. Without -v, go
// test prints that line but not noTests.
const noTests = "\ntesting: warning: no tests to run\n"

// passed returns the number of specs that passed.
func passed(r ginkgo.Report) int {
	return r.SpecReports.WithLeafNodeType(types.NodeTypeIt).CountWithState(types.SpecStatePassed)
}
