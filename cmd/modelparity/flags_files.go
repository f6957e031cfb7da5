package main

import (
	"fmt"
	"path/filepath"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/internal/files"
)

// savedFlags say what run saves, and which saved runs it compares with.
var savedFlags = []flag{
	{Name: "--save-inputs", Also: []string{"--save-input-data"}, Arity: arguments.Maybe,
		Value: "FILE", File: files.Writes,
		Apply: path(func(r *request) *string { return &r.saveInputs }, "inputs.json")},
	{Name: "--save-input-blob", Arity: arguments.Maybe, Value: "DIR", File: files.Writes,
		Apply: path(func(r *request) *string { return &r.saveBlobs }, "")},
	{Name: "--save-outputs", Also: []string{"--save-results", "--output-file"},
		Arity: arguments.Maybe, Value: "FILE", File: files.Writes,
		Apply: path(func(r *request) *string { return &r.saveOutputs }, "outputs.json")},
	{Name: "--load-outputs", Also: []string{"--load-results"}, Arity: arguments.Some, Value: "FILE",
		File: files.Reads, Apply: arguments.Texts(func(r *request) *[]string { return &r.loadOutputs })},
}

// resultFlags say what is printed and reported; run and compare have them both.
var resultFlags = []flag{
	{Name: "--report", Arity: arguments.Maybe, Value: "FILE", File: files.Writes,
		Apply: path(func(r *request) *string { return &r.report }, "report.json")},
	{Name: "--save-accuracy-results", Arity: arguments.Maybe, Value: "FILE", File: files.Writes,
		Apply: path(func(r *request) *string { return &r.accuracy }, "accuracy.json")},
	{Name: "--output-dir", Arity: arguments.One, Value: "DIR",
		Apply: func(r *request, values []string) error {
			if values[0] == "" {
				return fmt.Errorf("the name of the directory is empty")
			}
			r.outputDir = values[0]
			return nil
		}},
	{Name: "--log-file", Arity: arguments.One, Value: "FILE", File: files.Writes,
		Apply: arguments.Text(func(r *request) *string { return &r.log })},
	volume("--verbose", "-v", +1),
	volume("--quiet", "-q", -1),
	volume("--silent", "", -100),
	{Name: "--help", Also: []string{"-h"},
		Apply: arguments.Set(func(r *request) *bool { return &r.help })},
}

// inOutputDir marks a path that is completed once all flags are known.
const inOutputDir = "\x00"

// path is a flag with the path of a file, or with its default name in the output directory.
func path(of func(*request) *string, name string) func(*request, []string) error {
	return func(r *request, values []string) error {
		to := of(r)
		switch {
		case len(values) == 0:
			*to = inOutputDir + name
		case values[0] == "":
			return fmt.Errorf("the name of the file is empty")
		default:
			*to = values[0]
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
