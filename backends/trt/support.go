package trt

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
)

// Support says which nodes of a model TensorRT's ONNX parser supports. It does not cover the
// builder: there may be no engine for a network that was parsed.
type Support struct {
	Model    string `json:"model"`
	TensorRT string `json:"tensorrt"`
	// Supported reports whether the parser supports the whole model.
	Supported bool `json:"supported"`
	// Refusals lists everything unsupported, in the parser's order, if the model was not divided.
	Refusals []Refusal `json:"refusals,omitempty"`
	// Parts has the model's nodes, in graph order, if it was divided ([Partition]).
	Parts []Part `json:"parts,omitempty"`
}

// Refusal is something that the parser does not support.
type Refusal struct {
	Node     string `json:"node,omitempty"` // its name
	Operator string `json:"operator,omitempty"`
	Reason   string `json:"reason"`
	// Functions are the model's local functions that contain the node, the outermost first.
	Functions []string `json:"functions,omitempty"`
}

// Part is consecutive nodes of a model that the parser either all supports or does not support.
type Part struct {
	First     int  `json:"first"` // node, in graph order
	Last      int  `json:"last"`
	Supported bool `json:"supported"`
	// Refusals are the reasons for an unsupported part.
	Refusals []Refusal `json:"refusals,omitempty"`
	// Whole says why the part cannot be a model of its own. Without that, it can neither be
	// searched for supported nodes nor saved.
	Whole string `json:"whole,omitempty"`

	model *loaders.Model
}

// file returns the part's file name, which is the same as Polygraphy's.
func (p Part) file() string {
	which := "unsupported"
	if p.Supported {
		which = "supported"
	}
	return fmt.Sprintf("%s_subgraph-nodes-%d-%d.onnx", which, p.First, p.Last)
}

// resultsFile is the file name of the text, which is the same as Polygraphy's.
const resultsFile = "results.txt"

// SupportFiles are patterns for the files that [Support.Save] may write in a folder.
func SupportFiles() []string { return []string{resultsFile, "*supported_subgraph-nodes-*"} }

// Save writes the text to results.txt in a folder, which it creates, and each part as a model:
// supported_subgraph-nodes-0-3.onnx and unsupported_subgraph-nodes-4-4.onnx. A model that is fully
// supported has no parts. It returns the files.
func (c *Support) Save(folder string) (written []string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("tensorrt: %w", err)
	}
	for _, p := range c.Parts {
		if p.model == nil || c.Supported {
			continue
		}
		path := filepath.Join(folder, p.file())
		if err := p.model.Save(path); err != nil {
			return written, fmt.Errorf("tensorrt: %w", err)
		}
		written = append(written, path)
	}
	path := filepath.Join(folder, resultsFile)
	if err := wholefile.WriteBytes(path, []byte(c.Text())); err != nil {
		return written, fmt.Errorf("tensorrt: %w", err)
	}
	return append(written, path), nil
}

// Text describes the result for people, with one line for each refusal. It ends with a newline.
func (c *Support) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in the ONNX parser of TensorRT %s: ", c.Model, c.TensorRT)
	if c.Supported {
		b.WriteString("supported\n")
		return b.String()
	}
	b.WriteString("not supported\n")
	for _, r := range c.Refusals {
		fmt.Fprintf(&b, "  %v\n", r)
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
			fmt.Fprintf(&b, "  %v\n", r)
		}
	}
	return b.String()
}

// String returns the refusal in one line: the operator, the node, its functions, and the reason.
func (r Refusal) String() string {
	text := r.Reason
	if r.Operator != "" || r.Node != "" {
		text = strings.TrimSpace(fmt.Sprintf("%s %s", r.Operator, r.Node)) + ": " + text
	}
	if len(r.Functions) > 0 {
		text += " (in " + strings.Join(r.Functions, ", ") + ")"
	}
	return text
}
