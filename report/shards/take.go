package shards

import (
	"os"
	"runtime/debug"
	"strings"

	"github.com/onsi/ginkgo/v2"

	"github.com/modelparity/modelparity/internal/reportfile"
)

// What this process takes, from its first moment on: nodes at the top of a suite are made while
// packages are initialised.
var (
	current  = &tree{seen: map[string]int{}, units: map[string]string{}}
	declared reportfile.Share
	fault    error
	called   bool
)

func init() {
	t, err := take()
	fault = err
	if err == nil && t.total > 1 {
		folder, _ := os.Getwd() // "" is no suite's
		var p plan
		p, fault = readPlan(t.total, os.Getenv(weightsVariable), folder, pkg())
		declared = reportfile.Share{Index: t.index, Total: t.total, Package: pkg(), Weights: p.weights,
			From: t.from, Note: p.note}
		current.plan, current.own = p, declared
	}
	ginkgo.AddTreeConstructionNodeArgsTransformer(current.node)
}

// pkg is the import path of the package under test, where the go command built the binary.
func pkg() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return strings.TrimSuffix(info.Path, ".test")
	}
	return ""
}

// Take takes this process's share of the suite that it is called in. Call it once, while the tree
// is built; the result is only there to be assigned:
//
//	var _ = shards.Take()
//
// The share comes from the first of these that is set, and without any every spec runs:
//
//	MODELPARITY_SHARD_INDEX, MODELPARITY_SHARD_TOTAL      from 0; you set them, as in a GitHub matrix
//	TEST_SHARD_INDEX, TEST_TOTAL_SHARDS                   Bazel
//	BUILDKITE_PARALLEL_JOB, BUILDKITE_PARALLEL_JOB_COUNT  Buildkite
//	CIRCLE_NODE_INDEX, CIRCLE_NODE_TOTAL                  CircleCI
//	SYSTEM_JOBPOSITIONINPHASE, SYSTEM_TOTALJOBSINPHASE    Azure Pipelines: parallel, not matrix
//	JOB_COMPLETION_INDEX, MODELPARITY_SHARD_TOTAL         Kubernetes, in an indexed job
//
// MODELPARITY_SHARD_TOTAL=1 turns sharding off. Variables that name no shard fail the suite.
//
// MODELPARITY_SHARD_WEIGHTS names a JSON report of an earlier run, such as `modelparity report
// merge` writes, whose timings balance the shards. It must be the same file in every shard.
// MODELPARITY_SHARD_REPORT names a file to write: Ginkgo's JSON report, which of other shards'
// specs holds no more than merging takes.
func Take() bool {
	if called {
		return true // of two files, one
	}
	called = true
	ginkgo.ReportBeforeSuite(func(ginkgo.Report) {
		if fault != nil {
			ginkgo.Fail("modelparity: shards: " + fault.Error())
		}
	})
	ginkgo.ReportAfterEach(func(r ginkgo.SpecReport) {
		if unit := current.units[r.FullText()]; unit != "" {
			ginkgo.AddReportEntry(reportfile.Unit, unit, r.LeafNodeLocation,
				ginkgo.ReportEntryVisibilityNever)
		}
	})
	return ginkgo.ReportAfterSuite("modelparity: shard", func(r ginkgo.Report) {
		if declared.Total > 1 {
			ginkgo.AddReportEntry(reportfile.Shard, declared)
		}
		if path := os.Getenv(thinVariable); path != "" {
			if err := writeThin(path, r, declared); err != nil {
				ginkgo.Fail("modelparity: shards: " + thinVariable + ": " + err.Error())
			}
		}
	})
}
