package main

import (
	"context"
	"fmt"
	"io"
)

// tools makes one command of several, the first word saying which, as Polygraphy's tools are. The
// commands carry both words in their names.
func tools(name, summary string, all ...command) command {
	execute := func(ctx context.Context, args []string, stdout, stderr io.Writer) int {
		if len(args) > 0 {
			for _, c := range all {
				if c.name == name+" "+args[0] {
					return c.execute(ctx, args[1:], stdout, stderr)
				}
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
