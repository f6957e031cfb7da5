package shards

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/reportfile"
)

var _ = DescribeTable("A share comes from the variables of a build server",
	func(variables map[string]string, want reportfile.Share, wrong string) {
		got, err := shareIn(func(name string) string { return variables[name] })
		if wrong != "" {
			Expect(err).To(MatchError(ContainSubstring(wrong)))
			return
		}
		Expect(err).NotTo(HaveOccurred())
		Expect(got).To(Equal(want))
	},
	Entry("none", map[string]string{}, reportfile.Share{}, ""),
	Entry("Buildkite",
		map[string]string{"BUILDKITE_PARALLEL_JOB": "0", "BUILDKITE_PARALLEL_JOB_COUNT": "5"},
		reportfile.Share{Index: 0, Total: 5,
			From: "BUILDKITE_PARALLEL_JOB,BUILDKITE_PARALLEL_JOB_COUNT"}, ""),
	Entry("CircleCI", map[string]string{"CIRCLE_NODE_INDEX": "3", "CIRCLE_NODE_TOTAL": "4"},
		reportfile.Share{Index: 3, Total: 4,
			From: "CIRCLE_NODE_INDEX,CIRCLE_NODE_TOTAL"}, ""),
	Entry("CircleCI without parallelism",
		map[string]string{"CIRCLE_NODE_INDEX": "0", "CIRCLE_NODE_TOTAL": "1"}, reportfile.Share{}, ""),
	Entry("Azure, which counts from 1",
		map[string]string{"SYSTEM_JOBPOSITIONINPHASE": "4", "SYSTEM_TOTALJOBSINPHASE": "4"},
		reportfile.Share{Index: 3, Total: 4,
			From: "SYSTEM_JOBPOSITIONINPHASE,SYSTEM_TOTALJOBSINPHASE"}, ""),
	Entry("a matrix of Azure, whose jobs run everything",
		map[string]string{"SYSTEM_JOBPOSITIONINPHASE": "4", "SYSTEM_TOTALJOBSINPHASE": "4",
			"SYSTEM_PARALLELEXECUTIONTYPE": "MultiConfiguration"}, reportfile.Share{}, ""),
	Entry("an indexed job of Kubernetes",
		map[string]string{"JOB_COMPLETION_INDEX": "6", "MODELPARITY_SHARD_TOTAL": "7"},
		reportfile.Share{Index: 6, Total: 7,
			From: "JOB_COMPLETION_INDEX,MODELPARITY_SHARD_TOTAL"}, ""),
	Entry("an indexed job without sharding",
		map[string]string{"JOB_COMPLETION_INDEX": "6"}, reportfile.Share{}, ""),
	Entry("the user's variables take precedence",
		map[string]string{"MODELPARITY_SHARD_INDEX": "1", "MODELPARITY_SHARD_TOTAL": "2",
			"CIRCLE_NODE_INDEX": "2", "CIRCLE_NODE_TOTAL": "8"},
		reportfile.Share{Index: 1, Total: 2,
			From: "MODELPARITY_SHARD_INDEX,MODELPARITY_SHARD_TOTAL"}, ""),
	Entry("and disable sharding",
		map[string]string{"MODELPARITY_SHARD_TOTAL": "1", "CIRCLE_NODE_INDEX": "3",
			"CIRCLE_NODE_TOTAL": "4"}, reportfile.Share{}, ""),
	Entry("an index beyond", map[string]string{"CIRCLE_NODE_INDEX": "8", "CIRCLE_NODE_TOTAL": "8"},
		reportfile.Share{}, "CIRCLE_NODE_INDEX=8 and CIRCLE_NODE_TOTAL=8 select no shard"),
	Entry("below the first",
		map[string]string{"SYSTEM_JOBPOSITIONINPHASE": "0", "SYSTEM_TOTALJOBSINPHASE": "4"},
		reportfile.Share{}, "expected an index counted from 1"),
	Entry("words", map[string]string{"CIRCLE_NODE_INDEX": "one", "CIRCLE_NODE_TOTAL": "8"},
		reportfile.Share{}, "select no shard"),
	Entry("none of none", map[string]string{"CIRCLE_NODE_INDEX": "0", "CIRCLE_NODE_TOTAL": "0"},
		reportfile.Share{}, "select no shard"),
	Entry("a total without an index", map[string]string{"MODELPARITY_SHARD_TOTAL": "4"},
		reportfile.Share{}, "both must be set"),
	Entry("an index without a total", map[string]string{"MODELPARITY_SHARD_INDEX": "4"},
		reportfile.Share{}, "both must be set"),
)
