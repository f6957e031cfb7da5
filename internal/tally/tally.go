// Package tally records which models ran on which engines in this process, so that a suite can list
// them when it ends. Specs cannot access the record.
package tally

import (
	"slices"
	"sync"
)

// Run is one run of a model.
type Run struct {
	Engine string `json:"engine"` // the engine with its version, as in a run's provenance
	Model  string `json:"model"`
}

var (
	mu   sync.Mutex
	runs []Run
)

// most is the maximum number of different runs to store. A limit is needed because [Take] may never
// be called.
const most = 1000

// Add records a run.
func Add(r Run) {
	mu.Lock()
	defer mu.Unlock()
	add(r)
}

// Replace replaces the recorded run before with r, which contains more information.
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

// Take returns the runs recorded since the last call, without duplicates.
func Take() []Run {
	mu.Lock()
	defer mu.Unlock()
	all := runs
	runs = nil
	return all
}
