package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/modelparity/modelparity/cmd/modelparity/internal/arguments"
	inputflags "github.com/modelparity/modelparity/fixtures/flags"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/locate"
)

// cutRequest is what `modelparity cut` is asked for.
type cutRequest struct {
	running
	outputs
	from, to []string
}

// cutSections are the flags of cut as the help shows them.
func cutSections() []section[cutRequest] {
	outputs := func(r *cutRequest) *outputs { return &r.outputs }
	cutting := part("Cutting", outputs, writes("--output, -o OUT", ""))
	cutting.flags = append(cutting.flags,
		arguments.Spelled("--from TENSOR ...",
			arguments.Texts(func(r *cutRequest) *[]string { return &r.from })),
		arguments.Spelled("--to TENSOR ...",
			arguments.Texts(func(r *cutRequest) *[]string { return &r.to })))
	runners, tensorrt := runnerSections(func(r *cutRequest) *running { return &r.running })
	return append(append([]section[cutRequest]{cutting}, runners...),
		inputSection(func(r *cutRequest) *inputflags.Flags { return &r.inputs }),
		resultSection(outputs, printFlags), tensorrt)
}

// place notes what is written beside the part.
func (r *cutRequest) place(account *files.Account) error {
	if out := r.paths["--output"]; out != "" {
		account.Add("--output", files.Writes, locate.Beside(out)...)
	}
	return nil
}

// cutFlags are all flags of `modelparity cut`.
func cutFlags() []arguments.Flag[cutRequest] {
	return flagsOf("cut only writes a part of a model", cutSections())
}

// cutCommand is `modelparity cut`.
func cutCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var r cutRequest
	given, err := read(&r, cutFlags(), args)
	if r.help {
		help(stdout, "cut", cutSections()...)
		return equal
	}
	var found finding
	if err == nil {
		found, err = r.cut(ctx, given)
	}
	return r.conclude("cut", found, err, stdout, stderr)
}

// cut does what the request asks for.
func (r *cutRequest) cut(ctx context.Context, files []string) (found finding, err error) {
	switch {
	case len(files) != 1:
		return found, fmt.Errorf("cut takes one model, got %d", len(files))
	case r.paths["--output"] == "":
		return found, errors.New("there is nowhere to write the part; write -o OUT.onnx")
	case len(r.to) == 0:
		return found, errors.New("the part has no end; write --to TENSOR")
	}
	subject, err := r.engines.Only(files[0], &r.inputs)
	if err != nil {
		return found, err
	}
	part, err := locate.Extract(ctx, subject, r.from, r.to)
	if err != nil {
		return found, err
	}
	written, err := part.Save(r.paths["--output"])
	return savedOnly(written...), err
}
