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
)

// one shows what a word asks for of one file, "" for whatever it is.
func (r *inspectRequest) one(ctx context.Context, word, file string, to io.Writer) error {
	switch word {
	case "", "model":
		return r.file(ctx, file, to)
	case "data":
		return r.data(file, to)
	case "tactics":
		return r.tactics(file, to)
	}
	model, err := r.onnx(ctx, file)
	if err != nil {
		return err
	}
	if word == "sparsity" {
		found, err := model.Sparsity()
		if err != nil {
			return err
		}
		return r.print(to, found, found.Text())
	}
	found, written, err := engineflags.Support(ctx, model, r.divide, r.to, r.options...)
	if err != nil {
		return err
	}
	return r.print(to, found, found.Text()+savedText(written))
}

// tactics shows a tactic replay file.
func (r *inspectRequest) tactics(file string, to io.Writer) error {
	tactics, err := trt.ReadTactics(file)
	if err != nil {
		return err
	}
	return r.print(to, tactics, tactics.Text())
}

// data shows saved tensors, accuracy results or tactics, whatever a file holds.
func (r *inspectRequest) data(file string, to io.Writer) error {
	if accuracy, err := golden.IsAccuracy(file); err == nil && accuracy {
		all, err := golden.ReadAccuracy(file)
		if err != nil {
			return err
		}
		return r.print(to, all, all.Text())
	}
	if trt.IsTactics(file) {
		return r.tactics(file, to)
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

// diffTactics shows the tactics that only failing engines have.
func (r *inspectRequest) diffTactics(files []string, to io.Writer) error {
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
