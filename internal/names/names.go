// Package names formats lists of names for errors, and suggests the closest name.
package names

import (
	"fmt"
	"strings"
)

// shown is the number of names that a list shows. A scikit-learn classifier may have hundreds of
// output tensors, and a decoder has two inputs for every layer.
const shown = 10

// List formats the first ten names, quoted: ["a" "b"], or "none".
func List(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	if len(names) <= shown {
		return Escape(fmt.Sprintf("%q", names))
	}
	return strings.TrimSuffix(Escape(fmt.Sprintf("%q", names[:shown])), "]") +
		fmt.Sprintf(" … and %d more]", len(names)-shown)
}

// Join formats the first ten texts unquoted: a, b, or "none".
func Join(texts []string) string {
	if len(texts) == 0 {
		return "none"
	}
	if len(texts) <= shown {
		return strings.Join(texts, ", ")
	}
	return strings.Join(texts[:shown], ", ") + fmt.Sprintf(" … and %d more", len(texts)-shown)
}
