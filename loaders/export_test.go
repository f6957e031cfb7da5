package loaders

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// OnlyFloat32 lists the operators that ONNX has no float16 for, as testdata/float32_only.py does:
// those that become float16 nodes nowhere are left out.
func OnlyFloat32() string {
	var b strings.Builder
	for _, op := range slices.Sorted(maps.Keys(onlyFloat32)) {
		if until := onlyFloat32[op]; until < forever {
			fmt.Fprintf(&b, "%s until %d\n", op, until)
		}
	}
	for _, op := range slices.Sorted(maps.Keys(pinned)) {
		fmt.Fprintf(&b, "%s pins %v\n", op, pinned[op])
	}
	return b.String()
}

// SetSettled sets for how long a file must have been left alone before its checksum is kept.
func SetSettled(d time.Duration) (restore func()) {
	before := settled
	settled = d
	return func() { settled = before }
}

// SumsKept is how many checksums of files are kept.
func SumsKept() int {
	sums.Lock()
	defer sums.Unlock()
	return len(sums.order)
}
