package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/engineflags"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/terminal"
)

// outputs holds the flags that control written files and printed text, which all commands share. It
// also records all files on the command line, to detect conflicts.
type outputs struct {
	files.Outputs
	volume int // how much to print; 0 is normal, lower values print less
	silent bool
	fixed  *int // the volume set by --verbosity, or nil
	engine int  // the volume of the engines' logs
	stamps bool // print the time before each line
	plain  bool // print no colours
	help   bool
	topic  string  // the topic of the help, or ""
	show   [2]bool // the kinds of picture to open

	named func(error) error // is [withFlags] for this command line
	files files.Account
}

// The log levels below the normal level, 0.
const (
	verdictOnly = -1
	nothing     = -2
)

// The names of the files that --output-dir creates.
const (
	inputsFile  = "inputs.json"
	outputsFile = "outputs.json"
	reportFile  = "report.json"
)

// reportFlags returns the flags that choose which reports are written.
func (o *outputs) reportFlags() []arguments.Flag {
	return []arguments.Flag{
		o.writes("--report [FILE]", reportFile),
		arguments.Spelled("--output-dir DIR", arguments.Text(&o.Folder)),
	}
}

func (o *outputs) accuracyFlags() []arguments.Flag {
	return []arguments.Flag{o.writes("--save-accuracy-results [FILE]", "accuracy.json")}
}

// printFlags returns the flags that control what is printed.
func (o *outputs) printFlags() []arguments.Flag {
	return []arguments.Flag{
		o.writes("--log-file FILE", ""),
		arguments.Spelled("--verbose, -v", o.louder(+1)),
		arguments.Spelled("--quiet, -q", o.louder(-1)),
		arguments.Spelled("--silent", arguments.Set(&o.silent)),
		arguments.Spelled("--verbosity LEVEL ...", o.verbosity),
		arguments.Spelled("--log-format FORMAT ...", o.logFormat),
		arguments.Spelled("--help, -h [TOPIC]", func(words []string) error {
			o.help, o.topic = true, strings.Join(words, "")
			return nil
		}),
	}
}

// saveFlags returns the flags of run that save inputs and outputs.
func (o *outputs) saveFlags() []arguments.Flag {
	return []arguments.Flag{
		o.writes("--save-inputs, --save-input-data [FILE]", inputsFile),
		o.writes("--save-input-blob [DIR]", ""),
		o.writes("--save-outputs, --save-results, --output-file [FILE]", outputsFile),
		o.writes("--save-onnx FILE", ""),
	}
}

// writes returns a flag whose value is an output path. Without a value, the flag writes to the file
// called name in the output directory. If the flag is repeated, the last value counts.
func (o *outputs) writes(usage, name string) arguments.Flag {
	f := arguments.Spelled(usage, nil).On(files.Writes)
	f.Apply = func(words []string) error {
		if len(words) == 0 {
			o.PutUnnamed(f.Name, name)
			return nil
		}
		o.Put(f.Name, words[0])
		return nil
	}
	return f
}

// target returns the path from --output. If there is none, the error shows an example of one.
func (o *outputs) target(example string) (path string, err error) {
	if path = o.Path("--output"); path == "" {
		err = fmt.Errorf("the output is missing; add -o %s", example)
	}
	return path, err
}

// louder returns a function that raises the log level by steps, or lowers it if steps is negative.
func (o *outputs) louder(steps int) func([]string) error {
	return func([]string) error { return terminal.Louder(&o.volume, steps) }
}

// verbosity parses the words of --verbosity and sets the log level. That level overrides -v and -q.
func (o *outputs) verbosity(words []string) (err error) {
	o.fixed = new(int)
	*o.fixed, o.engine, err = terminal.Verbosity(words...)
	return err
}

func (o *outputs) logFormat(words []string) error {
	stamps, plain, err := terminal.ParseFormat(words...)
	o.stamps, o.plain = o.stamps || stamps, o.plain || plain
	return err
}

// lines returns a function that prints a line of progress to w. It returns nil under --quiet.
func (o *outputs) lines(w io.Writer) func(line string) {
	if o.volume < 0 {
		return nil
	}
	return func(line string) { fmt.Fprintln(w, line) }
}

// stamped returns a writer that prints the time before each line if --log-format asks for it.
func (o *outputs) stamped(to io.Writer) io.Writer {
	if !o.stamps {
		return to
	}
	return terminal.Stamped(to, time.Now)
}

// inFlags is like [withFlags], but takes and returns a text. It is for texts in results, which are
// not errors.
func (o *outputs) inFlags(text string) string { return o.named(errors.New(text)).Error() }

// written returns o. Every request embeds a value of type outputs. Code that handles all kinds of
// requests calls written to get this value.
func (o *outputs) written() *outputs { return o }

// kind returns the default kind of report, for commands that do not define a kind of their own.
func (o *outputs) kind() string { return "comparison" }

// placer is implemented by requests that read or write files that no flag names, such as a model's
// external data. place registers these files, so that conflicts between files are detected.
type placer interface {
	place(account *files.Account)
}

// settle sets the default paths and the final log level. Call it after all flags have been parsed.
// --output-dir implies --report and, if the command saves inputs and outputs, the flags that save
// them.
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

// theCommand is printed instead of a flag's name if a positional argument conflicts with a flag.
const theCommand = "the command"

// account collects the paths of outputs and arguments, and the files of models' external data, so
// that conflicts between them are detected.
func (o *outputs) account(given []string) error {
	err := o.Note(&o.files, map[string]string{"--save-input-blob": "[0-9]*/*.bin",
		"--save-heatmaps":           "heatmap_*.png",
		"--save-error-metrics-plot": "error_metrics_*.png"})
	o.files.Open("standard output", os.Stdout)
	o.files.Add(theCommand, files.Reads, given...)
	if o.files.Writes() {
		for _, path := range given {
			o.files.Add(theCommand, files.Reads, engineflags.DataFiles(path)...)
		}
	}
	return err // after the inputs are known, since the report of the error must not replace one
}

// printed returns the writer for results: stdout or, if an output file is written to standard
// output, stderr.
func (o *outputs) printed(stdout, stderr io.Writer) io.Writer {
	if o.Piped() {
		return stderr
	}
	return stdout
}
