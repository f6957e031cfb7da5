package main

import (
	"fmt"
	"path/filepath"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/internal/files"
)

// savedFlags say what run saves, and which saved runs it compares with.
var savedFlags = []flag{
	arguments.Spelled("--save-inputs, --save-input-data [FILE]",
		path("--save-inputs", func(r *request) *string { return &r.saveInputs }, inputsFile)).
		On(files.Writes),
	arguments.Spelled("--save-input-blob [DIR]",
		path("--save-input-blob", func(r *request) *string { return &r.saveBlobs }, "")).On(files.Writes),
	arguments.Spelled("--save-outputs, --save-results, --output-file [FILE]",
		path("--save-outputs", func(r *request) *string { return &r.saveOutputs }, outputsFile)).
		On(files.Writes),
	arguments.Spelled("--load-outputs, --load-results FILE ...",
		arguments.Texts(func(r *request) *[]string { return &r.loadOutputs })).On(files.Reads),
}

// resultFlags say what is printed and reported; run and compare have them both.
var resultFlags = []flag{
	arguments.Spelled("--report [FILE]",
		path("--report", func(r *request) *string { return &r.report }, reportFile)).On(files.Writes),
	arguments.Spelled("--save-accuracy-results [FILE]",
		path("--save-accuracy-results", func(r *request) *string { return &r.accuracy },
			"accuracy.json")).On(files.Writes),
	arguments.Spelled("--output-dir DIR", func(r *request, words []string) error {
		if words[0] == "" {
			return fmt.Errorf("the name of the directory is empty")
		}
		r.outputDir = words[0]
		return nil
	}),
	arguments.Spelled("--log-file FILE",
		arguments.Text(func(r *request) *string { return &r.log })).On(files.Writes),
	arguments.Spelled("--verbose, -v", louder(+1)), arguments.Spelled("--quiet, -q", louder(-1)),
	arguments.Spelled("--silent", arguments.Set(func(r *request) *bool { return &r.silent })),
	arguments.Spelled("--help, -h", arguments.Set(func(r *request) *bool { return &r.help })),
}

// The files that --output-dir asks for.
const (
	inputsFile  = "inputs.json"
	outputsFile = "outputs.json"
	reportFile  = "report.json"
)

// path is a flag with the path of a file, or with its default name in the output directory. Of
// several, the last counts.
func path(flag string, of func(*request) *string, name string) func(*request, []string) error {
	return func(r *request, words []string) error {
		switch {
		case len(words) == 0:
			*of(r) = ""
			r.inOutputDir(flag, name)
			return nil
		case words[0] == "":
			return fmt.Errorf("the name of the file is empty")
		}
		delete(r.unnamed, flag)
		*of(r) = words[0]
		return nil
	}
}

// inOutputDir has an output go under its default name into the output directory, which is known
// once every flag has been read.
func (r *request) inOutputDir(flag, name string) {
	if r.unnamed == nil {
		r.unnamed = map[string]string{}
	}
	r.unnamed[flag] = name
}

// settle completes paths and volume once every flag has been read. An output directory alone asks
// for all three files, of which a command that runs nothing has the report.
func (r *request) settle(runs bool) {
	if r.outputDir != "" {
		names := map[string]string{"--report": reportFile}
		if runs {
			names["--save-inputs"], names["--save-outputs"] = inputsFile, outputsFile
		}
		for _, o := range r.outputs() {
			if name, wanted := names[o.flag]; wanted && *o.path == "" {
				r.inOutputDir(o.flag, name)
			}
		}
	}
	for _, o := range r.outputs() {
		if name, unnamed := r.unnamed[o.flag]; unnamed {
			*o.path = filepath.Join(r.outputDir, ".", name)
		}
	}
	if r.silent {
		r.volume = nothing
	}
}

// The volumes below the normal one, which is 0.
const (
	verdictOnly = -1
	nothing     = -2
)

// louder prints more, or less.
func louder(by int) func(*request, []string) error {
	return func(r *request, _ []string) error { r.volume += by; return nil }
}
