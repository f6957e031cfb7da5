// Package texts turns a text back into the engine or model that it describes. Packages register
// their openers in init functions, so a child process of the same program has the same ones.
package texts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Opener makes what a text describes.
type Opener func(text string) (any, error)

var (
	mu      sync.Mutex
	openers = map[string]Opener{}
	watches = map[string]func(){}
)

// Register makes open responsible for the texts whose first word is kind. A second registration of
// a kind is ignored, and so is one without a function.
func Register(kind string, open Opener) {
	if kind == "" || strings.ContainsAny(kind, " \n") || open == nil {
		return
	}
	mu.Lock()
	if _, taken := openers[kind]; taken {
		mu.Unlock()
		return
	}
	openers[kind] = open
	watch := watches[kind]
	mu.Unlock()
	if watch != nil {
		watch()
	}
}

// Open makes what the text describes. Its error says why that cannot be.
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

// Await calls then once the kind is registered: at once, or inside [Register].
func Await(kind string, then func()) {
	mu.Lock()
	_, known := openers[kind]
	watches[kind] = then
	mu.Unlock()
	if known {
		then()
	}
}
