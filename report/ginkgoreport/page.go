package ginkgoreport

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/onsi/ginkgo/v2"

	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/report/pages"
)

// Page writes an HTML report at the end of the suite, whether it passed or failed; see package
// pages. If path is empty, Page writes nothing, so a variable can switch it on. In addition to the
// specs, the page shows the comparisons that they [Attach], and the pictures that they [Save] in a
// folder inside the suite's folder.
//
//	var _ = ginkgoreport.Page("report.html")
//
// In a parallel suite, one process writes the page for all processes.
func Page(path string) bool {
	return ginkgo.ReportAfterSuite("modelparity: page", func(r ginkgo.Report) {
		if path == "" {
			return
		}
		if err := writePage(path, r); err != nil {
			ginkgo.Fail("modelparity: cannot write the page: " + err.Error())
		}
	})
}

func writePage(path string, r ginkgo.Report) error {
	report, err := json.Marshal([]ginkgo.Report{r})
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := pages.WriteFrom(&page, bytes.NewReader(report)); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return wholefile.WriteBytes(path, page.Bytes())
}
