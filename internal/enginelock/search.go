package enginelock

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/python"
)

// Search returns the first of the paths with a library that is usable and that c admits. If there
// is none, path is "", and reasons says why each library was rejected.
func (c Choice) Search(usable func(path string) error, paths []string) (path string,
	reasons []string) {
	for _, path := range paths {
		err := c.Admit(path)
		if err == nil {
			err = usable(path)
		}
		if err == nil {
			return path, nil
		}
		reasons = append(reasons, err.Error())
	}
	return "", reasons
}

// InPython finds files of a Python package that is installed in the active virtual environment or
// for python3. pattern is relative to the package's folder. InPython does not import the package,
// because importing is slow.
func InPython(name, pattern string) []string {
	interpreters := []string{"python3"}
	if active := os.Getenv("VIRTUAL_ENV"); active != "" {
		interpreters = []string{filepath.Join(active, "bin", "python"), "python3"}
	}
	for _, interpreter := range interpreters {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		folder, err := python.Ask(ctx, interpreter, "-c", findPackage, name)
		cancel()
		if err != nil {
			continue
		}
		found, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(folder)), pattern))
		if err == nil && found != nil {
			return found
		}
	}
	return nil
}

// findPackage is a Python program that prints the folder of a package, or fails if the package is
// not installed.
const findPackage = `import sys, importlib.util as u
print(list(u.find_spec(sys.argv[1]).submodule_search_locations)[0])`
