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

// Opener creates the engine or model that a text describes.
type Opener func(text string) (any, error)

var (
	mu      sync.Mutex
	openers = map[string]Opener{}
	watches = map[string]func(){}
)

// Register registers open for texts whose first word is kind. If kind is already registered, or if
// open is nil, Register does nothing.
func Register(kind string, open Opener) {
	if kind == "" || strings.ContainsAny(kind, " \n") || open == nil {
		return
	}
	mu.Lock()
	_, taken := openers[kind]
	if !taken {
		openers[kind] = open
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
		return nil, fmt.Errorf("no package registered texts that begin with %q, only with %s; call "+
			"Register in an init function, so that child processes call it too", kind,
			strings.Join(kinds, ", "))
	}
	return open(text)
}

// Await calls then as soon as kind is registered: immediately if it is already, and otherwise from
// inside [Register].
func Await(kind string, then func()) {
	mu.Lock()
	_, known := openers[kind]
	watches[kind] = then
	mu.Unlock()
	if known {
		then()
	}
}
