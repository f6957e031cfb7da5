package shards

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// The variables of modelparity's own. The first two are for whoever starts the shards.
const (
	indexVariable   = "MODELPARITY_SHARD_INDEX" // from 0
	totalVariable   = "MODELPARITY_SHARD_TOTAL"
	weightsVariable = "MODELPARITY_SHARD_WEIGHTS" // a report with timings
	thinVariable    = "MODELPARITY_SHARD_REPORT"  // a report to write
	// takenVariable is how a test binary that starts itself again, as rules_go's does, hands on the
	// share whose variables it has taken: "INDEX/TOTAL NAMES=PROGRAM".
	takenVariable = "MODELPARITY_SHARD_TAKEN"
)

// server is how one kind of build server says which share a job is to take.
type server struct {
	index, total string
	first        int // the index of the first shard
}

// servers are asked in this order.
var servers = []server{
	{indexVariable, totalVariable, 0},
	{"TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", 0},                  // Bazel
	{"BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0}, // Buildkite
	{"CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0},                 // CircleCI
	{"SYSTEM_JOBPOSITIONINPHASE", "SYSTEM_TOTALJOBSINPHASE", 1},   // Azure Pipelines
	{"JOB_COMPLETION_INDEX", totalVariable, 0},                    // Kubernetes, indexed jobs
}

// taken is a share of a suite; the zero value is none.
type taken struct {
	index, total int
	from         string // the variables that said so
}

// share reads the variables. Without any, or of one shard, the total is 0. What cannot be a share
// is an error, and so is one variable without the other where no server sets it alone.
func share(getenv func(string) string, program string) (taken, error) {
	if handed, of, ok := strings.Cut(getenv(takenVariable), "="); ok && of == program {
		var t taken
		if n, _ := fmt.Sscanf(handed, "%d/%d %s", &t.index, &t.total, &t.from); n == 3 {
			return t, nil
		}
	}
	for _, s := range servers {
		index, total := getenv(s.index), getenv(s.total)
		if total == "1" {
			return taken{}, nil
		}
		if index == "" || total == "" {
			continue // JOB_COMPLETION_INDEX may be the index of the total
		}
		if s.first == 1 && getenv("SYSTEM_PARALLELEXECUTIONTYPE") == "MultiConfiguration" {
			continue // a matrix, each of whose jobs is to run everything
		}
		t := taken{from: s.index + "," + s.total}
		i, wrong := strconv.Atoi(index)
		n, also := strconv.Atoi(total)
		t.index, t.total = i-s.first, n
		if wrong != nil || also != nil || t.total < 1 || t.index < 0 || t.index >= t.total {
			return taken{}, fmt.Errorf("%s=%s and %s=%s name no shard: want an index from %d and how "+
				"many there are", s.index, index, s.total, total, s.first)
		}
		return t, nil
	}
	for _, s := range servers[:2] {
		if index, total := getenv(s.index), getenv(s.total); (index == "") != (total == "") {
			return taken{}, fmt.Errorf("%s=%s and %s=%s: both must be set, or neither", s.index, index,
				s.total, total)
		}
	}
	return taken{}, nil
}

// take reads the share of this process, and takes the variables of Bazel's protocol out of the
// environment: rules_go's main leaves out tests by them, and the one that runs Ginkgo would be in
// one shard alone. It touches the file by which Bazel learns that sharding is known.
func take() (taken, error) {
	program, err := os.Executable()
	if err != nil {
		return taken{}, err
	}
	t, err := share(os.Getenv, program)
	if err != nil || t.total == 0 || os.Getenv("TEST_TOTAL_SHARDS") == "" {
		return t, err
	}
	if path := os.Getenv("TEST_SHARD_STATUS_FILE"); path != "" {
		touched, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
		if err == nil {
			err = touched.Close()
		}
		if err != nil {
			return t, fmt.Errorf("TEST_SHARD_STATUS_FILE: %w", err)
		}
	}
	hand := fmt.Sprintf("%d/%d %s=%s", t.index, t.total, t.from, program)
	if err := os.Setenv(takenVariable, hand); err != nil {
		return t, err
	}
	for _, name := range []string{"TEST_TOTAL_SHARDS", "TEST_SHARD_INDEX", "TEST_SHARD_STATUS_FILE"} {
		if err := os.Unsetenv(name); err != nil {
			return t, err
		}
	}
	return t, nil
}
