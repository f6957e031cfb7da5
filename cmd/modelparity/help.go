package main

import (
	"fmt"
	"io"
	"strings"
)

// helpColumns is the width that help texts are broken to.
const helpColumns = 96

// overview prints the commands.
func overview(to io.Writer) {
	fmt.Fprint(to, `modelparity decides whether two runs of a model are the same model.

`)
	for _, c := range commands() {
		fmt.Fprintf(to, "  modelparity %-8s %s\n", c.name, c.summary)
	}
	fmt.Fprint(to, `
modelparity help COMMAND says more. Exit status: 0 equal, 1 differs, 2 could not compare.
`)
}

// section is flags under a heading of the help.
type section struct {
	title string
	flags []flag
}

const runUsage = `Usage: modelparity run [MODEL] [FLAG ...]

Runs MODEL, an ONNX file, once for every runner, and holds each run to the next one; saved runs come
after those that ran here. The later run of two is the expected one. With a single run nothing is
compared, which is an error unless it was only to be saved, or --validate looks for NaN.

  modelparity run net.onnx --onnxrt --save-outputs expected.json
  modelparity run net.onnx --onnxrt --load-outputs expected.json --atol 1e-4 logits:1e-3
  modelparity run net.onnx --onnxrt --providers cuda --load-outputs expected.json --report out.json
`

const compareUsage = `Usage: modelparity compare ACTUAL EXPECTED [FLAG ...]

Compares two saved runs: Polygraphy's JSON, golden files, or other formats by their extension.
FILE#RUN picks a run of a file that holds several, by index or name; FILE#RUN/ITERATION one
iteration.

  modelparity compare actual.json expected.json --atol 1e-3 --check-error-stat median
  modelparity compare runs.json#0 runs.json#1
`

const valuesUsage = `
A flag may take several values, up to the next flag; so write files first, or after "--".
A value for one output is OUTPUT:VALUE, split at the last colon, and overrides the one for all.
Exit status: 0 equal, 1 differs, 2 could not compare or bad usage.
`

// runSections are the flags of run as the help shows them.
var runSections = []section{
	{"Runners", runnerFlags},
	{"Inputs", inputFlags},
	{"Tensors", markFlags},
	{"Comparison", comparisonFlags},
	{"Saved runs", savedFlags},
	{"Results", resultFlags},
	{"TensorRT", engineFlags},
}

// compareSections are the flags of compare.
var compareSections = []section{
	{"Comparison", comparisonFlags},
	{"Results", resultFlags},
}

// help prints how a command is used.
func help(to io.Writer, usage string, sections []section) {
	fmt.Fprint(to, usage, valuesUsage)
	for _, s := range sections {
		fmt.Fprintf(to, "\n%s\n", s.title)
		for _, f := range s.flags {
			fmt.Fprintf(to, "  %s\n", f.Usage())
			for _, line := range wrapped(f.Help, helpColumns-8) {
				fmt.Fprintf(to, "        %s\n", line)
			}
		}
	}
}

// wrapped breaks a text into lines of at most width columns, between words.
func wrapped(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
