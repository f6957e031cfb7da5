// Package loaders reads, describes, marks and cuts models. It does not run them. Package
// loaders/edit changes models.
//
// Files are read through package os, so `go test` knows that the test depends on them: changing a
// model invalidates the test's "(cached)" result.
package loaders
