// Package tally records which models ran on which engines in this process, so that a suite can list
// them when it ends. Specs cannot access the record.
package tally

import (
	"maps"
	"slices"
	"sync"
)

// Run is one run of a model.
type Run struct {
	Engine  string `json:"engine"` // the engine with its version, as in a run's provenance
	Name    string `json:"name"`   // the engine without its version
	Version string `json:"version,omitempty"`
	Model   string `json:"model"`
}

var (
	mu    sync.Mutex
	runs  []Run
	found = map[string]Engine{}
)

// Engine describes an engine that this process can use.
type Engine struct {
	Backend string // the name in MODELPARITY_REQUIRE
	Version string
}

// Unfit, if not nil, says why the running spec must not run with the given versions of the engines,
// or returns "" if it may run. Unfit is nil if no spec of the suite can have version constraints.
// Set it only before the first spec.
var Unfit func(engines map[string]Engine) string

// Found records an engine that this process can use.
func Found(engine, backend, version string) {
	mu.Lock()
	defer mu.Unlock()
	found[engine] = Engine{backend, version}
}

// Of returns an engine that [Found] recorded.
func Of(engine string) (e Engine, known bool) {
	mu.Lock()
	defer mu.Unlock()
	e, known = found[engine]
	return e, known
}

// WhyUnfit says why the running spec must not run with the engines that [Found] recorded, or
// returns "" if it may run.
func WhyUnfit() string {
	mu.Lock()
	defer mu.Unlock()
	if Unfit == nil {
		return ""
	}
	return Unfit(maps.Clone(found))
}

// most is the maximum number of different runs to store. A limit is needed because [Take] may never
// be called.
const most = 1000

// Add records a run.
func Add(r Run) {
	mu.Lock()
	defer mu.Unlock()
	add(r)
}

// Replace replaces the recorded run old with r, which contains more information.
func Replace(old, r Run) {
	mu.Lock()
	defer mu.Unlock()
	runs = slices.DeleteFunc(runs, func(noted Run) bool { return noted == old })
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
