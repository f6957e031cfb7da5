package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/modelparity/modelparity/internal/cli/arguments"
)

// request is a parsed command line. Each command implements it with a struct of its own. The struct
// embeds the type [outputs], and its other fields hold the values of the command's flags.
type request interface {
	// sections returns the command's flags, grouped as in the help.
	sections() []section
	// do runs the command. given holds the positional arguments. Progress is printed to stderr.
	do(ctx context.Context, given []string, stderr io.Writer) (finding, error)
	// kind returns the kind of the command's report.
	kind() string
	// written returns the outputs that the request embeds.
	written() *outputs
}

// newCommand returns a command that parses its command line into an R and runs it.
func newCommand[R any, P interface {
	*R
	request
}](name, summary string) command {
	execute := func(ctx context.Context, args []string, stdout, stderr io.Writer) int {
		r := P(new(R))
		flags, words := flagsOf(name, r.sections()), map[string][]string{}
		for i, f := range flags {
			if f.Apply != nil {
				flags[i].Apply = func(given []string) error {
					words[f.Name] = append(words[f.Name], given...)
					return f.Apply(given)
				}
			}
		}
		given, err := read(r, flags, args)
		o := r.written()
		o.named = func(err error) error { return withFlags(err, flags, words) }
		if o.help {
			if err := help(stdout, name, o.topic, r.sections()...); err != nil {
				complain(stderr, "%v", err)
				return unusable
			}
			return equal
		}
		stderr = o.stamped(stderr)
		var found finding
		unused, wrong := o.files.MakeFolders() // the report of an error needs its folder too
		defer unused()
		if err = cmp.Or(err, wrong); err == nil {
			found, err = r.do(ctx, given, stderr)
			err = o.named(err)
		}
		if n, ok := any(r).(noted); ok && err == nil && o.volume >= 0 {
			for _, note := range n.inputNotes() {
				fmt.Fprintf(stderr, "note: %s\n", note)
			}
		}
		return o.conclude(name, r.kind(), found, err, stdout, stderr)
	}
	return command{name, summary, execute, nil,
		func() []arguments.Flag { return flagsOf(name, P(new(R)).sections()) }}
}

// noted is implemented by requests that generate random inputs. inputNotes returns the notes to
// print about these inputs, for example that dynamic dimensions were taken as 1.
type noted interface{ inputNotes() []string }

// worded is implemented by requests whose first argument may be a subcommand. A subcommand takes
// precedence over a file or folder with the same name.
type worded interface{ words() []string }

// read parses a command line into its request. It returns an error if the command would overwrite
// one of its own inputs or write one file twice. In that case, not even the error report is written
// to the file that would be overwritten.
func read(r request, flags []arguments.Flag, args []string) (given []string, err error) {
	o := r.written()
	given, err = arguments.Parse(flags, args, &o.files)
	if o.help {
		return given, err
	}
	o.settle(slices.ContainsFunc(flags, func(f arguments.Flag) bool {
		return f.Name == "--save-outputs" && f.Apply != nil
	}))
	named := given
	if r, ok := r.(worded); ok && len(given) > 0 && slices.Contains(r.words(), given[0]) {
		named = given[1:]
	}
	switch r.(type) {
	case *mutateRequest, *goldenRequest:
		named = slices.DeleteFunc(slices.Clone(named), func(path string) bool {
			info, err := os.Stat(path)
			return err == nil && info.IsDir() // files may be written into packages
		})
	}
	wrong := o.account(named)
	if p, ok := r.(placer); ok && wrong == nil {
		p.place(&o.files)
	}
	err = cmp.Or(err, wrong)
	for _, conflict := range o.files.Check() {
		o.Refuse(conflict)
		if err == nil {
			err = conflict
		}
	}
	return given, err
}
