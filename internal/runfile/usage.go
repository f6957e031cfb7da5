package runfile

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// uses are the golden files that this process asked for and that nobody took yet, by absolute
// path: as they were named and, where they differ, with links resolved.
var uses struct {
	sync.Mutex
	paths map[string]bool
}

// Use remembers that a spec wants the file at path, be it there or not.
func Use(path string) {
	uses.Lock()
	defer uses.Unlock()
	if uses.paths == nil {
		uses.paths = map[string]bool{}
	}
	if absolute, err := filepath.Abs(path); err == nil {
		uses.paths[absolute] = true
	}
	uses.paths[Unlinked(path)] = true
}

// UseFolder is [use] of a path that may be a folder of files.
func UseFolder(path string) {
	Use(path)
	if entries, err := os.ReadDir(path); err == nil {
		for _, entry := range entries {
			Use(filepath.Join(path, entry.Name()))
		}
	}
}

// TakeUses lists, once, the files that this process asked for since it was called last.
func TakeUses() []string {
	uses.Lock()
	defer uses.Unlock()
	taken := slices.Sorted(maps.Keys(uses.paths))
	uses.paths = nil
	return taken
}
