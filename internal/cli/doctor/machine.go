package doctor

import (
	"cmp"
	"context"
	"os"
	"strings"

	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/python"
)

// Locked returns a line about the lock file that selects the engines' versions.
func Locked() string {
	lock, path, err := enginelock.Here()
	switch {
	case err != nil:
		return "lock: " + err.Error()
	case path == "":
		return "lock: none, because this is not a module or " + enginelock.Variable + " is off"
	case len(lock.Engines) == 0 && enginelock.Own(path):
		return "lock: none; this checkout of modelparity uses its own catalogue of engines"
	case len(lock.Engines) == 0:
		return "lock: none at " + path + "; modelparity setup creates it"
	}
	var names []string
	for _, e := range lock.Engines {
		names = append(names, e.Name+" "+e.Version)
	}
	return "lock: " + path + " lists " + strings.Join(names, ", ")
}

// Polygraphy returns the version of Polygraphy in the Python installation that the parity specs
// use.
func Polygraphy(ctx context.Context) string {
	interpreter := cmp.Or(os.Getenv("MODELPARITY_PYTHON"), "python3")
	out, err := python.Command(ctx, interpreter, "-c",
		"import polygraphy; print(polygraphy.__version__)").Output()
	if err != nil {
		return "not in " + interpreter + "; only specs that compare with it need it; run `" +
			interpreter + " -m pip install polygraphy`, or set MODELPARITY_PYTHON to a Python that has it"
	}
	return strings.TrimSpace(string(out)) + " in " + interpreter
}
