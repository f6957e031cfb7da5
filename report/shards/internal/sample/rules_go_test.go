package sample

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// TestMain imitates the main function of rules_go if SAMPLE_AS is set: it restarts itself under a
// wrapper and filters tests by Bazel's variables.
func TestMain(m *testing.M) {
	as := os.Getenv("SAMPLE_AS")
	if strings.Contains(as, "wrapped") && os.Getenv("GO_TEST_WRAP") == "" {
		os.Exit(wrapped())
	}
	if strings.Contains(as, "rules_go") {
		flag.Parse()
		tests := inShard([]string{"TestOther", "TestPlain", "TestSample"})
		if err := flag.Set("test.run", "^("+strings.Join(tests, "|")+")$"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// wrapped runs this program again as the child.
func wrapped() int {
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	cmd.Env = append(os.Environ(), "GO_TEST_WRAP=0")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	fmt.Fprintln(os.Stderr, err)
	return 3
}

// inShard returns this shard's tests by rules_go's rule: every n-th.
func inShard(all []string) (mine []string) {
	total, err := strconv.Atoi(os.Getenv("TEST_TOTAL_SHARDS"))
	if err != nil || total <= 1 {
		return all
	}
	f, err := os.Create(os.Getenv("TEST_SHARD_STATUS_FILE"))
	if err != nil {
		panic(err)
	}
	_ = f.Close() // it is empty
	index, err := strconv.Atoi(os.Getenv("TEST_SHARD_INDEX"))
	if err != nil || index < 0 {
		return all
	}
	for i, name := range all {
		if i%total == index {
			mine = append(mine, name)
		}
	}
	return mine
}
