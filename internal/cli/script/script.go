// Package script writes specs: Go source that does the same as a command line, and that compiles
// and runs without changes.
package script

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/option"
)

// Spec describes a spec that runs a model in one or more engines on the same inputs and compares
// each run with the next one, saved runs last. A single run must have finite outputs.
type Spec struct {
	File    string            // output path; the spec contains paths relative to its folder
	Model   string            // the path of an ONNX file
	Engines []backends.Engine // at least one
	Inputs  func(path func(string) string) (string, error)
	Saved   []string // files that contain one run each
	Rule    compare.Options
	Noise   bool // judge by measured noise instead of Rule
}

// Source returns the source of the spec. It returns an error if options cannot be written in Go.
func (s Spec) Source() ([]byte, error) {
	switch {
	case !strings.HasSuffix(s.File, "_test.go"):
		return nil, fmt.Errorf("%s: a spec's file name must end in _test.go", s.File)
	case len(s.Engines) == 0:
		return nil, errors.New("a spec needs an engine; add one, such as --onnxrt")
	case len(s.Saved) > 1:
		return nil, errors.New("a spec compares with one saved run; use modelparity compare to compare " +
			"saved runs")
	}
	inputs, err := s.Inputs(s.path)
	if err != nil {
		return nil, err
	}
	matcher, err := s.matcher()
	if err != nil {
		return nil, err
	}
	imports := []string{module + "backends", module + "fixtures", module + "loaders"}
	var engines []string
	for _, e := range s.Engines {
		if options, ok := e.(interface{ Wrong() error }); ok {
			if err := options.Wrong(); err != nil {
				return nil, err
			}
		}
		paths, err := option.Imports(e)
		if err != nil {
			return nil, err
		}
		imports, engines = append(imports, paths...), append(engines, e.GoString())
	}
	for _, used := range []string{"compare", "tensor"} {
		if strings.Contains(matcher+inputs, used+".") {
			imports = append(imports, module+used)
		}
	}
	slices.Sort(imports)
	var held []string
	runs := len(s.Engines) + len(s.Saved)
	for i := range max(runs-1, 1) {
		expected := ""
		switch {
		case runs == 1:
		case i+1 < len(s.Engines):
			expected = fmt.Sprintf(".\n\t\tOf(runs[%d])", i+1)
		default:
			expected = fmt.Sprintf(".\n\t\tOfFile(%q)", s.path(s.Saved[0]))
		}
		held = append(held, fmt.Sprintf("expect(runs[%d]).To(%s%s)", i, matcher, expected))
	}
	var b bytes.Buffer
	err = source.Execute(&b, map[string]any{"Package": s.name(), "Imports": slices.Compact(imports),
		"Test":  "Test" + strings.ToUpper(s.name()[:1]) + s.name()[1:],
		"Model": s.path(s.Model), "Inputs": inputs, "Engines": engines, "Held": held})
	if err != nil {
		return nil, err
	}
	text, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("the generated spec is not valid Go: %w", err)
	}
	return text, nil
}

const module = "github.com/modelparity/modelparity/"

// name returns the spec's name, which is derived from its file name.
func (s Spec) name() string {
	base := strings.TrimSuffix(filepath.Base(s.File), "_test.go")
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, base)
	if name = strings.ToLower(name); !token.IsIdentifier(name) {
		name = "model" + name
	}
	return name
}

// path returns a path relative to the spec's folder, in which the go command runs the spec.
func (s Spec) path(path string) string {
	folder, err := filepath.Abs(filepath.Dir(s.File))
	absolute, err2 := filepath.Abs(path)
	if err == nil && err2 == nil {
		if relative, err := filepath.Rel(folder, absolute); err == nil {
			path = relative
		}
	}
	return filepath.ToSlash(path)
}

var source = template.Must(template.New("spec").Parse(
	`// Written by modelparity; it is yours to change.
package {{.Package}}_test

import (
	"testing"

	. "github.com/onsi/gomega"

	{{range .Imports}}{{printf "%q" .}}
	{{end}}. "github.com/modelparity/modelparity/matchers"
)

func {{.Test}}(t *testing.T) {
	expect := NewWithT(t).Expect
	model := loaders.ONNX({{printf "%q" .Model}})
	inputs := {{.Inputs}}
	var runs []*backends.Run
	for _, engine := range []backends.Engine{
		{{range .Engines}}{{.}},
		{{end}}
	} {
		run, err := backends.RunIn(t.Context(), engine, model, inputs)
		backends.SkipMissing(t, err)
		runs = append(runs, run)
	}
	{{range .Held}}{{.}}
	{{end}}
}
`))

// Templates maps each template that only Polygraphy has to a hint about what to use instead.
var Templates = map[string]string{
	"trt-network": "networks are not built by scripts here: export an ONNX file",
	"trt-config":  "the builder is configured by options of package backends/trt",
	"onnx-gs":     "graphs are edited in Go, with package loaders/edit",
	"shard-hint":  "a model cannot be split across devices here",
}
