package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/cli/pairs"
	"github.com/modelparity/modelparity/runs"
)

// compareRequest is the parsed command line of `modelparity compare`.
type compareRequest struct {
	outputs
	rule compareflags.Flags
}

func (r *compareRequest) sections() []section {
	return []section{part("Comparison", r.rule.List()...), resultSection(r.reportFlags(),
		r.accuracyFlags(), r.pictureFlags(), r.printFlags())}
}

func (r *compareRequest) do(ctx context.Context, given []string, _ io.Writer) (finding, error) {
	var found comparison
	var err error
	if found.Pairs, err = r.compare(ctx, given); len(given) > 2 {
		found.table = table(given, found.Pairs)
	}
	return found.finding(&r.outputs, err)
}

// compare compares the first saved run with the second. If there are more files, it compares each
// file with all files before it.
func (r *compareRequest) compare(ctx context.Context, files []string) ([]compare.Pair, error) {
	if len(files) < 2 {
		return nil, arguments.Wanted("compare takes two saved runs, ACTUAL and EXPECTED, or more "+
			"for a table", files)
	}
	options, err := r.rule.Options(ctx)
	if err != nil {
		return nil, err
	}
	saved, err := runs.ReadAll(ctx, files)
	if err != nil {
		return nil, err
	}
	if len(saved) != len(files) {
		return nil, fmt.Errorf("the files contain %d runs, but compare needs %d; choose one "+
			"run per file with FILE#RUN, by its index or its name", len(saved), len(files))
	}
	if len(saved) == 2 {
		return pairs.Compare(ctx, saved, options)
	}
	var all []compare.Pair
	for i := range saved {
		for _, before := range saved[:i] {
			pair, err := pairs.Compare(ctx, []runs.Named{saved[i], before}, options)
			if err != nil {
				return nil, err
			}
			all = append(all, pair...)
		}
	}
	return all, nil
}

// table returns a table with the largest element difference between any two files. pairs holds, for
// each file, the comparisons with all files before it.
func table(files []string, pairs []compare.Pair) string {
	const width = 16
	var b strings.Builder
	for i, file := range files {
		row := fmt.Sprintf("%4d  ", i+1)
		for range min(i, len(pairs)) {
			row += fmt.Sprintf("%-*s  ", width, cell(pairs[0].Report))
			pairs = pairs[1:]
		}
		fmt.Fprintf(&b, "%-*s  %s\n", 7+(width+2)*(len(files)-1), row+"-", file)
	}
	return b.String()
}

// cell returns one entry of the table: "ok 1.2e-06".
func cell(r compare.Report) string {
	most, compared := 0.0, false
	for _, out := range r.Outputs {
		if len(out.Results) > 0 {
			most, compared = max(most, out.Statistics().Abs.Max), true
		}
	}
	switch {
	case r.Verdict == compare.Pass:
		return fmt.Sprintf("ok %.6g", most)
	case compared:
		return fmt.Sprintf("FAIL %.6g", most)
	}
	return "FAIL"
}
