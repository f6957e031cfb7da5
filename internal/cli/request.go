package cli

import (
	"context"
	"io"
	"slices"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/completion"
)

// request is a command line's values: a struct filled by flags, which embeds outputs.
type request[R any] interface {
	*R
	// sections returns the command's flags, grouped as in its help.
	sections() []section[R]
	// do executes the request. given are the arguments that belong to no flag; progress is printed to
	// stderr.
	do(ctx context.Context, given []string, stderr io.Writer) (finding, error)
	// kind names the kind of the command's report.
	kind() string
	// written returns the flags about written files and printed text.
	written() *outputs
}

// newCommand returns the command that parses and executes a request R. The error about a flag of
// run that the command lacks ends with does.
func newCommand[R any, P request[R]](name, summary, does string) command {
	execute := func(ctx context.Context, args []string, stdout, stderr io.Writer) int {
		r := P(new(R))
		given, err := read(r, flagsOf(does, r.sections()), args)
		o := r.written()
		if o.help {
			if err := help(stdout, name, o.topic, r.sections()...); err != nil {
				complain(stderr, "%v", err)
				return unusable
			}
			return equal
		}
		stderr = o.stamped(stderr)
		var found finding
		if err == nil {
			found, err = r.do(ctx, given, stderr)
		}
		if found.report == nil {
			found.report = reportOf(r.kind(), nil)
		}
		return o.conclude(name, found, err, stdout, stderr)
	}
	flags := func() []completion.Flag { return completable(flagsOf(does, P(new(R)).sections())) }
	return command{name, summary, execute, nil, flags}
}

// worded is a request whose first argument may be a word of the command. The word takes precedence
// over a file or folder of the same name.
type worded interface{ words() []string }

// read parses a command line into its request. It rejects a command line that would overwrite one
// of its inputs, or write one file twice; such a file is not written at all, not even to report the
// error.
func read[R any, P request[R]](r P, flags []arguments.Flag[R], args []string) (given []string,
	err error) {
	given, err = arguments.Parse(flags, args, (*R)(r))
	o := r.written()
	if o.help {
		return given, err
	}
	o.settle(slices.ContainsFunc(flags, func(f arguments.Flag[R]) bool {
		return f.Name == "--save-outputs" && f.Apply != nil
	}))
	named := given
	if w, ok := any(r).(worded); ok && len(given) > 0 && slices.Contains(w.words(), given[0]) {
		named = given[1:]
	}
	wrong := o.account(named)
	if p, ok := any(r).(placer); ok && wrong == nil {
		wrong = p.place(&o.files)
	}
	if err == nil {
		err = wrong
	}
	for _, conflict := range o.files.Check() {
		o.Refuse(conflict)
		if err == nil {
			err = conflict
		}
	}
	return given, err
}
