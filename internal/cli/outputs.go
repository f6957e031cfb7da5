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
	"github.com/modelparity/modelparity/report/plots"
)

// outputs is the part of every request that says what is written and printed. It keeps account of
// every file that the command line names.
type outputs struct {
	files.Outputs
	volume int // of what is printed: 0 is normal, below it is less
	silent bool
	fixed  *int // what --verbosity says of the volume
	engine int  // how much the engines log, as a volume
	stamps bool // the time goes before each line
	colour colour
	help   bool
	topic  string  // of the help
	show   [2]bool // pictures, by kind

	files files.Account
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

// saveFlags say what run saves.
var saveFlags = []arguments.Flag[outputs]{
	writes("--save-inputs, --save-input-data [FILE]", inputsFile),
	writes("--save-input-blob [DIR]", ""),
	writes("--save-outputs, --save-results, --output-file [FILE]", outputsFile),
	writes("--save-onnx FILE", ""),
}

// writes is a flag with the path of a file, or with its default name in the output directory. Of
// several, the last counts.
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

// louder prints more, or less.
func louder(by int) func(*outputs, []string) error {
	return func(o *outputs, _ []string) error { return terminal.Louder(&o.volume, by) }
}

// verbosity fixes the volume, whatever -v and -q say.
func verbosity(o *outputs, words []string) (err error) {
	o.fixed = new(int)
	*o.fixed, o.engine, err = terminal.Verbosity(words...)
	return err
}

// logFormat says how lines are printed.
func logFormat(o *outputs, words []string) error {
	format, err := terminal.ParseFormat(words...)
	if o.stamps = o.stamps || format.Stamps; format.Plain {
		o.colour = coloursNever
	}
	return err
}

// lines prints lines of progress to w, or is nil where little is printed.
func (o *outputs) lines(w io.Writer) func(line string) {
	if o.volume < 0 {
		return nil
	}
	return func(line string) { fmt.Fprintln(w, line) }
}

// stamped is a writer of lines with the time before them, where that was asked for.
func (o *outputs) stamped(to io.Writer) io.Writer { return terminal.StampedIf(o.stamps, to) }

// coloured decides about colours; of several flags the last counts.
func coloured(c colour) func(*outputs, []string) error {
	return func(o *outputs, _ []string) error { o.colour = c; return nil }
}

// Account is what the command line reads and writes; flags with a File note it there.
func (o *outputs) Account() *files.Account { return &o.files }

// written is the outputs of a request that embeds them.
func (o *outputs) written() *outputs { return o }

// kind is what a command reports that says nothing else.
func (o *outputs) kind() string { return "comparison" }

// placer is a request that reads or writes files which its flags alone do not say.
type placer interface {
	place(account *files.Account) error
}

// settle completes paths and volume once every flag has been read. An output directory alone asks
// for the report, and of a command that has the flags for it for the inputs and outputs of what
// ran.
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

// account notes where settled paths lead, and what the arguments and the data of models are read
// from.
func (o *outputs) account(given []string) error {
	err := o.Note(&o.files, map[string]string{"--save-input-blob": "[0-9]*/*.bin",
		"--save-heatmaps":           plots.HeatMaps.Pattern(),
		"--save-error-metrics-plot": plots.Metrics.Pattern()})
	if err != nil {
		return err
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
	if o.Piped() {
		return stderr
	}
	return stdout
}
