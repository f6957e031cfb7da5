package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	engineflags "github.com/modelparity/modelparity/backends/flags"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/loaders"
)

// inspectWords are Polygraphy's, which says of a file what it is.
var inspectWords = []string{"model", "data", "tactics", "sparsity", "diff-tactics"}

// word shows what one of the words asks for.
func (r *inspecting) word(word string, files []string, to io.Writer) error {
	if word == "diff-tactics" {
		return r.diffTactics(files, to)
	}
	if len(files) != 1 {
		return fmt.Errorf("inspect %s takes one file, got %d: %s", word, len(files),
			strings.Join(files, " "))
	}
	switch word {
	case "model":
		return r.file(files[0], to)
	case "tactics":
		tactics, err := trt.ReadTactics(files[0])
		if err != nil {
			return err
		}
		return r.print(to, tactics, tactics.Text())
	case "sparsity":
		found, err := loaders.ONNX(files[0]).Sparsity()
		if err != nil {
			return err
		}
		return r.print(to, found, found.Text())
	}
	return r.data(files[0], to)
}

// data shows saved tensors, accuracy results or tactics, whatever a file holds.
func (r *inspecting) data(file string, to io.Writer) error {
	if accuracy, err := golden.IsAccuracy(file); err == nil && accuracy {
		all, err := golden.ReadAccuracy(file)
		if err != nil {
			return err
		}
		return r.print(to, all, all.Text())
	}
	if trt.IsTactics(file) {
		return r.word("tactics", []string{file}, to)
	}
	var shown *golden.Shown
	if r.values {
		shown = &r.shown
	}
	contents, err := golden.ReadContentsWith(file, shown)
	if err != nil {
		return err
	}
	text := contents
	more := 0
	if !r.all {
		text, more = contents.First()
	}
	note := ""
	if more > 0 {
		note = fmt.Sprintf("%d more iterations; --all shows them\n", more)
	}
	return r.print(to, contents, text.Text(r.histogram)+note)
}

// capability shows which nodes of a model TensorRT's parser takes.
func (r *inspecting) capability(ctx context.Context, given []string, to io.Writer) error {
	r.files.Add(theCommand, files.Reads, given...)
	r.files.Set("--output", files.Writes)
	for _, pattern := range trt.SupportFiles() {
		r.files.Below("--output", cmp.Or(r.to, engineflags.SupportFolder), pattern)
	}
	if conflicts := r.files.Check(); len(conflicts) > 0 {
		return conflicts[0]
	}
	found, written, err := engineflags.Support(ctx, given, r.divide, r.to, r.options...)
	if err != nil {
		return err
	}
	return r.print(to, found, found.Text()+savedText(written))
}

// diffTactics shows the tactics that only failing engines have.
func (r *inspecting) diffTactics(files []string, to io.Writer) error {
	if len(files) > 0 {
		return fmt.Errorf("inspect diff-tactics takes --dir, or --good and --bad, got %s",
			strings.Join(files, " "))
	}
	found, err := trt.DiffTactics(cmp.Or(r.good, filepath.Join(r.folder, "good")),
		cmp.Or(r.bad, filepath.Join(r.folder, "bad")))
	if err != nil {
		return err
	}
	return r.print(to, found, found.Text())
}
