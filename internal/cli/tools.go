package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/cli/arguments"
)

// tools returns a command whose subcommands are the given commands, like Polygraphy's tools. Each
// command's name has two words, such as "debug build". Flags about printing may come before the
// subcommand.
func tools(name, summary string, all ...command) command {
	execute := func(ctx context.Context, args []string, stdout, stderr io.Writer) int {
		for i, word := range args {
			at := slices.IndexFunc(all, func(c command) bool { return c.name == name+" "+word })
			rest, err := arguments.Parse(new(outputs).printFlags(), args[:i], nil)
			if at >= 0 && err == nil && len(rest) == 0 {
				return all[at].execute(ctx, behind(args[:i], args[i+1:]), stdout, stderr)
			}
		}
		to, status := stdout, equal
		switch {
		case len(args) == 0:
			complain(stderr, "%s: a subcommand is missing; use one of these", name)
			to, status = stderr, unusable
		case args[0] != "--help" && args[0] != "-h":
			complain(stderr, "%s: unknown subcommand %q; use one of these", name, args[0])
			to, status = stderr, unusable
		}
		for _, c := range all {
			fmt.Fprintf(to, "  modelparity %-18s %s\n", c.name, c.summary)
		}
		return status
	}
	return command{name, summary, execute, all, nil}
}

// behind moves flags that come before the subcommand to the end, after the file names. Otherwise
// the last of these flags would take the file names as its values.
func behind(flags, args []string) []string {
	files := slices.IndexFunc(slices.Concat(args, []string{"-"}), func(arg string) bool {
		return strings.HasPrefix(arg, "-")
	})
	return slices.Insert(slices.Clone(args), files, flags...)
}
