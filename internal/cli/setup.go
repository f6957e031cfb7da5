package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
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
			r.Names = append(r.Names, engines.Names()...)
			return nil
		}),
	}
	for _, e := range engines.Catalogue() {
		list = append(list, arguments.Flag{Name: "--" + e.Flag,
			Text: "ENGINE", Fill: []string{"{title}", e.Title, "{version}", e.Version},
			Apply: arguments.Adding(func() string { return e.Name }, &r.Names)})
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
	r.Python = os.Getenv("MODELPARITY_PYTHON")
	if err := r.Run(ctx, stdout, stderr); err != nil {
		complain(stderr, "setup: %v", err)
		return unusable
	}
	return equal
}
