// Package loaders reads, describes, marks and cuts models. It runs nothing. Package loaders/edit
// changes models.
//
// Files are read through Go's os package, so that `go test` knows a model as an input of the test:
// a changed model never gives a "(cached)" result.
package loaders
