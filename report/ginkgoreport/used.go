package ginkgoreport

import (
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/internal/reportfile"
)

// unusedBy returns the golden files that no spec used. It returns nil if the run was incomplete,
// which means that a spec was skipped, failed or was left out, or that a process died.
func unusedBy(r ginkgo.Report) ([]string, error) {
	its := r.SpecReports.WithLeafNodeType(types.NodeTypeIt)
	all := max(len(its), r.PreRunStats.TotalSpecs) // some specs may have left no report
	if !r.SuiteSucceeded || r.SuiteHasProgrammaticFocus || passed(r) < all {
		return nil, nil
	}
	var files []string
	for _, spec := range r.SpecReports {
		lists, err := entriesOf[[]string](spec, reportfile.Used)
		if err != nil {
			return nil, err
		}
		files = append(files, slices.Concat(lists...)...)
	}
	return goldentree.Unused(files), nil
}
