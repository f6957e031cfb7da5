package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
)

// compareRequest is the parsed command line of `modelparity compare`.
type compareRequest struct {
	outputs
	rule compareflags.Flags
}

func (*compareRequest) sections() []section[compareRequest] {
	return []section[compareRequest]{
		comparisonSection(func(r *compareRequest) *compareflags.Flags { return &r.rule }),
		resultSection(func(r *compareRequest) *outputs { return &r.outputs },
			reportFlags, accuracyFlags, pictureFlags, printFlags),
	}
}

func (r *compareRequest) do(ctx context.Context, given []string, _ io.Writer) (finding, error) {
	var found comparison
	var err error
	found.Pairs, err = r.compare(ctx, given)
	return found.finding(&r.outputs, err)
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
