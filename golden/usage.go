package golden

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

// use remembers that a spec wants the file at path, be it there or not.
func use(path string) {
	uses.Lock()
	defer uses.Unlock()
	if uses.paths == nil {
		uses.paths = map[string]bool{}
	}
	if absolute, err := filepath.Abs(path); err == nil {
		uses.paths[absolute] = true
	}
	uses.paths[unlinked(path)] = true
}

// useFolder is [use] of a path that may be a folder of files.
func useFolder(path string) {
	use(path)
	if entries, err := os.ReadDir(path); err == nil {
		for _, entry := range entries {
			use(filepath.Join(path, entry.Name()))
		}
	}
}

// TakeUses lists, once, the files that specs of this process asked for since it was called last. A
// runner calls it when a spec has ended, and hands it to [EndOfSuite].
func TakeUses() []string {
	uses.Lock()
	defer uses.Unlock()
	taken := slices.Sorted(maps.Keys(uses.paths))
	uses.paths = nil
	return taken
}
