package golden

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// uses are the golden files that this process asked for and that nobody took yet, by absolute
// path: as they were named and, where they differ, with links resolved.
var uses struct {
	sync.Mutex
	paths []string
}

// use remembers that a spec wants the file at path, be it there or not.
func use(path string) {
	if mode, err := Updating(); err != nil || mode != Clean {
		return // nothing will ask
	}
	uses.Lock()
	defer uses.Unlock()
	if absolute, err := filepath.Abs(path); err == nil {
		uses.paths = append(uses.paths, absolute)
	}
	uses.paths = append(uses.paths, unlinked(path))
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

// TakeUses lists, once, the files that specs of this process asked for since it was called last. It
// is empty unless the mode is [Clean]. A runner calls it when a spec has ended, and hands it to
// [RemoveUnused].
func TakeUses() []string {
	uses.Lock()
	defer uses.Unlock()
	taken := uses.paths
	uses.paths = nil
	slices.Sort(taken)
	return slices.Compact(taken)
}
