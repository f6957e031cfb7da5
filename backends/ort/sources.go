package ort

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/enginelock"
)

// sources are the places outside the cache to search for a library, in this order. A source that
// speaks found a file: if that file is unusable, the message says so.
var sources = []struct {
	paths  func() []string
	speaks bool
}{
	{python, true},
	{loader, false},
}

// search goes through the sources and returns why it passed over the libraries that it found.
func search(choice enginelock.Choice) (path string, reasons []string) {
	for _, source := range sources {
		for _, path := range source.paths() {
			err := choice.Admit(path)
			if err == nil {
				err = usable(path)
			}
			if err == nil {
				return path, nil
			}
			if source.speaks {
				reasons = append(reasons, err.Error())
			}
		}
	}
	return "", reasons
}

// python finds the library of the onnxruntime package in the active virtual environment or in
// python3. It does not import the package, because that takes as long as a spec.
func python() []string {
	interpreters := []string{"python3"}
	if active := os.Getenv("VIRTUAL_ENV"); active != "" {
		interpreters = []string{filepath.Join(active, "bin", "python"), "python3"}
	}
	for _, interpreter := range interpreters {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		folder, err := exec.CommandContext(ctx, interpreter, "-c", findPackage).Output()
		cancel()
		if err != nil {
			continue
		}
		capi := filepath.Join(strings.TrimSpace(string(folder)), "capi")
		pattern := "libonnxruntime.so*"
		if runtime.GOOS == "darwin" {
			pattern = "libonnxruntime*.dylib"
		}
		if found, err := filepath.Glob(filepath.Join(capi, pattern)); err == nil && found != nil {
			slices.Reverse(found) // the longest name last: the one with the full version
			return found
		}
	}
	return nil
}

// findPackage prints the folder of the onnxruntime package, and fails if there is none.
const findPackage = `import importlib.util as u
print(list(u.find_spec("onnxruntime").submodule_search_locations)[0])`

// loader returns the names under which the system's loader may know the library.
func loader() []string {
	if runtime.GOOS == "darwin" {
		return []string{"libonnxruntime.dylib"}
	}
	return []string{"libonnxruntime.so.1", "libonnxruntime.so", "onnxruntime.so"}
}
