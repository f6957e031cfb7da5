package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

// versionCommand prints the module's version, and the commit if the binary was built from a
// checkout.
func versionCommand(_ context.Context, _ []string, stdout, _ io.Writer) int {
	version, commit := "unknown version", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = ", commit " + s.Value
			}
		}
	}
	fmt.Fprintf(stdout, "modelparity %s (%s, %s/%s%s)\n", version, runtime.Version(),
		runtime.GOOS, runtime.GOARCH, commit)
	return equal
}
