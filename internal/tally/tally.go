// Package tally counts what engines ran in this process, so that a suite can say at its end which
// models ran where. No spec can reach it.
package tally

import (
	"slices"
	"sync"
)

// Run is one run of a model.
type Run struct {
	Engine string `json:"engine"` // with its version, as provenance has it
	Model  string `json:"model"`
}

var (
	mu   sync.Mutex
	runs []Run
)

// most is how many different runs are kept between two calls of [Take], which may never come.
const most = 1000

// Add notes a run.
func Add(r Run) {
	mu.Lock()
	defer mu.Unlock()
	add(r)
}

// Replace notes a run that was noted before more was known of it.
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

// Take gives the runs since the last call, each once.
func Take() []Run {
	mu.Lock()
	defer mu.Unlock()
	all := runs
	runs = nil
	return all
}
