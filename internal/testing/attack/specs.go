//go:build linux || darwin

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
)

// suites are the specs that hold what a program from outside cannot try: all forms of an assertion
// that may or may not update a golden file, what clean may delete, and properties of the rules.
var suites = []string{"./golden", "./matchers", "./compare", "./internal/testing/usertest"}

// passed finds how many specs a suite of Ginkgo's, or a test, says have passed.
var passed = regexp.MustCompile(`(?m)^.*?(\d+) Passed|^ *--- PASS: `)

// specs runs them anew.
func specs(ctx context.Context, a *attack, r *result) error {
	args := append([]string{"test", "-count=1", "-v"}, suites...)
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = a.root
	command.Env = append(os.Environ(), "GINKGO_NO_COLOR=1", "GOLDEN_UPDATE=")
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	err := command.Run()
	for _, found := range passed.FindAllSubmatch(output.Bytes(), -1) {
		n, _ := strconv.Atoi(string(found[1]))
		r.tries += max(n, 1)
	}
	r.notes = fmt.Sprintf("assertion forms, clean, properties of rules: go test %v", suites)
	if err != nil {
		r.fail("go test %v: %v\n%s", suites, err, failedLines(output.Bytes()))
	}
	return nil
}

var failing = regexp.MustCompile(`(?m)^.*(\[FAIL\]|--- FAIL|FAIL\t|panic:).*$`)

func failedLines(output []byte) []byte {
	return bytes.Join(failing.FindAll(output, 40), []byte("\n"))
}
