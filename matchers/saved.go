package matchers

import (
	"fmt"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/golden"
)

// savedFile is a saved run. It is never written.
type savedFile struct{ path string }

func (f savedFile) read(actual side) (side, error) {
	runs, err := golden.ReadRuns(f.path)
	if err != nil {
		return side{}, fmt.Errorf("the expected run: %w", err)
	}
	if len(runs) != 1 {
		names := make([]string, len(runs))
		for i := range runs {
			names[i] = runs[i].Name
		}
		return side{}, fmt.Errorf("%s holds %d runs, %q: name one of them, as in OfFile(%q)",
			f.path, len(runs), names, f.path+"#"+names[0])
	}
	named, err := runs[0].NamedLike(actual.asRun())
	if err != nil {
		return side{}, fmt.Errorf("the expected run: %w", err)
	}
	return sideOf(named.Run)
}

func (f savedFile) String() string { return "the file " + f.path }

// asRun is the side as a run, also where it came as sets.
func (s side) asRun() *backends.Run {
	if s.run != nil {
		return s.run
	}
	run := &backends.Run{}
	for _, set := range s.sets {
		run.Append(backends.Iteration{Outputs: set, Runtime: -1})
	}
	return run
}
