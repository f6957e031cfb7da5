package cli

import (
	"context"
	"errors"

	"github.com/modelparity/modelparity/locate"
)

// nonFinite implements `modelparity locate --non-finite`, which examines each side on its own.
func (r *locateRequest) nonFinite(ctx context.Context, files []string) (finding, error) {
	switch {
	case r.Path("--report") != "":
		return finding{}, errors.New("--non-finite only prints what it finds; drop --report and " +
			"--output-dir")
	case r.rule.Asked() || r.rule.Finite():
		return finding{}, errors.New("--non-finite compares nothing; drop the comparison flags")
	case r.cumulative || r.table || r.memory != 0:
		return finding{}, errors.New("--no-isolate, --table and --memory have no effect with " +
			"--non-finite; drop them")
	}
	sides, err := r.engines.OneOrTwo(files, &r.inputs)
	if err != nil {
		return finding{}, err
	}
	var found []*locate.Origin
	for _, side := range sides {
		f, err := locate.NonFinite(ctx, side)
		if err != nil {
			return finding{}, err
		}
		found = append(found, f)
	}
	f := finding{text: func(volume int) string { return originText(volume < 0, found) }}
	for _, one := range found {
		f.differs = f.differs || one.Found()
	}
	return f, nil
}

// originText describes where non-finite values arise on each side. If there are two sides and
// briefly is false, the text also gives the range that the same tensor has on the other side.
func originText(briefly bool, found []*locate.Origin) (text string) {
	for i, f := range found {
		var other *locate.Origin
		if len(found) == 2 {
			other = found[1-i]
		}
		if briefly {
			text += f.Headline() + "\n"
		} else {
			text += f.Text(other)
		}
	}
	return text
}
