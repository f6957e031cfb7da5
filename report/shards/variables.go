package shards

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/reportfile"
)

// modelparity's own environment variables. Users set the first three.
const (
	indexVariable   = "MODELPARITY_SHARD_INDEX" // from 0
	totalVariable   = "MODELPARITY_SHARD_TOTAL"
	weightsVariable = "MODELPARITY_SHARD_WEIGHTS" // path of a report with timings
	// A test binary of rules_go may restart itself, after [take] has removed Bazel's variables.
	// takenVariable passes the shard to the restarted binary. Its value is "INDEX/TOTAL
	// NAMES=PROGRAM": the shard, the names of the variables that selected the shard, and the path of
	// the test binary.
	takenVariable = "MODELPARITY_SHARD_TAKEN"
)

// buildServer names the environment variables in which a build server passes the index of a job's
// shard and the number of shards.
type buildServer struct {
	index, total string
	first        int // the index of the first shard
}

// servers lists the build servers in the order in which they are tried.
var servers = []buildServer{
	{indexVariable, totalVariable, 0},
	{"TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", 0},                  // Bazel
	{"BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0}, // Buildkite
	{"CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0},                 // CircleCI
	{"SYSTEM_JOBPOSITIONINPHASE", "SYSTEM_TOTALJOBSINPHASE", 1},   // Azure Pipelines
	{"JOB_COMPLETION_INDEX", totalVariable, 0},                    // Kubernetes, indexed jobs
}

// selected returns the shard that the environment variables select. Its total is 0 if no variables
// are set or if there is a single shard; all specs then run. It is an error if the values are
// invalid, or if only one of modelparity's two variables, or of Bazel's two, is set.
func selected(getenv func(string) string, program string) (reportfile.Share, error) {
	if handed, of, ok := strings.Cut(getenv(takenVariable), "="); ok && of == program {
		var t reportfile.Share
		if n, _ := fmt.Sscanf(handed, "%d/%d %s", &t.Index, &t.Total, &t.From); n == 3 {
			return t, nil
		}
	}
	for _, s := range servers {
		index, total := getenv(s.index), getenv(s.total)
		if total == "1" {
			return reportfile.Share{}, nil
		}
		if index == "" || total == "" {
			continue // a later pair may be complete
		}
		if s.first == 1 && getenv("SYSTEM_PARALLELEXECUTIONTYPE") == "MultiConfiguration" {
			continue // every job of a matrix runs all specs
		}
		t := reportfile.Share{From: s.index + "," + s.total}
		i, wrong := strconv.Atoi(index)
		n, also := strconv.Atoi(total)
		t.Index, t.Total = i-s.first, n
		if wrong != nil || also != nil || t.Total < 1 || t.Index < 0 || t.Index >= t.Total {
			return reportfile.Share{}, fmt.Errorf("%s=%s and %s=%s select no shard: expected a shard "+
				"index counted from %d, and the number of shards", s.index, index, s.total, total, s.first)
		}
		return t, nil
	}
	for _, s := range servers[:2] {
		if index, total := getenv(s.index), getenv(s.total); (index == "") != (total == "") {
			return reportfile.Share{}, fmt.Errorf("%s=%s and %s=%s: both must be set, or neither",
				s.index, index, s.total, total)
		}
	}
	return reportfile.Share{}, nil
}

// take reads this process's shard. It removes the variables of Bazel from the environment: the main
// function of rules_go would use them to filter tests, so the test that runs Ginkgo would run in a
// single shard only. take also creates the file that tells Bazel that the program supports
// sharding.
func take() (reportfile.Share, error) {
	program, err := os.Executable()
	if err != nil {
		return reportfile.Share{}, err
	}
	t, err := selected(os.Getenv, program)
	if err != nil || t.Total == 0 || os.Getenv("TEST_TOTAL_SHARDS") == "" {
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
	hand := fmt.Sprintf("%d/%d %s=%s", t.Index, t.Total, t.From, program)
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
