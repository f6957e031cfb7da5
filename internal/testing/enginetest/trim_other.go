//go:build !linux || !cgo

package enginetest

func trim() {}
