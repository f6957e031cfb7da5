package cli

import (
	"context"
	"io"
	"slices"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/completion"
)

// request is what a command is asked for: a struct that flags fill, with outputs in it.
type request[R any] interface {
	*R
	// sections are the command's flags as its help shows them.
	sections() []section[R]
	// do does what is asked for. given are the arguments that belong to no flag, and stderr is where
	// progress is shown.
	do(ctx context.Context, given []string, stderr io.Writer) (finding, error)
	// kind is what the command's report is of.
	kind() string
	// written is what is written and printed.
	written() *outputs
}

// asked is the command that a request is made to. does is what it does in place of the flags of run
// that it lacks.
func asked[R any, P request[R]](name, summary, does string) command {
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

// worded is a request whose first argument may be a word of the command. The word wins over a file
// or folder of that name.
type worded interface{ words() []string }

// read reads the command line of a command into its request, and refuses one that would write to a
// file that it reads, or twice to one file. An output that is refused is written to by nobody, the
// report of the error neither.
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
