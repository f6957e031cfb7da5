//go:build cgo && linux

package ahead

import "C" // arena.c
