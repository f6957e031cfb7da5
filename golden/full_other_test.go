//go:build !unix

package golden_test

const cramped = "write-on-a-full-disk"

func writeCramped(string) {}
