// Package edit changes models: their nodes, weights, types and shapes. Each function returns a new
// model and leaves the original unchanged.
//
// The package cannot run models; functions that need a run take an [Engine].
package edit
