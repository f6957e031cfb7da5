// Package texts holds what turns a text back into the engine or model that it describes. It is
// filled while a program starts, which is why a process that another one started finds the same.
package texts

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Opener makes what a text describes.
type Opener func(text string) (any, error)

var (
	mu      sync.Mutex
	openers = map[string]entry{}
	watches = map[string]func(){}
)

type entry struct {
	open Opener
	late bool // registered when the program had started
}

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
	openers[kind] = entry{open, !starting()}
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
	e, known := openers[kind]
	kinds := slices.Sorted(maps.Keys(openers))
	mu.Unlock()
	switch {
	case !known:
		return nil, fmt.Errorf("nothing opens texts that begin with %q, only with %s; its package "+
			"registers that in an init function", kind, strings.Join(kinds, ", "))
	case e.late:
		return nil, fmt.Errorf("%q was registered when the program had started; register it in an "+
			"init function, which another process runs as well", kind)
	}
	return e.open(text)
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

// starting reports whether the program's packages are being initialised, by the caller's stack.
func starting() bool {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, "runtime.doInit") {
			return true
		}
		if !more {
			return false
		}
	}
}
