package tensor

import (
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/modelparity/modelparity/internal/names"
)

// Entry is one named tensor of a [Set].
type Entry struct {
	Name   string
	Tensor *Tensor
}

// Set is an ordered set of named tensors: the inputs or the outputs of one inference, in the
// model's order. A nil *Set is empty.
type Set struct {
	entries []Entry
	index   map[string]int
}

// NewSet returns a set of the given entries in the given order. It is an error if two entries have
// the same name, if a name is not valid UTF-8, or if a tensor is nil.
func NewSet(entries ...Entry) (*Set, error) {
	s := &Set{entries: make([]Entry, 0, len(entries)), index: make(map[string]int, len(entries))}
	for _, e := range entries {
		if e.Tensor == nil {
			return nil, fmt.Errorf("tensor: the tensor named %q is nil", e.Name)
		}
		if !utf8.ValidString(e.Name) {
			return nil, fmt.Errorf("tensor: the name %q is not valid UTF-8, which every format requires",
				e.Name)
		}
		if _, twice := s.index[e.Name]; twice {
			return nil, fmt.Errorf("tensor: %q is named twice in one set", e.Name)
		}
		s.index[e.Name] = len(s.entries)
		s.entries = append(s.entries, e)
	}
	return s, nil
}

// Len returns the number of tensors.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	return len(s.entries)
}

// Get returns the tensor with the given name, and whether there is one.
func (s *Set) Get(name string) (*Tensor, bool) {
	if s == nil {
		return nil, false
	}
	i, ok := s.index[name]
	if !ok {
		return nil, false
	}
	return s.entries[i].Tensor, true
}

// At returns the i-th entry, counted from 0. It panics if i is out of range.
func (s *Set) At(i int) Entry { return s.entries[i] }

// Names returns the names in order.
func (s *Set) Names() []string {
	names := make([]string, 0, s.Len())
	for name := range s.All() {
		names = append(names, name)
	}
	return names
}

// All iterates over names and tensors in order.
func (s *Set) All() iter.Seq2[string, *Tensor] {
	return func(yield func(string, *Tensor) bool) {
		if s == nil {
			return
		}
		for _, e := range s.entries {
			if !yield(e.Name, e.Tensor) {
				return
			}
		}
	}
}

// Only returns the subset of s with the given names, in the order of s. Each name is the name of a
// tensor or of a [Value]. The name of a Value selects all of its tensors. Names that are not in s
// are ignored.
func (s *Set) Only(names ...string) *Set {
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		wanted[name] = true
	}
	keep := make([]bool, s.Len())
	for _, v := range s.Values() {
		for _, i := range v.entries {
			keep[i] = wanted[v.Name] || wanted[s.entries[i].Name]
		}
	}
	var entries []Entry
	for i, kept := range keep {
		if kept {
			entries = append(entries, s.entries[i])
		}
	}
	kept, _ := NewSet(entries...) // cannot fail: the entries come from a set
	return kept
}

// String lists the tensors by name, type and shape.
func (s *Set) String() string {
	var list []string
	for name, t := range s.All() {
		list = append(list, fmt.Sprintf("%s: %v%v", names.Line(name), t.ElementType(), t.Shape()))
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// GomegaString is Gomega's format of a set: names, types, shapes and first values.
func (s *Set) GomegaString() string {
	var b strings.Builder
	for name, t := range s.All() {
		b.WriteString(names.Line(name+": "+t.GomegaString()) + "\n")
	}
	if b.Len() == 0 {
		return "no tensors"
	}
	return strings.TrimSuffix(b.String(), "\n")
}
