package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/golden"
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
