// Package flagtest lets tests pass command-line flags to packages that turn flags into options.
package flagtest

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/internal/cli/arguments"
)

// Set applies the flags of a command line, which is split at its spaces. It returns an error for
// words that belong to no flag.
func Set(flags []arguments.Flag, line string) error {
	rest, err := arguments.Parse(flags, strings.Fields(line), nil)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("no flag takes %q", rest)
	}
	return err
}
