package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/modelparity/modelparity/golden"
)

// compareCommand is `modelparity compare`.
func compareCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var r request
	given, err := r.parse(compareFlags(), args, false)
	if r.help {
		help(stdout, "compare", compareSections...)
		return equal
	}
	var found outcome
	if err == nil {
		found, err = r.compareFiles(ctx, given)
	}
	return r.conclude("compare", found, err, stdout, stderr)
}

// compareFiles holds the first saved run to the second.
func (r *request) compareFiles(ctx context.Context, files []string) (found outcome, err error) {
	if len(files) != 2 {
		return found, fmt.Errorf("compare takes two saved runs, ACTUAL and EXPECTED, got %d: %s",
			len(files), strings.Join(files, " "))
	}
	options, err := r.comparison.Options()
	if err != nil {
		return found, err
	}
	runs, err := golden.ReadAll(files)
	if err != nil {
		return found, err
	}
	if len(runs) != 2 {
		return found, fmt.Errorf("the files hold %d runs, and compare takes two; choose one of each "+
			"file with FILE#RUN, by its index or its name", len(runs))
	}
	found.Pairs, err = golden.ComparePairs(ctx, runs, options)
	return found, err
}
