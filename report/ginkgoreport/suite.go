package ginkgoreport

import (
	"bytes"
	"fmt"
	"os"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/tally"
	"github.com/modelparity/modelparity/matchers"
)

// Suite completes the reports of a Ginkgo suite, and lets updates of golden files wait for the end
// of their spec: they are made when it has passed all its attempts, and discarded when it has not.
// Every spec that writes a golden file gets an entry that says how far each output moved. After the
// suite a summary lists those files, and the reasons for which specs were skipped, so that a
// missing backend does not look green. A suite that skipped and wrote nothing says nothing.
//
// After a complete run it lists the golden files that no spec used, and under GOLDEN_UPDATE=usage
// it records what each used, for `modelparity golden gc`. Under GOLDEN_UPDATE=diff a spec fails
// whose golden file an update would write. Where GITHUB_STEP_SUMMARY names a file, the summary is
// appended to it, in Markdown, with the failures. On GitHub each failure annotates its
// line.
//
// A table of models and engines ends the summary: how many specs of each passed, and the greatest
// error of those whose comparisons are reported ([Attach]). Where specs were skipped and no engine
// ran at all, the summary says so, and `go test` adds "[no tests to run]" to its "ok".
//
// Call it once, while the tree is built; the result is only there to be assigned:
//
//	var _ = ginkgoreport.Suite()
func Suite() bool {
	golden.WillEnd()
	tally.Take()          // what ran before
	var spec *golden.Spec // of this process: its specs run one after the other
	suite := ""           // its text; known to the first process alone
	ginkgo.ReportBeforeSuite(func(r ginkgo.Report) { suite = r.SuiteDescription })
	ginkgo.ReportBeforeEach(func(r ginkgo.SpecReport) {
		spec = golden.Begin(r.FullText(), choosing(suite, r.FullText(), r.LeafNodeLocation)...)
	})
	ginkgo.BeforeEach(func() {
		r := ginkgo.CurrentSpecReport()
		if r.NumAttempts > 1 {
			spec.Again()
		}
		if r.MaxFlakeAttempts > 0 && r.NumAttempts > 1 {
			spec.Discard() // what an attempt wanted that failed
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
		if files := golden.TakeUses(); len(files) > 0 {
			ginkgo.AddReportEntry(usedEntry, used{files}, r.LeafNodeLocation,
				ginkgo.ReportEntryVisibilityNever)
		}
		if runs := tally.Take(); len(runs) > 0 {
			ginkgo.AddReportEntry(runsEntry, ranIn{runs}, r.LeafNodeLocation,
				ginkgo.ReportEntryVisibilityNever)
		}
		if err != nil {
			ginkgo.Fail("modelparity: " + err.Error())
		}
	})
	return ginkgo.ReportAfterSuite("modelparity", func(r ginkgo.Report) {
		s, err := summarise(r)
		if err != nil {
			ginkgo.Fail("modelparity: the report entries cannot be read: " + err.Error())
		}
		use, unrecorded := usedBy(r)
		s.Unused, s.Manifest = use.Unused, use.Manifest
		if !s.empty() {
			ginkgo.AddReportEntry("modelparity: summary", s)
		}
		if os.Getenv("GITHUB_ACTIONS") == "true" {
			var text bytes.Buffer
			annotate(&text, r, s, os.Getenv("GITHUB_WORKSPACE"))
			if text.Len() > 0 { // a command begins a line, and Ginkgo's dots have not ended theirs
				fmt.Print("\n" + text.String())
			}
		}
		if s.NoEngine && r.SuiteSucceeded && passed(r) == 0 {
			fmt.Print(noTests)
		}
		if path := os.Getenv("GITHUB_STEP_SUMMARY"); path != "" {
			if err := appendTo(path, s.markdown(r)); err != nil {
				ginkgo.Fail("modelparity: GITHUB_STEP_SUMMARY: " + err.Error())
			}
		}
		if unrecorded != nil {
			ginkgo.Fail("modelparity: " + unrecorded.Error())
		}
	})
}

// noTests is by what `go test` learns that a package ran nothing: without -v it prints no more of a
// package that passes than a line, which then ends in "[no tests to run]".
const noTests = "\ntesting: warning: no tests to run\n"

// passed is how many specs passed.
func passed(r ginkgo.Report) (n int) {
	for _, spec := range r.SpecReports.WithLeafNodeType(types.NodeTypeIt) {
		if spec.State.Is(types.SpecStatePassed) {
			n++
		}
	}
	return n
}

// appendTo adds text to the end of a file in one write, as the steps of one job share the file.
func appendTo(path, text string) error {
	if text == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		_ = f.Close() // the write's error is the one to tell
		return err
	}
	return f.Close()
}
