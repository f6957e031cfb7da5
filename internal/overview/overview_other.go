//go:build !amd64 || purego

package overview

const wide = false

func foldWide([]float32, *lanes) (least, greatest float32, finite bool) { return 0, 0, false }
