package runfile

import (
	"maps"
	"slices"
	"sync"

	"github.com/modelparity/modelparity/internal/wholefile"
)

// uses contains the golden files that this process has used since the last [TakeUses]. The keys are
// absolute paths with links resolved.
var uses struct {
	sync.Mutex
	paths map[string]bool
}

// Use records that a spec uses the golden file at path, whether or not it exists.
func Use(path string) {
	uses.Lock()
	defer uses.Unlock()
	if uses.paths == nil {
		uses.paths = map[string]bool{}
	}
	uses.paths[wholefile.Unlinked(path)] = true
}

// TakeUses returns the files that this process has used since the last call.
func TakeUses() []string {
	uses.Lock()
	defer uses.Unlock()
	taken := slices.Sorted(maps.Keys(uses.paths))
	uses.paths = nil
	return taken
}
