package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/internal/completion"
)

// completionCommand is `modelparity completion`.
func completionCommand(_ context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) != 1 {
		complain(stderr, "completion: want one shell: %s", strings.Join(completion.Shells, ", "))
		return unusable
	}
	if args[0] == "--help" || args[0] == "-h" {
		fmt.Fprint(stdout, helpText("completion"))
		return equal
	}
	var all []completion.Command
	add := func(c command) {
		one := completion.Command{Name: c.name, Summary: c.summary}
		if c.flags != nil {
			one.Flags = c.flags()
		}
		all = append(all, one)
	}
	for _, c := range commands() {
		if len(c.tools) == 0 {
			add(c)
		}
		for _, tool := range c.tools {
			add(tool)
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

// completable is flags as a shell completes them.
func completable[R any](flags []arguments.Flag[R]) (list []completion.Flag) {
	for _, f := range flags {
		list = append(list, completion.Flag{Names: append([]string{f.Name}, f.Also...),
			Takes: f.Arity != arguments.None})
	}
	return list
}
