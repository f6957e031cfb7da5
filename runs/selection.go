package runs

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/backends"
)

// pick selects a run, or one iteration of a run. A runner's name may contain slashes
// ("onnxrt-runner-N0-11/20/26-14:13:27"), so pick first tries the whole text as a name.
func pick(runs []Named, selection string) ([]Named, error) {
	named, err := pickRun(runs, selection)
	if err == nil {
		return []Named{named}, nil
	}
	slash := strings.LastIndexByte(selection, '/')
	if slash < 0 {
		return nil, err
	}
	iteration, numberErr := strconv.Atoi(selection[slash+1:])
	if numberErr != nil {
		return nil, err
	}
	if named, err = pickRun(runs, selection[:slash]); err != nil {
		return nil, err
	}
	i, err := position(iteration, len(named.Run.Iterations()), "iteration")
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", named.Name, err)
	}
	named.Run = backends.NewRun(named.Run.Provenance,
		named.Run.Iterations()[i])
	return []Named{named}, nil
}

// pickRun selects a run by name or index. Names take precedence over indices. It is an error if
// several runs have the name.
func pickRun(runs []Named, text string) (Named, error) {
	var found []int
	names := make([]string, len(runs))
	for i, named := range runs {
		names[i] = strconv.Quote(named.Name)
		if named.Name == text {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 1:
		return runs[found[0]], nil
	case 0:
		if i, err := strconv.Atoi(text); err == nil {
			at, err := position(i, len(runs), "run")
			if err != nil {
				return Named{}, err
			}
			return runs[at], nil
		}
		return Named{}, fmt.Errorf("no run is named %q; the runs are %s", text,
			strings.Join(names, ", "))
	}
	return Named{}, fmt.Errorf("%d runs are named %q: select one by its index, from %v",
		len(found), text, found)
}

// position converts an index, which may be negative to count from the end, to a position among n
// elements.
func position(i, n int, what string) (int, error) {
	at := i
	if at < 0 {
		at += n
	}
	if at < 0 || at >= n {
		return 0, fmt.Errorf("no %s %d: the file has %d, counted from 0", what, i, n)
	}
	return at, nil
}
