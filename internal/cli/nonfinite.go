package cli

import (
	"context"
	"errors"

	"github.com/modelparity/modelparity/locate/nonfinite"
)

// nonFinite executes `modelparity locate --non-finite` for each side.
func (r *locateRequest) nonFinite(ctx context.Context, files []string) (finding, error) {
	switch {
	case r.rule.Asked() || r.rule.Finite():
		return finding{}, errors.New("--non-finite compares nothing; drop the flags of comparison")
	case r.cumulative || r.table || r.memory != 0:
		return finding{}, errors.New("--no-isolate, --table and --memory have no effect with " +
			"--non-finite; drop them")
	}
	sides, err := r.engines.OneOrTwo(files, &r.inputs)
	if err != nil {
		return finding{}, err
	}
	var found []*nonfinite.Finding
	for _, side := range sides {
		f, err := nonfinite.Of(ctx, side)
		if err != nil {
			return finding{}, err
		}
		found = append(found, f)
	}
	f := finding{report: reportOf(r.kind(), nonfinite.Report{Findings: found}),
		text: func(volume int) string { return nonfinite.Text(volume < 0, found...) }}
	for _, one := range found {
		f.differs = f.differs || one.Found()
	}
	return f, nil
}
