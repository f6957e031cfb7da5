package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"golang.org/x/mod/modfile"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/regular"
)

// setupRequest is the parsed command line of `modelparity setup`.
type setupRequest struct {
	enginelock.Setup
	help bool
}

// flags returns the flags of setup, with one flag for each engine in the catalogue.
func (r *setupRequest) flags() []arguments.Flag {
	list := []arguments.Flag{
		arguments.Spelled("--help, -h", arguments.Set(&r.help)),
		arguments.Spelled("--all", func([]string) error {
			for _, e := range engines.Catalogue() {
				r.Names = append(r.Names, e.Name)
			}
			return nil
		}),
	}
	for _, e := range engines.Catalogue() {
		list = append(list, arguments.Flag{Name: "--" + e.Flag,
			Text: "ENGINE", Fill: []string{"{title}", e.Title, "{version}", e.Version},
			Apply: func([]string) error {
				r.Names = append(r.Names, e.Name)
				return nil
			}})
	}
	return append(list,
		arguments.Spelled("--release ENGINE=VERSION", arguments.Texts(&r.Releases)),
		arguments.Spelled("--upgrade", arguments.Set(&r.Upgrade)),
		arguments.Spelled("--accept ENGINE=PATH", arguments.Texts(&r.Accept)))
}

// setupCommand runs `modelparity setup`. It downloads the engines that specs need and locks their
// versions.
func setupCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var r setupRequest
	rest, err := arguments.Parse(r.flags(), args, nil)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("unknown argument %q; setup takes only flags", rest[0])
	}
	if err != nil {
		complain(stderr, "setup: %v", err)
		return unusable
	}
	if r.help {
		_ = help(stdout, "setup", everything, section{"Flags", r.flags()})
		return equal
	}
	info, built := debug.ReadBuildInfo()
	place, _ := enginelock.Place() // setup.Run reports the error
	mod, err := regular.Read(filepath.Join(filepath.Dir(place), "go.mod"))
	if built && info.Main.Sum != "" && err == nil { // a build from a checkout has no checksum
		fmt.Fprint(stderr, otherRelease(info.Main.Version, mod))
	}
	r.Python = os.Getenv("MODELPARITY_PYTHON")
	if err := r.Run(ctx, stdout, stderr); err != nil {
		complain(stderr, "setup: %v", err)
		return unusable
	}
	return equal
}

// otherRelease returns a warning if the module requires a release of modelparity other than this
// one, because each release has its own catalogue of engines. Otherwise it returns "".
func otherRelease(version string, mod []byte) string {
	file, err := modfile.Parse("go.mod", mod, nil)
	if err != nil || slices.ContainsFunc(file.Replace, func(r *modfile.Replace) bool {
		return r.Old.Path == engines.Module
	}) {
		return "" // the go command reports an invalid go.mod
	}
	for _, r := range file.Require {
		if r.Mod.Path == engines.Module && r.Mod.Version != version {
			return fmt.Sprintf("modelparity: setup: this is %s, but go.mod requires %s; "+
				"run `go get %[3]s@%[1]s` or `go install %[3]s/cmd/modelparity@%[2]s`\n",
				version, r.Mod.Version, engines.Module)
		}
	}
	return ""
}
