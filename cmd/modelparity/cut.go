package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/locate"
)

// cutting is what only cut asks for.
type cutting struct {
	output   string
	from, to []string
}

var cutFlags = []flag{
	arguments.Spelled("--output, -o OUT",
		arguments.Text(func(r *request) *string { return &r.cutting.output })).On(files.Writes),
	arguments.Spelled("--from TENSOR ...",
		arguments.Texts(func(r *request) *[]string { return &r.cutting.from })),
	arguments.Spelled("--to TENSOR ...",
		arguments.Texts(func(r *request) *[]string { return &r.cutting.to })),
}

var cutSections = []section[request]{
	{"Cutting", cutFlags}, {"Runners", runnerFlags}, {"Inputs", inputFlags},
	{"Results", resultFlags}, {"TensorRT", engineFlags},
}

// allCutFlags are all flags of `modelparity cut`.
func allCutFlags() []flag {
	return slices.Concat(cutFlags, runnerFlags, inputFlags, resultFlags, engineFlags, knownFlags())
}

// cutCommand is `modelparity cut`.
func cutCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var r request
	given, err := r.parse(allCutFlags(), args, false)
	if r.help {
		help(stdout, "cut", cutSections...)
		return equal
	}
	var written []string
	if err == nil {
		written, err = r.cut(ctx, given)
	}
	if err != nil {
		complain(stderr, "cut: %v", err)
		return unusable
	}
	for _, file := range written {
		fmt.Fprintf(r.printed(stdout, stderr), "saved %s\n", file)
	}
	return equal
}

// cut does what the request asks for.
func (r *request) cut(ctx context.Context, files []string) ([]string, error) {
	switch {
	case len(files) != 1:
		return nil, fmt.Errorf("cut takes one model, got %d", len(files))
	case r.cutting.output == "":
		return nil, errors.New("there is nowhere to write the part; write -o OUT.onnx")
	case len(r.cutting.to) == 0:
		return nil, errors.New("the part has no end; write --to TENSOR")
	}
	subject, err := r.only(files[0])
	if err != nil {
		return nil, err
	}
	part, err := locate.Extract(ctx, subject, r.cutting.from, r.cutting.to)
	if err != nil {
		return nil, err
	}
	if wholefile.IsStream(r.cutting.output) { // there is no place beside it for the inputs
		return []string{r.cutting.output}, part.Model.Save(r.cutting.output)
	}
	return part.Save(r.cutting.output)
}
