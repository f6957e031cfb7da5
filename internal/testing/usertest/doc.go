// Package usertest tests modelparity as its users use it: each script in testdata/script is a
// separate module that runs `go test` or `ginkgo`, and checks exit status, output and files.
package usertest
