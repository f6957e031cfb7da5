package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/compare"
	compareflags "github.com/modelparity/modelparity/compare/flags"
	"github.com/modelparity/modelparity/golden"
)

// compareRequest is what `modelparity compare` is asked for.
type compareRequest struct {
	outputs
	rule compareflags.Flags
}

// compareSections are the flags of compare as the help shows them.
func compareSections() []section[compareRequest] {
	return []section[compareRequest]{
		comparisonSection(func(r *compareRequest) *compareflags.Flags { return &r.rule }),
		resultSection(func(r *compareRequest) *outputs { return &r.outputs },
			reportFlags, accuracyFlags, printFlags),
	}
}

// compareFlags are all flags of `modelparity compare`.
func compareFlags() []arguments.Flag[compareRequest] {
	return flagsOf("compare takes two saved runs", compareSections())
}

// compareCommand is `modelparity compare`.
func compareCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var r compareRequest
	given, err := read(&r, compareFlags(), args)
	if r.help {
		help(stdout, "compare", compareSections()...)
		return equal
	}
	var found comparison
	if err == nil {
		found.Pairs, err = r.compare(ctx, given)
	}
	return r.conclude("compare", found.finding(&r.outputs, &err), err, stdout, stderr)
}

// compare holds the first saved run to the second.
func (r *compareRequest) compare(ctx context.Context, files []string) ([]compare.Pair, error) {
	if len(files) != 2 {
		return nil, fmt.Errorf("compare takes two saved runs, ACTUAL and EXPECTED, got %d: %s",
			len(files), strings.Join(files, " "))
	}
	options, err := perceptive(ctx, &r.rule).Options()
	if err != nil {
		return nil, err
	}
	runs, err := golden.ReadAll(files)
	if err != nil {
		return nil, err
	}
	if len(runs) != 2 {
		return nil, fmt.Errorf("the files hold %d runs, and compare takes two; choose one of each "+
			"file with FILE#RUN, by its index or its name", len(runs))
	}
	return golden.ComparePairs(ctx, runs, options)
}
