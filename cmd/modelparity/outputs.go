package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	engineflags "github.com/modelparity/modelparity/backends/flags"
	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/internal/files"
)

// outputs is the part of every request that says what is written and printed. It keeps account of
// every file that the command line names.
type outputs struct {
	paths   map[string]string // what is written where, by the flags
	unnamed map[string]string // default names of those that were given without a path
	dir     string            // --output-dir
	saves   bool              // the command runs a model, so --output-dir asks for what ran as well
	volume  int               // of what is printed: 0 is normal, below it is less
	silent  bool
	colour  colour
	help    bool

	files files.Account
	piped bool // one of the outputs is standard output
}

// The volumes below the normal one, which is 0.
const (
	verdictOnly = -1
	nothing     = -2
)

// The files that --output-dir asks for.
const (
	inputsFile  = "inputs.json"
	outputsFile = "outputs.json"
	reportFile  = "report.json"
)

// reportFlags say where what was found is reported, and printFlags what is printed.
var (
	reportFlags = []arguments.Flag[outputs]{
		writes("--report [FILE]", reportFile),
		arguments.Spelled("--output-dir DIR", func(o *outputs, words []string) error {
			o.dir = words[0]
			return named("directory", o.dir)
		}),
	}
	accuracyFlags = []arguments.Flag[outputs]{
		writes("--save-accuracy-results [FILE]", "accuracy.json")}
	printFlags = []arguments.Flag[outputs]{
		writes("--log-file FILE", ""),
		arguments.Spelled("--verbose, -v", louder(+1)), arguments.Spelled("--quiet, -q", louder(-1)),
		arguments.Spelled("--silent", arguments.Set(func(o *outputs) *bool { return &o.silent })),
		arguments.Spelled("--color, --colour", coloured(coloursAlways)),
		arguments.Spelled("--no-color, --no-colour", coloured(coloursNever)),
		arguments.Spelled("--help, -h", arguments.Set(func(o *outputs) *bool { return &o.help })),
	}
)

// saveFlags say what run saves.
var saveFlags = []arguments.Flag[outputs]{
	writes("--save-inputs, --save-input-data [FILE]", inputsFile),
	writes("--save-input-blob [DIR]", ""),
	writes("--save-outputs, --save-results, --output-file [FILE]", outputsFile),
}

// writes is a flag with the path of a file, or with its default name in the output directory. Of
// several, the last counts.
func writes(usage, name string) arguments.Flag[outputs] {
	f := arguments.Spelled[outputs](usage, nil).On(files.Writes)
	f.Apply = func(o *outputs, words []string) error {
		if len(words) == 0 {
			o.unname(f.Name, name)
			return nil
		}
		delete(o.unnamed, f.Name)
		o.put(f.Name, words[0])
		return named("file", words[0])
	}
	return f
}

// named refuses an empty name.
func named(what, name string) error {
	if name == "" {
		return fmt.Errorf("the name of the %s is empty", what)
	}
	return nil
}

// louder prints more, or less.
func louder(by int) func(*outputs, []string) error {
	return func(o *outputs, _ []string) error { o.volume += by; return nil }
}

// coloured decides about colours; of several flags the last counts.
func coloured(c colour) func(*outputs, []string) error {
	return func(o *outputs, _ []string) error { o.colour = c; return nil }
}

func (o *outputs) put(flag, path string) {
	if o.paths == nil {
		o.paths = map[string]string{}
	}
	o.paths[flag] = path
}

// unname has an output go under its default name into the output directory, which is known once
// every flag has been read.
func (o *outputs) unname(flag, name string) {
	if o.unnamed == nil {
		o.unnamed = map[string]string{}
	}
	delete(o.paths, flag)
	o.unnamed[flag] = name
}

// Account is what the command line reads and writes; flags with a File note it there.
func (o *outputs) Account() *files.Account { return &o.files }

// written is the outputs of a request that embeds them.
func (o *outputs) written() *outputs { return o }

// placer is a request that reads or writes files which its flags alone do not say.
type placer interface {
	place(account *files.Account) error
}

// read reads the command line of a command into its request, and refuses one that would write to a
// file that it reads, or twice to one file. An output that is refused is written to by nobody, the
// report of the error neither.
func read[R any](r *R, flags []arguments.Flag[R], args []string) (given []string, err error) {
	given, err = arguments.Parse(flags, args, r)
	o := any(r).(interface{ written() *outputs }).written()
	if o.help {
		return given, err
	}
	o.settle()
	wrong := o.account(given)
	if p, ok := any(r).(placer); ok && wrong == nil {
		wrong = p.place(&o.files)
	}
	if err == nil {
		err = wrong
	}
	for _, conflict := range o.files.Check() {
		for flag := range o.paths {
			if conflict.Concerns(flag) {
				o.paths[flag] = ""
			}
		}
		if err == nil {
			err = conflict
		}
	}
	return given, err
}

// settle completes paths and volume once every flag has been read. An output directory alone asks
// for the report, and for the inputs and outputs of what ran.
func (o *outputs) settle() {
	if o.dir != "" {
		names := map[string]string{"--report": reportFile}
		if o.saves {
			names["--save-inputs"], names["--save-outputs"] = inputsFile, outputsFile
		}
		for flag, name := range names {
			if o.paths[flag] == "" && o.unnamed[flag] == "" {
				o.unname(flag, name)
			}
		}
	}
	for flag, name := range o.unnamed {
		o.put(flag, filepath.Join(o.dir, ".", name))
	}
	if o.silent {
		o.volume = nothing
	}
}

// theCommand stands for the arguments that belong to no flag.
const theCommand = "the command"

// outputFlags are the flags that name a file to write, in the order in which they are accounted
// for.
var outputFlags = []string{"--save-inputs", "--save-input-blob", "--save-outputs", "--report",
	"--save-accuracy-results", "--log-file", "--save-engine", "--output", "--markdown"}

// blobPattern is what files --save-input-blob writes.
const blobPattern = "[0-9]*/*.bin"

// account notes where settled paths lead, and what the arguments and the data of models are read
// from.
func (o *outputs) account(given []string) error {
	for _, flag := range outputFlags {
		path := o.paths[flag]
		if path == "-" {
			if runtime.GOOS == "windows" {
				return errors.New(flag + " -: standard output has no path on Windows; name a file")
			}
			path, o.piped = "/dev/stdout", true
			o.put(flag, path)
		}
		switch {
		case path == "":
		case flag == "--save-input-blob":
			o.files.Set(flag, files.None)
			o.files.Below(flag, path, blobPattern)
		default:
			o.files.Set(flag, files.Writes, path)
		}
	}
	o.files.Open("standard output", os.Stdout)
	o.files.Add(theCommand, files.Reads, given...)
	if o.files.Writes() {
		for _, path := range given {
			o.files.Add(theCommand, files.Reads, engineflags.Beside(path)...)
		}
	}
	return nil
}

// printed is where a command prints what it found: not between the bytes of an output that goes to
// standard output.
func (o *outputs) printed(stdout, stderr io.Writer) io.Writer {
	if o.piped {
		return stderr
	}
	return stdout
}
