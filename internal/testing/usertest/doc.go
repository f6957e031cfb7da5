// Package usertest tests modelparity as its users meet it: each script of testdata/script is a
// module of its own that runs `go test` or `ginkgo` and looks at exit status, output and files.
package usertest
