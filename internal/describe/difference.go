package describe

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/loaders"
)

// Difference is one difference between two models. If only one of the models has the item, Actual
// or Expected is "".
type Difference struct {
	What     string `json:"what"` // "input", "output", "node", "initializer", "opset", …
	Name     string `json:"name,omitempty"`
	Actual   string `json:"actual"`
	Expected string `json:"expected"`
}

// String formats the difference in one line.
func (d Difference) String() string {
	name := d.What
	if d.Name != "" {
		name += fmt.Sprintf(" %q", d.Name)
	}
	switch {
	case d.Actual == "":
		return fmt.Sprintf("%s: only in expected: %s", name, d.Expected)
	case d.Expected == "":
		return fmt.Sprintf("%s: only in actual: %s", name, d.Actual)
	}
	return fmt.Sprintf("%s: %s, expected %s", name, d.Actual, d.Expected)
}

// Differences lists all differences between two models.
type Differences []Difference

// Text returns one line per difference, or the line "the models do not differ". It ends with a
// newline.
func (all Differences) Text() string {
	if len(all) == 0 {
		return "the models do not differ\n"
	}
	var b strings.Builder
	for _, d := range all {
		fmt.Fprintln(&b, d)
	}
	return b.String()
}

// Diff lists how two models differ: in versions, inputs and outputs, nodes, and the types, shapes
// and values of initializers. Nodes are paired by the names of their outputs, so moving or renaming
// a node is not a difference. Graph and node names, documentation and metadata are ignored.
func Diff(actualModel, expectedModel *loaders.Model) (Differences, error) {
	actual, wrong := Of(actualModel, true)
	expected, err := Of(expectedModel, true)
	if err := cmp.Or(wrong, err); err != nil {
		return nil, err
	}
	var all Differences
	note := func(what, name, a, e string) {
		if a != e {
			all = append(all, Difference{what, name, a, e})
		}
	}
	note("IR version", "", fmt.Sprint(actual.Head.IRVersion), fmt.Sprint(expected.Head.IRVersion))
	diff(note, "opset", actual.Head.Opsets, expected.Head.Opsets,
		func(o loaders.Opset) (string, string) { return o.Domain, fmt.Sprint(o.Version) })
	value := func(v loaders.Value) (string, string) {
		return v.Name, strings.TrimPrefix(v.String(), v.Name+" ")
	}
	diff(note, "input", actual.Inputs, expected.Inputs, value)
	diff(note, "input with a default", actual.Overridable, expected.Overridable, value)
	diff(note, "output", actual.Outputs, expected.Outputs, value)
	diff(note, "node", actual.Nodes, expected.Nodes, func(n Node) (string, string) {
		text := fmt.Sprintf("%s(%s) %s", onnxfile.OperatorName(n.Domain, n.Op),
			strings.Join(n.Inputs, ", "), n.SortedAttributes())
		return strings.Join(n.Outputs, ", "), strings.TrimSpace(text)
	})
	diff(note, "initializer", actual.Initializers, expected.Initializers,
		func(w Weight) (string, string) {
			return w.Name, fmt.Sprintf("tensor(%s)%v #%s", w.TypeName, w.Shape, w.SHA256[:8])
		})
	diff(note, "function", actual.Functions, expected.Functions,
		func(f Function) (string, string) { return f.Name, "#" + f.Sum })
	return all, nil
}

// diff calls note for each key of two lists, with the texts of the items that have the key. The
// keys of actual come first. A missing item has the text "". Of several items with one key, only
// the last counts, as with weights of the same name.
func diff[T any](note func(what, name, a, e string), what string, actual, expected []T,
	keyAndText func(T) (string, string)) {
	var texts [2]map[string]string
	var keys []string
	for side, list := range [][]T{actual, expected} {
		texts[side] = make(map[string]string, len(list))
		for _, item := range list {
			key, text := keyAndText(item)
			texts[side][key] = text
			keys = append(keys, key)
		}
	}
	seen := make(map[string]bool, len(keys))
	for _, key := range keys {
		if !seen[key] {
			note(what, key, texts[0][key], texts[1][key])
		}
		seen[key] = true
	}
}
