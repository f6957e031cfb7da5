package openvino

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/loaders"
)

// Description is what OpenVINO reports about a file; `modelparity inspect` shows it.
type Description struct {
	Name    string          `json:"name"`
	Format  string          `json:"format"`
	SHA256  string          `json:"sha256"`
	Version string          `json:"openvino"` // the version that read it
	Inputs  []loaders.Value `json:"inputs"`
	Outputs []loaders.Value `json:"outputs"`
}

// Describe lets OpenVINO read the file, and returns its declaration.
func (f *Foreign) Describe() (Description, error) {
	declared, err := f.declare()
	if err != nil {
		return Description{}, err
	}
	sum, err := f.digest()
	if err != nil {
		return Description{}, err
	}
	library, err := start("")
	if err != nil {
		return Description{}, err
	}
	return Description{f.Name(), FormatOf(f.path), sum, library.Version(), declared.inputs,
		declared.outputs}, nil
}

// Text returns the description for people.
func (d Description) Text() string {
	var b strings.Builder
	b.WriteString(d.Name + ": ")
	if d.Format != "" {
		b.WriteString(d.Format + ", ")
	}
	fmt.Fprintf(&b, "read by OpenVINO %s, sha256 %.12s\n", d.Version, d.SHA256)
	for _, list := range []struct {
		title  string
		values []loaders.Value
	}{{"inputs", d.Inputs}, {"outputs", d.Outputs}} {
		if len(list.values) > 0 {
			b.WriteString(list.title + ":\n")
		}
		for _, v := range list.values {
			fmt.Fprintf(&b, "  %v\n", v)
		}
	}
	return b.String()
}
