package edit

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// What the functions of engines come down to.
var (
	WithDeclared  = withDeclared
	WithConstants = withConstants
	StaticShapes  = staticShapes
	Foldable      = foldable
	DeclaredBy    = declaredBy
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
