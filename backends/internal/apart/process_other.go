//go:build !unix

package apart

import "os"

// Processes cannot be started on this system; see [child.ErrUnsupported].
func inherited(bool) pair            { return pair{} }
func killGroup()                     { os.Exit(1) }
func status(*os.ProcessState) string { return "it ended" }
func exited(int) string              { return "it ended" }
