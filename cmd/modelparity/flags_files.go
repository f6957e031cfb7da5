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
		path(func(r *request) *string { return &r.saveInputs }, "inputs.json")).On(files.Writes),
	arguments.Spelled("--save-input-blob [DIR]",
		path(func(r *request) *string { return &r.saveBlobs }, "")).On(files.Writes),
	arguments.Spelled("--save-outputs, --save-results, --output-file [FILE]",
		path(func(r *request) *string { return &r.saveOutputs }, "outputs.json")).On(files.Writes),
	arguments.Spelled("--load-outputs, --load-results FILE ...",
		arguments.Texts(func(r *request) *[]string { return &r.loadOutputs })).On(files.Reads),
}

// resultFlags say what is printed and reported; run and compare have them both.
var resultFlags = []flag{
	arguments.Spelled("--report [FILE]",
		path(func(r *request) *string { return &r.report }, "report.json")).On(files.Writes),
	arguments.Spelled("--save-accuracy-results [FILE]",
		path(func(r *request) *string { return &r.accuracy }, "accuracy.json")).On(files.Writes),
	arguments.Spelled("--output-dir DIR", func(r *request, words []string) error {
		if words[0] == "" {
			return fmt.Errorf("the name of the directory is empty")
		}
		r.outputDir = words[0]
		return nil
	}),
	arguments.Spelled("--log-file FILE",
		arguments.Text(func(r *request) *string { return &r.log })).On(files.Writes),
	volume("--verbose", "-v", +1),
	volume("--quiet", "-q", -1),
	volume("--silent", "", -100),
	arguments.Spelled("--help, -h", arguments.Set(func(r *request) *bool { return &r.help })),
}

// inOutputDir marks a path that is completed once all flags are known.
const inOutputDir = "\x00"

// path is a flag with the path of a file, or with its default name in the output directory.
func path(of func(*request) *string, name string) func(*request, []string) error {
	return func(r *request, words []string) error {
		to := of(r)
		switch {
		case len(words) == 0:
			*to = inOutputDir + name
		case words[0] == "":
			return fmt.Errorf("the name of the file is empty")
		default:
			*to = words[0]
		}
		return nil
	}
}

// settlePaths completes the paths once every flag has been read. An output directory alone asks
// for all three files.
func (r *request) settlePaths(runs bool) {
	if r.outputDir != "" {
		if r.report == "" {
			r.report = inOutputDir + "report.json"
		}
		if runs && r.saveInputs == "" {
			r.saveInputs = inOutputDir + "inputs.json"
		}
		if runs && r.saveOutputs == "" {
			r.saveOutputs = inOutputDir + "outputs.json"
		}
	}
	for _, o := range r.outputs() {
		if to := o.path; *to != "" && (*to)[:1] == inOutputDir {
			*to = filepath.Join(r.outputDir, ".", (*to)[1:])
		}
	}
}

// volume is a flag that prints more or less.
func volume(name, short string, by int) flag {
	f := flag{Name: name, Apply: func(r *request, _ []string) error {
		r.volume += by
		return nil
	}}
	if short != "" {
		f.Also = []string{short}
	}
	return f
}
