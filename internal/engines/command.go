package engines

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// Module is the path of this Go module.
const Module = "github.com/modelparity/modelparity"

const commandPath = Module + "/cmd/modelparity"

// Command returns a command line that starts modelparity, for use in messages. It works even if
// modelparity is not in PATH and not in the user's go.mod, and runs the release from which this
// process was built.
func Command() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		info = &debug.BuildInfo{}
	}
	_, source, _, _ := runtime.Caller(0)
	return command(info.Path, info.Main.Path, source)
}

// command implements [Command]. program is the path of this program's package, main is the path of
// its main module, and source is the path of this source file. A test binary has no version
// information; for it, command takes the version from source, because folders in the module cache
// have the version in their names.
func command(program, main, source string) string {
	root := filepath.Dir(filepath.Dir(filepath.Dir(source)))
	_, version, published := strings.Cut(filepath.Base(root), "@")
	_, err := os.Stat(filepath.Join(root, "cmd", "modelparity"))
	switch {
	case program == commandPath:
		return "modelparity"
	case main == Module: // a checkout of modelparity
		return "go run " + commandPath
	case published:
		return "go run " + commandPath + "@" + version
	case err == nil && filepath.IsAbs(root): // a checkout named in a replace directive
		return "go build -C '" + root + "' -o bin/modelparity ./cmd/modelparity && '" +
			filepath.Join(root, "bin", "modelparity") + "'"
	}
	return "go run " + commandPath + "@latest"
}
