package openvino

import (
	"runtime"

	"github.com/modelparity/modelparity/internal/enginelock"
)

// sources lists, in order, the places to search for a library if the cache has none.
var sources = []enginelock.Source{{Paths: python}, {Paths: loader, Guesses: true}}

// python returns the paths of the library in the Python package.
func python() []string {
	if runtime.GOOS == "darwin" {
		return enginelock.InPython("openvino", "libs/libopenvino_c*.dylib")
	}
	return enginelock.InPython("openvino", "libs/libopenvino_c.so*")
}

// loader returns the names by which the system's loader may find the library.
func loader() []string {
	if runtime.GOOS == "darwin" {
		return []string{"libopenvino_c.dylib"}
	}
	return []string{"libopenvino_c.so"}
}
