package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/cli/arguments"
)

// tools makes one command of several, a word saying which, as Polygraphy's tools are. The commands
// carry both words in their names. Flags of what is printed may come before the word.
func tools(name, summary string, all ...command) command {
	execute := func(ctx context.Context, args []string, stdout, stderr io.Writer) int {
		for i, word := range args {
			at := slices.IndexFunc(all, func(c command) bool { return c.name == name+" "+word })
			rest, err := arguments.Parse(printFlags, args[:i], new(outputs))
			if at >= 0 && err == nil && len(rest) == 0 {
				return all[at].execute(ctx, behind(args[:i], args[i+1:]), stdout, stderr)
			}
		}
		to, status := stdout, equal
		switch {
		case len(args) == 0:
			complain(stderr, "%s: say what to do", name)
			to, status = stderr, unusable
		case args[0] != "--help" && args[0] != "-h":
			complain(stderr, "%s: unknown word %q", name, args[0])
			to, status = stderr, unusable
		}
		for _, c := range all {
			fmt.Fprintf(to, "  modelparity %-18s %s\n", c.name, c.summary)
		}
		return status
	}
	return command{name, summary, execute, all, nil}
}

// behind moves flags that came before the word behind the files, so that the last one does not take
// the files for its values.
func behind(flags, args []string) []string {
	files := slices.IndexFunc(slices.Concat(args, []string{"-"}), func(arg string) bool {
		return strings.HasPrefix(arg, "-")
	})
	return slices.Insert(slices.Clone(args), files, flags...)
}
