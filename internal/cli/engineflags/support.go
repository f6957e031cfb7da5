package engineflags

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
)

// SupportFolder is the default folder for the results of [Support], as in Polygraphy.
const SupportFolder = "polygraphy_capability_dumps"

// Support asks TensorRT's ONNX parser which nodes of a model it supports. If divide is true, it
// also splits the model into supported and unsupported parts; ONNX Runtime, if available, then
// infers types that the model does not declare.
//
// If folder is not "", Support writes the result to that folder as text and, unless all nodes are
// supported, also the parts; see [SupportFiles]. If folder is "" and divide is true, Support writes
// to [SupportFolder] if a node is not supported, and otherwise writes nothing.
func Support(ctx context.Context, model *loaders.Model, divide bool, folder string,
	options ...trt.Option) (found *trt.Support, written []string, err error) {
	if divide {
		typed := model
		if inferred, err := edit.InferShapes(ctx, model, ort.EditEngine()); err == nil {
			typed = inferred
		}
		found, err = trt.Partition(ctx, typed, options...)
	} else {
		found, err = trt.Supports(ctx, model, options...)
	}
	if err != nil {
		return nil, nil, err
	}
	if folder == "" && divide && !found.Supported {
		folder = SupportFolder
	}
	if folder != "" {
		written, err = saveSupport(found, folder)
	}
	return found, written, err
}

// resultsFile is the name of the file that contains the result as text, as in Polygraphy.
const resultsFile = "results.txt"

// SupportFiles returns patterns for the files that [Support] may write in a folder.
func SupportFiles() []string { return []string{resultsFile, "*supported_subgraph-nodes-*"} }

// saveSupport creates the folder and writes the result to results.txt, and each part as a model:
// supported_subgraph-nodes-0-3.onnx and unsupported_subgraph-nodes-4-4.onnx. It writes no parts of
// a fully supported model. It returns the paths of the files.
func saveSupport(c *trt.Support, folder string) (written []string, err error) {
	for _, p := range c.Parts {
		if p.Model == nil || c.Supported {
			continue
		}
		name := fmt.Sprintf("supported_subgraph-nodes-%d-%d.onnx", p.First, p.Last) // as in Polygraphy
		if !p.Supported {
			name = "un" + name
		}
		path, err := wholefile.Below(folder, name)
		if err == nil {
			err = p.Model.Save(path)
		}
		if err != nil {
			return written, fmt.Errorf("tensorrt: %w", err)
		}
		written = append(written, path)
	}
	path, err := wholefile.Below(folder, resultsFile)
	if err == nil {
		err = wholefile.WriteBytes(path, []byte(SupportText(c)))
	}
	if err != nil {
		return written, fmt.Errorf("tensorrt: %w", err)
	}
	return append(written, path), nil
}

// SupportText describes the result for people, with one line for each problem. It ends with a
// newline.
func SupportText(c *trt.Support) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in the ONNX parser of TensorRT %s: ", c.Model, c.TensorRT)
	if c.Supported {
		b.WriteString("supported\n")
		return b.String()
	}
	b.WriteString("not supported\n")
	for _, r := range c.Refusals {
		fmt.Fprintf(&b, "  %s\n", refusalText(r))
	}
	for _, p := range c.Parts {
		which := "not supported"
		if p.Supported {
			which = "supported"
		}
		fmt.Fprintf(&b, "nodes %d to %d: %s\n", p.First, p.Last, which)
		if p.Whole != "" {
			fmt.Fprintf(&b, "  not divided further: %s\n", p.Whole)
		}
		for _, r := range p.Refusals {
			fmt.Fprintf(&b, "  %s\n", refusalText(r))
		}
	}
	return b.String()
}

// refusalText describes one unsupported node in a line: the operator, the node, the functions that
// contain it, and the reason.
func refusalText(r trt.Refusal) string {
	text := r.Reason
	if r.Operator != "" || r.Node != "" {
		text = strings.TrimSpace(fmt.Sprintf("%s %s", r.Operator, r.Node)) + ": " + text
	}
	if len(r.Functions) > 0 {
		text += " (in " + strings.Join(r.Functions, ", ") + ")"
	}
	return text
}
