// Package tally records which models ran on which engines in this process, so that a suite can list
// them at its end. Specs cannot access it.
package tally

import (
	"slices"
	"sync"
)

// Run is one run of a model.
type Run struct {
	Engine string `json:"engine"` // with its version, as in provenance
	Model  string `json:"model"`
}

var (
	mu   sync.Mutex
	runs []Run
)

// most limits the number of different runs between two calls of [Take], which may never be called.
const most = 1000

// Add records a run.
func Add(r Run) {
	mu.Lock()
	defer mu.Unlock()
	add(r)
}

// Replace replaces a recorded run after more is known about it.
func Replace(before, r Run) {
	mu.Lock()
	defer mu.Unlock()
	runs = slices.DeleteFunc(runs, func(noted Run) bool { return noted == before })
	add(r)
}

func add(r Run) {
	if len(runs) < most && !slices.Contains(runs, r) {
		runs = append(runs, r)
	}
}

// Take returns the runs since the last call, without duplicates.
func Take() []Run {
	mu.Lock()
	defer mu.Unlock()
	all := runs
	runs = nil
	return all
}
