package shards

import (
	"fmt"
	"strconv"

	"github.com/modelparity/modelparity/internal/reportfile"
)

// modelparity's own environment variables.
const (
	indexVariable = "MODELPARITY_SHARD_INDEX" // from 0
	totalVariable = "MODELPARITY_SHARD_TOTAL"
)

// server contains the variables with which one kind of build server passes a job's share.
type server struct {
	index, total string
	first        int // the index of the first shard
}

// servers lists the build servers in the order in which they are tried.
var servers = []server{
	{indexVariable, totalVariable, 0},
	{"BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0}, // Buildkite
	{"CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0},                 // CircleCI
	{"SYSTEM_JOBPOSITIONINPHASE", "SYSTEM_TOTALJOBSINPHASE", 1},   // Azure Pipelines
	{"JOB_COMPLETION_INDEX", totalVariable, 0},                    // Kubernetes, indexed jobs
}

// shareIn reads the share of the specs that this process runs from the variables. The total is 0 if
// no variables are set or if there is a single shard. It is an error if the share is invalid, or if
// only one of modelparity's two variables is set.
func shareIn(getenv func(string) string) (share reportfile.Share, err error) {
	for _, s := range servers {
		index, total := getenv(s.index), getenv(s.total)
		if total == "1" {
			return share, nil
		}
		if index == "" || total == "" {
			continue // a later pair may be complete
		}
		if s.first == 1 && getenv("SYSTEM_PARALLELEXECUTIONTYPE") == "MultiConfiguration" {
			continue // every job of a matrix runs all specs
		}
		i, wrong := strconv.Atoi(index)
		n, also := strconv.Atoi(total)
		i -= s.first
		if wrong != nil || also != nil || n < 1 || i < 0 || i >= n {
			return share, fmt.Errorf("%s=%s and %s=%s select no shard: expected an index counted from "+
				"%d, and a total that includes it", s.index, index, s.total, total, s.first)
		}
		return reportfile.Share{Index: i, Total: n, From: s.index + "," + s.total}, nil
	}
	if index, total := getenv(indexVariable), getenv(totalVariable); (index == "") != (total == "") {
		return share, fmt.Errorf("%s=%s and %s=%s: both must be set, or neither", indexVariable, index,
			totalVariable, total)
	}
	return share, nil
}
