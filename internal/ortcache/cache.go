// Package ortcache is the project's own copy of ONNX Runtime's shared library: where it lies, and
// how it gets there.
package ortcache

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Version is the ONNX Runtime that `make setup` fetches.
const Version = "1.31.1"

// LibraryName is the library's file name on this system, as the onnxruntime wheel names it.
func LibraryName() string {
	if runtime.GOOS == "darwin" {
		return "libonnxruntime." + Version + ".dylib"
	}
	return "libonnxruntime.so." + Version
}

// Path is where the library lies once it is fetched:
// <user cache>/modelparity/onnxruntime/<version>/<system>-<architecture>/<library>.
func Path() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for caches: %w", err)
	}
	return filepath.Join(cache, "modelparity", "onnxruntime", Version,
		runtime.GOOS+"-"+runtime.GOARCH, LibraryName()), nil
}
