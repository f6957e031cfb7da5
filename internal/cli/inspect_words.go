package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/internal/cli/accuracy"
	"github.com/modelparity/modelparity/internal/cli/engineflags"
	"github.com/modelparity/modelparity/internal/cli/goldenfiles"
	"github.com/modelparity/modelparity/internal/cli/tactics"
	"github.com/modelparity/modelparity/internal/codec/polygraphy"
	"github.com/modelparity/modelparity/internal/describe"
)

// one describes a single file. word is the subcommand, which says what to describe. If word is
// empty, the description depends on the kind of file.
func (r *inspectRequest) one(ctx context.Context, word, file string) (writer, error) {
	switch word {
	case "", "model":
		return r.file(ctx, file)
	case "data":
		return r.data(ctx, file)
	case "tactics":
		return writerOf(tactics.Read(file))
	}
	model, err := r.onnx(ctx, file)
	if err != nil {
		return nil, err
	}
	if word == "sparsity" {
		return writerOf(describe.Sparsity(model))
	}
	found, files, err := engineflags.Support(ctx, model, r.divide, r.to, r.options...)
	if err != nil {
		return nil, err
	}
	return written(found, engineflags.SupportText(found)+savedText(files)), nil
}

// data shows saved tensors, accuracy results or tactics, depending on the contents of the file.
func (r *inspectRequest) data(ctx context.Context, file string) (writer, error) {
	if saved, err := polygraphy.IsAccuracy(file); err == nil && saved {
		return writerOf(accuracy.Read(file))
	}
	if tactics.Is(file) {
		return writerOf(tactics.Read(file))
	}
	var shown *goldenfiles.Shown
	if r.values {
		shown = &r.shown
	}
	contents, err := goldenfiles.ReadContents(ctx, file, shown)
	return func(r *inspectRequest, to io.Writer) error {
		if r.json {
			return contents.WriteJSON(to)
		}
		return contents.WriteText(to, r.histogram, r.all)
	}, err
}

// diffTactics shows the tactics that only failing engines use.
func (r *inspectRequest) diffTactics(files []string) (writer, error) {
	if len(files) > 0 {
		return nil, fmt.Errorf("inspect diff-tactics takes --dir, or --good and --bad, got %s",
			strings.Join(files, " "))
	}
	return writerOf(tactics.Diff(cmp.Or(r.good, filepath.Join(r.folder, "good")),
		cmp.Or(r.bad, filepath.Join(r.folder, "bad"))))
}
