// Package lint looks a model over for what keeps it from running: what its graph breaks of ONNX's
// rules, and each node that an engine refuses, run by itself on what the nodes before it gave. The
// report is that of Polygraphy's `check lint`, key by key.
package lint
