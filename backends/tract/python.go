package tract

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// python finds the library of the tract package in the active virtual environment or in python3. It
// does not import the package, because that takes as long as a spec.
func python() []string {
	interpreters := []string{"python3"}
	if active := os.Getenv("VIRTUAL_ENV"); active != "" {
		interpreters = []string{filepath.Join(active, "bin", "python"), "python3"}
	}
	for _, interpreter := range interpreters {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		folder, err := exec.CommandContext(ctx, interpreter, "-I", "-c", findPackage).Output()
		cancel()
		if err != nil {
			continue
		}
		found, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(folder)), "tract*.so"))
		if err == nil && found != nil {
			return found
		}
	}
	return nil
}

// findPackage prints the folder of the tract package, and fails if there is none.
const findPackage = `import importlib.util as u
print(list(u.find_spec("tract").submodule_search_locations)[0])`
