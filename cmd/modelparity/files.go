package main

import (
	"errors"
	"io"
	"os"
	"runtime"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// Account is what the command line reads and writes; flags with a File note it there.
func (r *request) Account() *files.Account { return &r.files }

// theCommand stands for the arguments that belong to no flag.
const theCommand = "the command"

// parse reads the command line of every command that takes a request, and refuses one that would
// write to a file that it reads, or twice to one file. An output that is refused is written to by
// nobody, the report of the error neither. runs says that the command runs a model, so that
// --output-dir asks for its inputs and outputs.
func (r *request) parse(flags []flag, args []string, runs bool) ([]string, error) {
	given, err := arguments.Parse(flags, args, r)
	if r.help {
		return given, err
	}
	r.settle(runs)
	if wrong := r.account(given); err == nil {
		err = wrong
	}
	for _, conflict := range r.files.Check() {
		for _, o := range r.outputs() {
			if conflict.Concerns(o.flag) {
				*o.path = ""
			}
		}
		if err == nil {
			err = conflict
		}
	}
	return given, err
}

// output is a flag that names a file to write, with the place of its path in the request.
type output struct {
	flag string
	path *string
}

// outputs are the outputs that a command line may send elsewhere: into the output directory, or by
// "-" to standard output.
func (r *request) outputs() []output {
	return []output{{"--save-inputs", &r.saveInputs}, {"--save-input-blob", &r.saveBlobs},
		{"--save-outputs", &r.saveOutputs}, {"--report", &r.report},
		{"--save-accuracy-results", &r.accuracy}, {"--log-file", &r.log},
		{"--save-engine", &r.engine}, {"--output", &r.cutting.output}}
}

// account notes what the flags alone do not say: where settled paths lead, what is written beside
// an output, and what the arguments and the data of models are read from.
func (r *request) account(given []string) error {
	for _, o := range r.outputs() {
		if *o.path == "-" {
			if runtime.GOOS == "windows" {
				return errors.New(o.flag + " -: standard output has no path on Windows; name a file")
			}
			*o.path, r.piped = "/dev/stdout", true
		}
		switch {
		case *o.path == "":
		case o.flag == "--save-input-blob":
			r.files.Set(o.flag, files.None)
			r.files.Below(o.flag, *o.path, blobPattern)
		default:
			r.files.Set(o.flag, files.Writes, *o.path)
		}
	}
	if r.reducing.output == "-" {
		return errors.New("--output -: reduce writes several files; name one, and it writes the others " +
			"beside it")
	}
	for _, out := range []string{r.cutting.output, r.reducing.output} {
		if out != "" {
			r.files.Add("--output", files.Writes, locate.Beside(out)...)
		}
	}
	if r.reducing.good != "" {
		r.files.Add("--min-good", files.Writes, locate.Beside(r.reducing.good)...)
	}
	if r.reducing.output != "" && r.reducing.replay == "" {
		r.files.Add("--replay", files.Updates, r.replayFile())
	}
	if len(r.reducing.judge.Args) > 0 {
		candidate := r.reducing.judge.Candidate()
		r.files.Set("--iter-artifact", files.Writes, candidate)
		r.files.Add("--iter-artifact", files.Writes, locate.Beside(candidate)...)
	}
	r.files.Open("standard output", os.Stdout)
	r.files.Add(theCommand, files.Reads, given...)
	if r.files.Writes() {
		for _, path := range given {
			r.files.Add(theCommand, files.Reads, besideModel(path)...)
		}
	}
	return nil
}

// besideModel is the files that hold the weights of the model at path. A file that is no model, or
// a damaged one, has none; that is an error later on, or none for a saved run.
func besideModel(path string) []string {
	data, err := loaders.ONNX(path).ExternalData()
	if err != nil {
		return nil
	}
	return data
}

// replayFile is where reduce keeps its verdicts.
func (r *request) replayFile() string {
	if r.reducing.replay != "" {
		return r.reducing.replay
	}
	return r.reducing.output + ".replay.json"
}

// printed is where a command prints what it found: not between the bytes of an output that goes to
// standard output.
func (r *request) printed(stdout, stderr io.Writer) io.Writer {
	if r.piped {
		return stderr
	}
	return stdout
}
