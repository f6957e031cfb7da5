package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/failures"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/locate"
)

// cutRequest is the parsed command line of `modelparity cut`.
type cutRequest struct {
	running
	outputs
	from, to []string
}

func (r *cutRequest) sections() []section {
	cutting := part("Cutting", r.writes("--output, -o OUT", ""),
		arguments.Spelled("--from TENSOR ...", arguments.Texts(&r.from)),
		arguments.Spelled("--to TENSOR ...", arguments.Texts(&r.to)))
	return r.around([]section{cutting}, resultSection(r.printFlags()))
}

// place registers the files that are written next to the cut-out part, so that conflicts with other
// files are detected.
func (r *cutRequest) place(account *files.Account) {
	if out := r.Path("--output"); out != "" {
		account.Add("--output", files.Writes, failures.DataFiles(out)...)
	}
}

func (r *cutRequest) do(ctx context.Context, files []string, _ io.Writer) (found finding,
	err error) {
	out, err := r.target("OUT.onnx")
	if err == nil && len(r.to) == 0 {
		err = errors.New("the end of the part is missing; add --to TENSOR")
	}
	if err != nil {
		return found, err
	}
	subject, err := r.engines.Only(files, &r.inputs)
	if err != nil {
		return found, err
	}
	part, err := locate.Extract(ctx, subject, r.from, r.to)
	if err != nil {
		return found, err
	}
	unread := ""
	for _, name := range r.from {
		if _, read := part.Inputs[0].Get(name); !read {
			unread += fmt.Sprintf("note: --from %q has no effect: no node of the part reads it\n", name)
		}
	}
	written, err := part.Save(out)
	return saved(err, unread, written...)
}
