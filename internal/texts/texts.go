// Package texts turns a text back into the engine or model that it describes. Packages register
// their openers in init functions, so that child processes of the same program know the same
// openers.
package texts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Opener creates an engine or model from its description in text.
type Opener func(text string) (any, error)

var (
	mu      sync.Mutex
	openers = map[string]Opener{}
	watches = map[string]func(){}
)

// Register makes [Open] call opener for texts whose first word is kind. If kind is already
// registered, or if opener is nil, Register does nothing.
func Register(kind string, opener Opener) {
	if kind == "" || strings.ContainsAny(kind, " \n") || opener == nil {
		return
	}
	mu.Lock()
	_, taken := openers[kind]
	if !taken {
		openers[kind] = opener
	}
	watch := watches[kind]
	mu.Unlock()
	if !taken && watch != nil {
		watch()
	}
}

// Open creates the engine or model that the text describes.
func Open(text string) (any, error) {
	kind, _, _ := strings.Cut(text, " ")
	mu.Lock()
	open, known := openers[kind]
	kinds := slices.Sorted(maps.Keys(openers))
	mu.Unlock()
	if !known {
		return nil, fmt.Errorf("no opener is registered for %q, the first word of an engine or "+
			"model written as text; registered words: %s; call Register in an init function, so that "+
			"child processes call it too", kind, strings.Join(kinds, ", "))
	}
	return open(text)
}

// Await calls callback as soon as kind is registered: immediately if it is already, and otherwise
// from inside [Register].
func Await(kind string, callback func()) {
	mu.Lock()
	_, known := openers[kind]
	watches[kind] = callback
	mu.Unlock()
	if known {
		callback()
	}
}
