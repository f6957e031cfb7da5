package ginkgoreport

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/observed"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/report/pages"
)

// Page writes an HTML report at the end of the suite, whether it passed or failed; see package
// pages. If path is empty, Page does nothing, so a variable can switch it on. The page shows all
// specs with their comparisons, and the pictures that the specs have saved ([Save]) in a folder
// inside the suite's folder or, after [Artifacts], in the artifact folder. Page attaches every
// comparison as [Attach] does, which computes all statistics.
//
//	var _ = ginkgoreport.Page("report.html")
//
// In a parallel suite, one process writes the page for all processes.
func Page(path string) bool {
	if path != "" {
		observed.Comparison = attachInSpec
	}
	return ginkgo.ReportAfterSuite("modelparity: page", func(r ginkgo.Report) {
		if path == "" {
			return
		}
		if err := writePage(place(path), r); err != nil {
			ginkgo.Fail("modelparity: cannot write the page: " + err.Error())
		}
	})
}

// attachInSpec attaches a comparison unless it belongs to a plain test, which has no report.
func attachInSpec(pair compare.Pair) {
	if ginkgo.CurrentSpecReport().LeafNodeType != types.NodeTypeInvalid {
		attach(pair)
	}
}

func writePage(path string, r ginkgo.Report) error {
	report, err := json.Marshal([]ginkgo.Report{r})
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := pages.WriteFrom(&page, place(""), bytes.NewReader(report)); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return wholefile.WriteBytes(path, page.Bytes())
}
