package report

import (
	"os"

	"github.com/onsi/ginkgo/v2"

	"github.com/modelparity/modelparity/matchers"
)

// Suite completes the reports of a Ginkgo suite. Every spec that rewrites a golden file gets an
// entry that says how far each output moved. After the suite a summary lists those files, and the
// reasons for which specs were skipped, so that a missing backend does not look green. A suite that
// skipped and rewrote nothing says nothing.
//
// Where GITHUB_STEP_SUMMARY names a file, the summary is appended to it, in Markdown, with the
// failures.
//
// Call it once, while the tree is built; the result is only there to be assigned:
//
//	var _ = report.Suite()
func Suite() bool {
	seen := 0 // of this process; specs of one process run one after the other
	ginkgo.AfterEach(func() {
		all := matchers.Rewritten()
		for _, r := range all[seen:] {
			ginkgo.AddReportEntry(RewrittenEntry, rewritten{r.Golden, r.Moved}, here())
		}
		seen = len(all)
	})
	return ginkgo.ReportAfterSuite("modelparity", func(r ginkgo.Report) {
		s, err := summarise(r)
		if err != nil {
			ginkgo.Fail("modelparity: the report entries cannot be read: " + err.Error())
		}
		if !s.empty() {
			ginkgo.AddReportEntry("modelparity: summary", s)
		}
		if path := os.Getenv("GITHUB_STEP_SUMMARY"); path != "" {
			if err := appendTo(path, s.markdown(r)); err != nil {
				ginkgo.Fail("modelparity: GITHUB_STEP_SUMMARY: " + err.Error())
			}
		}
	})
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
