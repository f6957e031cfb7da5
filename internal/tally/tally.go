// Package tally counts what engines ran in this process, so that a suite can say at its end which
// models ran where. No spec can reach it.
package tally

import (
	"sync"
	"time"
)

// Run is one run of a model.
type Run struct {
	Engine string        `json:"engine"` // with its version, as provenance has it
	Model  string        `json:"model"`
	Took   time.Duration `json:"took"` // nanoseconds for one iteration, on average
}

var (
	mu   sync.Mutex
	runs []Run
)

// most is how many runs are kept between two calls of [Take]: nobody may ever call it.
const most = 1000

// Add notes a run.
func Add(r Run) {
	mu.Lock()
	defer mu.Unlock()
	if len(runs) < most {
		runs = append(runs, r)
	}
}

// Take gives the runs since the last call.
func Take() []Run {
	mu.Lock()
	defer mu.Unlock()
	all := runs
	runs = nil
	return all
}
