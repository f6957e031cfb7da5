// Package loaders reads model files: what they declare, and which tensors they can give out. It
// runs nothing.
//
// Files are read through Go's os package, so that `go test` knows a model as an input of the test:
// a changed model never gives a "(cached)" result.
package loaders
