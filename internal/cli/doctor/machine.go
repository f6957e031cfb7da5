package doctor

import (
	"cmp"
	"context"
	"os"
	"strings"

	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/python"
)

// Locked says which lock file decides which engines run.
func Locked() string {
	lock, path, err := enginelock.Here()
	switch {
	case err != nil:
		return "lock: " + err.Error()
	case path == "":
		return "lock: none, outside a module or by " + enginelock.Variable
	case len(lock.Engines) == 0 && enginelock.Own(path):
		return "lock: none; this checkout of modelparity runs the engines of its own catalogue"
	case len(lock.Engines) == 0:
		return "lock: none at " + path + "; modelparity setup writes it"
	}
	var names []string
	for _, e := range lock.Engines {
		names = append(names, e.Name+" "+e.Version)
	}
	return "lock: " + path + " names " + strings.Join(names, ", ")
}

// Polygraphy says which Polygraphy the side-by-side specs find in the current Python.
func Polygraphy(ctx context.Context) string {
	interpreter := cmp.Or(os.Getenv("MODELPARITY_PYTHON"), "python3")
	out, err := python.Command(ctx, interpreter, "-c",
		"import polygraphy; print(polygraphy.__version__)").Output()
	if err != nil {
		return "not in " + interpreter + "; make setup-polygraphy puts it into .venv, and " +
			"MODELPARITY_PYTHON names another Python"
	}
	return strings.TrimSpace(string(out)) + " in " + interpreter
}
