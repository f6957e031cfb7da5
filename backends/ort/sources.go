package ort

import (
	"runtime"
	"slices"

	"github.com/modelparity/modelparity/internal/enginelock"
)

// sources lists, in order, the places to search for a library if the cache has none.
var sources = []enginelock.Source{{Paths: python}, {Paths: loader, Guesses: true}}

// python returns the paths of the library in the Python package.
func python() []string {
	pattern := "capi/libonnxruntime.so*"
	if runtime.GOOS == "darwin" {
		pattern = "capi/libonnxruntime*.dylib"
	}
	found := enginelock.InPython("onnxruntime", pattern)
	slices.Reverse(found) // the longest name has the full version and sorts last
	return found
}

// loader returns the names by which the system's loader may find the library.
func loader() []string {
	if runtime.GOOS == "darwin" {
		return []string{"libonnxruntime.dylib"}
	}
	return []string{"libonnxruntime.so.1", "libonnxruntime.so", "onnxruntime.so"}
}
