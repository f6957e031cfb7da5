//go:build !cgo || !(linux || darwin)

// Package dlopen opens shared libraries at run time, which this binary does not support.
package dlopen

import "errors"

var errUnsupported = errors.New("this binary was built without cgo, or for a system other than " +
	"Linux and macOS")

// Supported returns the reason why this binary cannot open shared libraries.
func Supported() error { return errUnsupported }
