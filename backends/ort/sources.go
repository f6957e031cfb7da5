package ort

import (
	"runtime"
	"slices"

	"github.com/modelparity/modelparity/internal/enginelock"
)

// sources are the places outside the cache to search for a library, in this order.
var sources = []enginelock.Source{{Paths: python}, {Paths: loader, Guesses: true}}

// python returns the library of the Python package.
func python() []string {
	pattern := "capi/libonnxruntime.so*"
	if runtime.GOOS == "darwin" {
		pattern = "capi/libonnxruntime*.dylib"
	}
	found := enginelock.InPython("onnxruntime", pattern)
	slices.Reverse(found) // the longest name last: the one with the full version
	return found
}

// loader returns the names under which the system's loader may know the library.
func loader() []string {
	if runtime.GOOS == "darwin" {
		return []string{"libonnxruntime.dylib"}
	}
	return []string{"libonnxruntime.so.1", "libonnxruntime.so", "onnxruntime.so"}
}
