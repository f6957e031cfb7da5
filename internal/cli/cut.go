package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/failures"
	"github.com/modelparity/modelparity/internal/cli/inputflags"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/locate"
)

// cutRequest is the parsed command line of `modelparity cut`.
type cutRequest struct {
	running
	outputs
	from, to []string
}

func (*cutRequest) sections() []section[cutRequest] {
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

// place adds the files that are written next to the part to the account of files.
func (r *cutRequest) place(account *files.Account) error {
	if out := r.Path("--output"); out != "" {
		account.Add("--output", files.Writes, failures.DataFiles(out)...)
	}
	return nil
}

func (r *cutRequest) do(ctx context.Context, files []string, _ io.Writer) (found finding,
	err error) {
	out := r.Path("--output")
	switch {
	case len(files) != 1:
		return found, fmt.Errorf("cut takes one model, got %d", len(files))
	case out == "":
		return found, errors.New("the output is missing; add -o OUT.onnx")
	case len(r.to) == 0:
		return found, errors.New("the end of the part is missing; add --to TENSOR")
	}
	subject, err := r.engines.Only(files[0], &r.inputs)
	if err != nil {
		return found, err
	}
	part, err := locate.Extract(ctx, subject, r.from, r.to)
	if err != nil {
		return found, err
	}
	written, err := part.Save(out)
	return saved(err, "", written...)
}
