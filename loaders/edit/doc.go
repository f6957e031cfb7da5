// Package edit changes models: their nodes, weights, types and shapes. Each function returns a new
// model and leaves the original unchanged.
//
// The package cannot run models; functions that need to run a model have a parameter of type
// [Engine].
package edit
