// Package names lists names in errors, and finds the one that was meant.
package names

import (
	"fmt"
	"strings"
)

// shown is how many names a list has: a classifier of scikit-learn's may give hundreds of tensors,
// and a decoder takes two for every layer.
const shown = 10

// List puts names into an error, quoted, the first ten of them: ["a" "b"], or "none".
func List(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	if len(names) <= shown {
		return fmt.Sprintf("%q", names)
	}
	return strings.TrimSuffix(fmt.Sprintf("%q", names[:shown]), "]") +
		fmt.Sprintf(" … and %d more]", len(names)-shown)
}

// Join puts texts into an error as they are, the first ten of them: a, b, or "none".
func Join(texts []string) string {
	if len(texts) == 0 {
		return "none"
	}
	if len(texts) <= shown {
		return strings.Join(texts, ", ")
	}
	return strings.Join(texts[:shown], ", ") + fmt.Sprintf(" … and %d more", len(texts)-shown)
}
