package ginkgoreport

import (
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
)

// usedEntry names the report entry about the golden files that a spec used. In a parallel run, the
// entry is how the process that writes the summary learns this. If a process dies, the suite fails,
// and no file counts as unused.
const usedEntry = "modelparity: golden used"

type used struct {
	Files []string `json:"files"`
}

// usedBy tells package goldentree which golden files each spec used. The result contains the files
// that no spec used.
func usedBy(r ginkgo.Report) (goldentree.SuiteUse, error) {
	incomplete := ""
	switch {
	case r.SuiteHasProgrammaticFocus:
		incomplete = "the suite's code focuses on some specs"
	case !r.SuiteSucceeded:
		incomplete = "not every spec of the suite passed"
	}
	its := 0
	var specs []goldentree.SpecUse
	for _, spec := range r.SpecReports {
		lists, err := entriesOf[used](spec, usedEntry)
		if err != nil {
			return goldentree.SuiteUse{}, err
		}
		var files []string
		for _, list := range lists {
			files = append(files, list.Files...)
		}
		if spec.LeafNodeType.Is(types.NodeTypeIt) || len(files) > 0 {
			ran := spec.State.Is(types.SpecStatePassed)
			specs = append(specs, goldentree.SpecUse{Text: spec.FullText(), Ran: ran, Files: files})
		}
		if spec.LeafNodeType.Is(types.NodeTypeIt) {
			its++
		}
	}
	if all := r.PreRunStats.TotalSpecs; its < all && incomplete == "" {
		incomplete = fmt.Sprintf("%d of the suite's %d specs left no report", all-its, all)
	}
	mode, err := golden.Updating()
	if err != nil {
		return goldentree.SuiteUse{}, err
	}
	return goldentree.EndOfSuite(mode == golden.Usage, specs, incomplete)
}
