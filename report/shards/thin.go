package shards

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/modelparity/modelparity/internal/reportfile"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// writeThin writes the suite's report. It reduces specs of other shards to texts, labels and
// states, because merging needs no more. With ten thousand specs on two hundred shards, those specs
// are 99.5 % of every full report.
func writeThin(path string, r ginkgo.Report, share reportfile.Share) error {
	specs := make([]any, 0, len(r.SpecReports)+1)
	for _, spec := range r.SpecReports {
		if !elsewhere(spec, share) {
			specs = append(specs, spec)
			continue
		}
		thin := thinSpec{spec.ContainerHierarchyTexts, spec.LeafNodeType, spec.LeafNodeText,
			spec.LeafNodeLabels, spec.State, nil}
		if message := spec.Failure.Message; message != "" {
			thin.Failure = &thinFailure{message}
		}
		specs = append(specs, thin)
	}
	if share.Total > 1 { // this node has no report yet
		specs = append(specs, types.SpecReport{LeafNodeType: types.NodeTypeReportAfterSuite,
			State: types.SpecStatePassed, ReportEntries: types.ReportEntries{{Name: reportfile.Shard,
				Value: types.WrapEntryValue(share)}}})
	}
	r.SpecReports = nil
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return wholefile.Write(path, func(w io.Writer) error {
		return json.NewEncoder(w).Encode([]thinReport{{r, specs}})
	})
}

type thinReport struct {
	ginkgo.Report
	SpecReports []any
}

type thinSpec struct {
	ContainerHierarchyTexts []string
	LeafNodeType            types.NodeType
	LeafNodeText            string
	LeafNodeLabels          []string
	State                   types.SpecState
	Failure                 *thinFailure `json:",omitempty"`
}

type thinFailure struct{ Message string }

// elsewhere reports whether a spec belongs to another shard and therefore did not run here.
func elsewhere(spec ginkgo.SpecReport, share reportfile.Share) bool {
	if !spec.State.Is(types.SpecStateSkipped | types.SpecStatePending) {
		return false
	}
	owner, ok := reportfile.Spec{LeafNodeLabels: spec.LeafNodeLabels}.Shard()
	return ok && owner.Index != share.Index
}
