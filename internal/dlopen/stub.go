//go:build !cgo || !(linux || darwin)

// Package dlopen opens shared libraries, which this binary cannot.
package dlopen

import "errors"

var errUnsupported = errors.New("this binary was built without cgo, or for a system other than " +
	"Linux and macOS")

// Supported says that this binary cannot open shared libraries.
func Supported() error { return errUnsupported }
