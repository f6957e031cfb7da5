package shards

import (
	"os"
	"runtime/debug"
	"strings"

	"github.com/onsi/ginkgo/v2"

	"github.com/modelparity/modelparity/internal/reportfile"
)

// The variables that select this process's shard are read when the package is initialised, because
// specs can be created in package-level variables.
var (
	current = &tree{seen: map[string]int{}, units: map[string]string{}}
	fault   error
	called  bool
)

func init() {
	t, err := take()
	fault = err
	if err == nil && t.Total > 1 {
		folder, _ := os.Getwd() // "" matches no suite
		t.Package = pkg()
		current.own = t
		current.plan, fault = readPlan(t.Total, os.Getenv(weightsVariable), folder, t.Package)
	}
	ginkgo.AddTreeConstructionNodeArgsTransformer(current.node)
}

// pkg returns the import path of the package under test, or "" if the go command did not build the
// binary.
func pkg() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return strings.TrimSuffix(info.Path, ".test")
	}
	return ""
}

// Take restricts the suite to this process's shard. Call Take once, in the declaration of a
// package-level variable that is not used:
//
//	var _ = shards.Take()
//
// The first pair of variables that is set determines the shard. If no pair is set, all specs run:
//
//	MODELPARITY_SHARD_INDEX, MODELPARITY_SHARD_TOTAL      from 0; you set them, as in a GitHub matrix
//	TEST_SHARD_INDEX, TEST_TOTAL_SHARDS                   Bazel
//	BUILDKITE_PARALLEL_JOB, BUILDKITE_PARALLEL_JOB_COUNT  Buildkite
//	CIRCLE_NODE_INDEX, CIRCLE_NODE_TOTAL                  CircleCI
//	SYSTEM_JOBPOSITIONINPHASE, SYSTEM_TOTALJOBSINPHASE    Azure Pipelines: parallel, not matrix
//	JOB_COMPLETION_INDEX, MODELPARITY_SHARD_TOTAL         Kubernetes, in an indexed job
//
// MODELPARITY_SHARD_TOTAL=1 disables sharding. Invalid variables fail the suite.
//
// MODELPARITY_SHARD_WEIGHTS names a JSON report of an earlier run, for example from `modelparity
// report merge`. Its timings are used to balance the shards, so all shards must use the same file.
func Take() bool {
	if called {
		return true // a second call, in another file, changes nothing
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
	return ginkgo.ReportAfterSuite("modelparity: shard", func(ginkgo.Report) {
		if own := current.own; own.Total > 1 {
			own.Weights = current.plan.weights
			ginkgo.AddReportEntry(reportfile.Shard, own)
		}
	})
}
