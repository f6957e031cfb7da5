package main

import (
	"context"
	"io"

	compareflags "github.com/modelparity/modelparity/compare/flags"
	"github.com/modelparity/modelparity/golden"
)

// accuracyRequest is what `modelparity check accuracy` is asked for.
type accuracyRequest struct{ compareRequest }

func (*accuracyRequest) sections() []section[accuracyRequest] {
	return []section[accuracyRequest]{
		comparisonSection(func(r *accuracyRequest) *compareflags.Flags { return &r.rule }),
		resultSection(func(r *accuracyRequest) *outputs { return &r.outputs },
			reportFlags, accuracyFlags, printFlags),
	}
}

func (r *accuracyRequest) do(ctx context.Context, given []string, _ io.Writer) (finding, error) {
	var found comparison
	options, err := perceptive(ctx, &r.rule).Options()
	if err == nil {
		found.Pairs, err = golden.JudgeSaved(ctx, given, r.rule.Asked(), options)
	}
	return found.finding(&r.outputs, err)
}
