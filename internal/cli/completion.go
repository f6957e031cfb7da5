package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/modelparity/modelparity/internal/completion"
)

// completionCommand runs `modelparity completion`.
func completionCommand(_ context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) != 1 {
		complain(stderr, "completion takes one shell: %s", strings.Join(completion.Shells, ", "))
		return unusable
	}
	if args[0] == "--help" || args[0] == "-h" {
		fmt.Fprint(stdout, helpText("completion"))
		return equal
	}
	var all []completion.Command
	for _, c := range commands() {
		if len(c.tools) == 0 {
			c.tools = []command{c}
		}
		for _, tool := range c.tools {
			one := completion.Command{Name: tool.name}
			if tool.flags != nil {
				for _, f := range tool.flags() {
					if f.Apply != nil { // others are always an error
						one.Flags = append(append(one.Flags, f.Name), f.Also...)
					}
				}
			}
			all = append(all, one)
		}
	}
	script, err := completion.Script(args[0], "modelparity", all)
	if err != nil {
		complain(stderr, "completion: %v", err)
		return unusable
	}
	fmt.Fprint(stdout, script)
	return equal
}
