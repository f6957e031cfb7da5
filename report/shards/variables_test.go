package shards

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/reportfile"
)

// none is the result if all specs run.
var none reportfile.Share

func shard(index, total int, from string) reportfile.Share {
	return reportfile.Share{Index: index, Total: total, From: from}
}

var _ = DescribeTable("A share comes from the variables of a build server",
	func(variables map[string]string, want reportfile.Share, wrong string) {
		got, err := selected(func(name string) string { return variables[name] }, "/suite.test")
		if wrong != "" {
			Expect(err).To(MatchError(ContainSubstring(wrong)))
			return
		}
		Expect(err).NotTo(HaveOccurred())
		Expect(got).To(Equal(want))
	},
	Entry("none", map[string]string{}, none, ""),
	Entry("Bazel", map[string]string{"TEST_SHARD_INDEX": "2", "TEST_TOTAL_SHARDS": "8"},
		shard(2, 8, "TEST_SHARD_INDEX,TEST_TOTAL_SHARDS"), ""),
	Entry("Buildkite",
		map[string]string{"BUILDKITE_PARALLEL_JOB": "0", "BUILDKITE_PARALLEL_JOB_COUNT": "5"},
		shard(0, 5, "BUILDKITE_PARALLEL_JOB,BUILDKITE_PARALLEL_JOB_COUNT"), ""),
	Entry("CircleCI", map[string]string{"CIRCLE_NODE_INDEX": "3", "CIRCLE_NODE_TOTAL": "4"},
		shard(3, 4, "CIRCLE_NODE_INDEX,CIRCLE_NODE_TOTAL"), ""),
	Entry("CircleCI without parallelism",
		map[string]string{"CIRCLE_NODE_INDEX": "0", "CIRCLE_NODE_TOTAL": "1"}, none, ""),
	Entry("Azure, which counts from 1",
		map[string]string{"SYSTEM_JOBPOSITIONINPHASE": "4", "SYSTEM_TOTALJOBSINPHASE": "4"},
		shard(3, 4, "SYSTEM_JOBPOSITIONINPHASE,SYSTEM_TOTALJOBSINPHASE"), ""),
	Entry("a matrix of Azure, whose jobs run everything",
		map[string]string{"SYSTEM_JOBPOSITIONINPHASE": "4", "SYSTEM_TOTALJOBSINPHASE": "4",
			"SYSTEM_PARALLELEXECUTIONTYPE": "MultiConfiguration"}, none, ""),
	Entry("an indexed job of Kubernetes",
		map[string]string{"JOB_COMPLETION_INDEX": "6", "MODELPARITY_SHARD_TOTAL": "7"},
		shard(6, 7, "JOB_COMPLETION_INDEX,MODELPARITY_SHARD_TOTAL"), ""),
	Entry("an indexed job without sharding",
		map[string]string{"JOB_COMPLETION_INDEX": "6"}, none, ""),
	Entry("the user's variables take precedence",
		map[string]string{"MODELPARITY_SHARD_INDEX": "1", "MODELPARITY_SHARD_TOTAL": "2",
			"TEST_SHARD_INDEX": "2", "TEST_TOTAL_SHARDS": "8"},
		shard(1, 2, "MODELPARITY_SHARD_INDEX,MODELPARITY_SHARD_TOTAL"), ""),
	Entry("and disable sharding",
		map[string]string{"MODELPARITY_SHARD_TOTAL": "1", "CIRCLE_NODE_INDEX": "3",
			"CIRCLE_NODE_TOTAL": "4"}, none, ""),
	Entry("the share of this program's parent",
		map[string]string{"MODELPARITY_SHARD_TAKEN": "2/8 A,B=/suite.test"}, shard(2, 8, "A,B"), ""),
	Entry("the share of another program, which runs this one",
		map[string]string{"MODELPARITY_SHARD_TAKEN": "2/8 A,B=/other.test"}, none, ""),
	Entry("an index beyond", map[string]string{"TEST_SHARD_INDEX": "8", "TEST_TOTAL_SHARDS": "8"},
		none, "TEST_SHARD_INDEX=8 and TEST_TOTAL_SHARDS=8 select no shard"),
	Entry("below the first",
		map[string]string{"SYSTEM_JOBPOSITIONINPHASE": "0", "SYSTEM_TOTALJOBSINPHASE": "4"},
		none, "expected a shard index counted from 1"),
	Entry("words", map[string]string{"TEST_SHARD_INDEX": "one", "TEST_TOTAL_SHARDS": "8"},
		none, "select no shard"),
	Entry("none of none", map[string]string{"TEST_SHARD_INDEX": "0", "TEST_TOTAL_SHARDS": "0"},
		none, "select no shard"),
	Entry("a total without an index", map[string]string{"MODELPARITY_SHARD_TOTAL": "4"},
		none, "both must be set"),
	Entry("an index without a total", map[string]string{"TEST_SHARD_INDEX": "4"},
		none, "both must be set"),
)
