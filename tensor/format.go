package tensor

import (
	"fmt"
	"strconv"
	"strings"
)

// shown is the maximum number of elements in a formatted tensor; the number of further elements is
// appended.
const shown = 8

// String returns the type, the shape and the first values in one line.
func (t *Tensor) String() string { return t.GomegaString() }

// GomegaString is Gomega's format of a tensor: float32[2,3] [1 2 3 4 5 6], with at most eight
// values.
func (t *Tensor) GomegaString() string {
	if t == nil {
		return "no tensor"
	}
	var list []string
	for i := range min(t.n, shown) {
		list = append(list, t.Text(i))
	}
	if more := t.n - shown; more > 0 {
		list = append(list, fmt.Sprintf("… %d more", more))
	}
	return fmt.Sprintf("%v%v [%s]", t.elem, t.shape, strings.Join(list, " "))
}

// Text formats element i in the fewest digits that parse to the same value of its type. Non-finite
// values are NaN, +Inf and -Inf; strings are quoted, and truncated after 64 bytes. It panics if i
// is out of range.
func (t *Tensor) Text(i int) string {
	switch {
	case t.elem == String:
		if s := t.strings[i]; len(s) > 64 {
			return strconv.Quote(s[:64]) + "…"
		}
		return strconv.Quote(t.strings[i])
	case t.elem == Bool:
		return strconv.FormatBool(t.uint64At(i) != 0)
	case t.elem == Float64:
		return strconv.FormatFloat(t.Float64At(i), 'g', -1, 64)
	case t.elem.IsFloat():
		return strconv.FormatFloat(t.Float64At(i), 'g', -1, 32)
	case t.elem.IsSigned():
		return strconv.FormatInt(t.int64At(i), 10)
	case t.elem.IsInteger():
		return strconv.FormatUint(t.uint64At(i), 10)
	}
	return "?"
}
