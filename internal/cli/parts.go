package cli

import (
	"io"
	"slices"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/cli/engineflags"
	"github.com/modelparity/modelparity/internal/cli/inputflags"
	"github.com/modelparity/modelparity/internal/values"
	"github.com/modelparity/modelparity/loaders"
)

// running holds the flags that select engines and inputs, for commands that run models.
type running struct {
	engines engineflags.Flags
	inputs  inputflags.Flags
}

// loud makes the engines write their logs to w if the user gave -vv, and write them in full detail
// for -vvv.
func (r *running) loud(w io.Writer, volume int) {
	if volume > 1 {
		r.engines.Log(w, volume > 2)
	}
}

// inputNotes returns the notes about the random inputs that the command generated.
func (r *running) inputNotes() []string { return r.inputs.Notes("--input-shapes") }

// section is a group of flags with a heading in the help.
type section struct {
	title string
	flags []arguments.Flag
}

// part returns a section with the flags.
func part(title string, flags ...arguments.Flag) section { return section{title, flags} }

// ruleSection returns the comparison flags of commands that judge many runs by a single rule.
func ruleSection(rule *compareflags.Flags) section {
	return part("Comparison", append(rule.Tolerances(), rule.NoiseFlags(false)...)...)
}

// markSection returns the flags that choose the tensors of an ONNX graph to compare.
func markSection(marks *loaders.Selection) section {
	return part("Tensors",
		arguments.Spelled("--onnx-outputs TENSOR ...", func(words []string) error {
			marks.Names = append(marks.Names, values.Marked(words)...)
			return nil
		}),
		arguments.Spelled("--onnx-exclude-outputs, --exclude-outputs TENSOR ...",
			arguments.Texts(&marks.Except)),
		arguments.Spelled("--onnx-outputs-by-type OPERATOR ...", arguments.Texts(&marks.Ops)),
		arguments.Spelled("--mark-all", arguments.Set(&marks.All)))
}

// resultSection returns a section with the flags about reports and printed text.
func resultSection(flags ...[]arguments.Flag) section {
	return section{"Results", slices.Concat(flags...)}
}
