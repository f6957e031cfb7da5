// Package edit changes models: their nodes, weights, types and shapes. Each function returns
// another model, and leaves the given one as it is.
//
// It runs no model itself: what needs a run takes an [Engine].
package edit
