package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/engineflags"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/terminal"
)

// outputs is the part of every request about written files and printed text. It registers all files
// on the command line, to detect conflicts.
type outputs struct {
	files.Outputs
	volume int // how much to print; 0 is normal, less is quieter
	silent bool
	fixed  *int // the volume set by --verbosity
	engine int  // the volume of the engines' logs
	stamps bool // print the time before each line
	colour colour
	help   bool
	topic  string  // of the help
	show   [2]bool // the pictures to show, by kind

	files files.Account
}

// The volumes below normal, which is 0.
const (
	verdictOnly = -1
	nothing     = -2
)

// The file names in --output-dir.
const (
	inputsFile  = "inputs.json"
	outputsFile = "outputs.json"
	reportFile  = "report.json"
)

// reportFlags are the flags about reports, and printFlags the flags about printed text.
var (
	reportFlags = []arguments.Flag[outputs]{
		writes("--report [FILE]", reportFile),
		writes("--junit FILE", ""),
		arguments.Spelled("--output-dir DIR", func(o *outputs, words []string) error {
			o.Folder = words[0]
			return nil
		}),
	}
	accuracyFlags = []arguments.Flag[outputs]{
		writes("--save-accuracy-results [FILE]", "accuracy.json")}
	printFlags = []arguments.Flag[outputs]{
		writes("--log-file FILE", ""),
		arguments.Spelled("--verbose, -v", louder(+1)), arguments.Spelled("--quiet, -q", louder(-1)),
		arguments.Spelled("--silent", arguments.Set(func(o *outputs) *bool { return &o.silent })),
		arguments.Spelled("--verbosity LEVEL ...", verbosity),
		arguments.Spelled("--log-format FORMAT ...", logFormat),
		arguments.Spelled("--color, --colour", coloured(coloursAlways)),
		arguments.Spelled("--no-color, --no-colour", coloured(coloursNever)),
		arguments.Spelled("--help, -h [TOPIC]", func(o *outputs, words []string) error {
			o.help, o.topic = true, strings.Join(words, "")
			return nil
		}),
	}
)

// saveFlags are the flags of run that save files.
var saveFlags = []arguments.Flag[outputs]{
	writes("--save-inputs, --save-input-data [FILE]", inputsFile),
	writes("--save-input-blob [DIR]", ""),
	writes("--save-outputs, --save-results, --output-file [FILE]", outputsFile),
	writes("--save-onnx FILE", ""),
}

// writes is a flag with an output path; without a value, name in the output directory is written.
// If the flag is repeated, the last value counts.
func writes(usage, name string) arguments.Flag[outputs] {
	f := arguments.Spelled[outputs](usage, nil).On(files.Writes)
	f.Apply = func(o *outputs, words []string) error {
		if len(words) == 0 {
			o.PutUnnamed(f.Name, name)
			return nil
		}
		o.Put(f.Name, words[0])
		return nil
	}
	return f
}

// louder changes the volume.
func louder(by int) func(*outputs, []string) error {
	return func(o *outputs, _ []string) error { return terminal.Louder(&o.volume, by) }
}

// verbosity sets the volume, overriding -v and -q.
func verbosity(o *outputs, words []string) (err error) {
	o.fixed = new(int)
	*o.fixed, o.engine, err = terminal.Verbosity(words...)
	return err
}

// logFormat sets the format of printed lines.
func logFormat(o *outputs, words []string) error {
	format, err := terminal.ParseFormat(words...)
	if o.stamps = o.stamps || format.Stamps; format.Plain {
		o.colour = coloursNever
	}
	return err
}

// lines returns a function that prints lines of progress to w, or nil under --quiet.
func (o *outputs) lines(w io.Writer) func(line string) {
	if o.volume < 0 {
		return nil
	}
	return func(line string) { fmt.Fprintln(w, line) }
}

// stamped returns a writer that prints the time before each line, if --log-format says so.
func (o *outputs) stamped(to io.Writer) io.Writer { return terminal.StampedIf(o.stamps, to) }

// coloured decides about colours; the last of several flags counts.
func coloured(c colour) func(*outputs, []string) error {
	return func(o *outputs, _ []string) error { o.colour = c; return nil }
}

// Account returns the files that the command line reads and writes; flags with a File register
// their values there.
func (o *outputs) Account() *files.Account { return &o.files }

// written implements request for the types that embed outputs.
func (o *outputs) written() *outputs { return o }

// kind is the default kind of report.
func (o *outputs) kind() string { return "comparison" }

// placer is a request that reads or writes files not named by flags, such as a model's external
// data.
type placer interface {
	place(account *files.Account) error
}

// settle completes the paths and the volume after all flags have been parsed. --output-dir implies
// --report and, if the command saves inputs and outputs, their flags too.
func (o *outputs) settle(saves bool) {
	usual := map[string]string{"--report": reportFile}
	if saves {
		usual["--save-inputs"], usual["--save-outputs"] = inputsFile, outputsFile
	}
	o.Settle(usual)
	if o.fixed != nil {
		o.volume = *o.fixed
	}
	if o.silent {
		o.volume = nothing
	}
}

// theCommand stands for the arguments that belong to no flag.
const theCommand = "the command"

// account registers the output paths, the arguments, and the models' external data.
func (o *outputs) account(given []string) error {
	err := o.Note(&o.files, map[string]string{"--save-input-blob": "[0-9]*/*.bin",
		"--save-heatmaps":           "heatmap_*.png",
		"--save-error-metrics-plot": "error_metrics_*.png"})
	if err != nil {
		return err
	}
	o.files.Open("standard output", os.Stdout)
	o.files.Add(theCommand, files.Reads, given...)
	if o.files.Writes() {
		for _, path := range given {
			o.files.Add(theCommand, files.Reads, engineflags.DataFiles(path)...)
		}
	}
	return nil
}

// printed returns the writer for results: stderr if an output file goes to standard output.
func (o *outputs) printed(stdout, stderr io.Writer) io.Writer {
	if o.Piped() {
		return stderr
	}
	return stdout
}
