package doctor

import (
	"context"
	"os"
	"os/exec"
	"strings"

	"github.com/modelparity/modelparity/internal/enginelock"
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
	python := os.Getenv("MODELPARITY_PYTHON")
	if python == "" {
		python = "python3"
	}
	out, err := exec.CommandContext(ctx, python, "-c",
		"import polygraphy; print(polygraphy.__version__)").Output()
	if err != nil {
		return "not in " + python + "; make setup-polygraphy puts it into .venv, and " +
			"MODELPARITY_PYTHON names another Python"
	}
	return strings.TrimSpace(string(out)) + " in " + python
}
