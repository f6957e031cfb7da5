//go:build race

package openvino_test

import "github.com/modelparity/modelparity/backends/backendtest"

// underRace leaves the count of memory out: the race detector keeps a shadow of what it saw.
var underRace = []backendtest.Option{backendtest.Except("frees the memory of its runs",
	"the race detector keeps memory of its own")}
