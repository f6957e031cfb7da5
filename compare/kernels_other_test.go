//go:build !amd64 || purego

package compare

import "testing"

// eachKernel runs a test once: there is plain Go alone.
func eachKernel(t *testing.T, test func(t *testing.T)) { t.Run("Go", test) }
