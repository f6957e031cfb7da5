package openvino

import (
	"runtime"

	"github.com/modelparity/modelparity/internal/enginelock"
)

// sources are the places outside the cache to search for a library, in this order.
var sources = []enginelock.Source{{Paths: python}, {Paths: loader, Guesses: true}}

// python returns the library of the Python package.
func python() []string {
	if runtime.GOOS == "darwin" {
		return enginelock.InPython("openvino", "libs/libopenvino_c*.dylib")
	}
	return enginelock.InPython("openvino", "libs/libopenvino_c.so*")
}

// loader returns the name under which the system's loader may know the library.
func loader() []string {
	if runtime.GOOS == "darwin" {
		return []string{"libopenvino_c.dylib"}
	}
	return []string{"libopenvino_c.so"}
}
