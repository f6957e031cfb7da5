// Package script writes a spec for a command line: Go source that does the same as the command, and
// that compiles and runs without changes.
package script

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/speccode"
	"github.com/modelparity/modelparity/loaders"
)

// Spec describes a spec that runs a model in one or more engines on the same inputs and compares
// each run with the next one; saved runs come last. A single run must have finite outputs.
type Spec struct {
	File    string               // output path; the spec contains paths relative to its folder
	Path    string               // of the model
	Model   fixtures.Declaration // an ONNX model, a model that is also an engine, or an OpenVINO model
	Marks   loaders.Selection
	Engines []backends.Engine // without them, only the saved runs are compared
	Inputs  func(path func(string) string) string
	Saved   []string // files
	Several bool     // Saved has more than one run
	Named   []string // paths that may be in the source of an engine
	Rule    compare.Options
	Noise   bool // judge by measured noise instead of Rule
}

// Source returns the source of the spec. It returns an error if options cannot be written in Go.
func (s Spec) Source() ([]byte, error) {
	if !strings.HasSuffix(s.File, "_test.go") {
		return nil, fmt.Errorf("%s: a spec's file name must end in _test.go", s.File)
	}
	_, name := speccode.Names(s.File)
	data := map[string]any{"Test": "Test" + strings.ToUpper(name[:1]) + name[1:]}
	matcher, err := speccode.Matcher(s.Rule)
	switch {
	case !s.Several && len(s.Engines)+len(s.Saved) == 1:
		matcher, err = "BeFinite()", nil
	case s.Noise:
		matcher, err = "MatchWithinNoise()", nil
	}
	if err != nil {
		return nil, err
	}
	if len(s.Engines) > 0 {
		if data["Model"], data["Engines"], err = s.engines(); err != nil {
			return nil, err
		}
		data["Inputs"], data["Marks"] = s.Inputs(s.path), speccode.Literal(s.Marks)
	}
	var held []string
	for i := range s.Engines {
		expected := fmt.Sprintf(".\n\t\tOf(all[%d])", i+1)
		switch last := i+1 == len(s.Engines); {
		case s.Several || last && i > 0 && s.Saved == nil:
			continue // a loop compares the runs, or no run follows the last
		case last && s.Saved == nil:
			expected = ""
		case last:
			expected = fmt.Sprintf(".\n\t\tOfFile(%q)", s.path(s.Saved[0]))
		}
		held = append(held, fmt.Sprintf("expect(all[%d]).To(%s%s)", i, matcher, expected))
	}
	if s.Several {
		var saved []string
		for _, file := range s.Saved {
			saved = append(saved, s.path(file))
		}
		data["Saved"], data["Matcher"] = saved, matcher
	}
	data["Held"] = held
	var b strings.Builder
	if err := template.Must(template.New("spec").Parse(text)).Execute(&b, data); err != nil {
		return nil, err
	}
	return speccode.File("Written by modelparity; it is yours to change.", s.File, b.String(),
		s.Engines...)
}

// engines returns the Go source of the model and of each engine.
func (s Spec) engines() (model string, engines []string, err error) {
	source := func(e fmt.GoStringer) string {
		code := e.GoString()
		for _, path := range s.Named {
			code = strings.ReplaceAll(code, strconv.Quote(path), strconv.Quote(s.path(path)))
		}
		return code
	}
	switch m := s.Model.(type) {
	case *loaders.Model:
		model = fmt.Sprintf("loaders.ONNX(%q)", s.path(s.Path))
	case backends.ModelEngine:
		model = source(m)
	default:
		model = fmt.Sprintf("openvino.File(%q)", s.path(s.Path))
	}
	for _, e := range s.Engines {
		if options, ok := e.(interface{ Wrong() error }); ok {
			if err := options.Wrong(); err != nil {
				return "", nil, err
			}
		}
		code := "model"
		if any(e) != any(s.Model) {
			code = source(e)
		}
		engines = append(engines, code)
	}
	return model, engines, nil
}

// path returns the path relative to the spec's folder, which is the working directory of the spec
// under go test.
func (s Spec) path(path string) string {
	return speccode.Path(path, filepath.Dir(s.File))
}

const text = `
func {{.Test}}(t *testing.T) {
	expect := NewWithT(t).Expect
	var all []*backends.Run
	{{if .Engines -}}
	{{if .Marks}}model, wanted, err := {{.Model}}.Marked({{.Marks}})
	expect(err).NotTo(HaveOccurred())
	{{else}}model := {{.Model}}
	{{end}}inputs := {{.Inputs}}
	for _, engine := range []backends.Engine{
		{{range .Engines}}{{.}},
		{{end}}
	} {
		run, err := backends.RunIn(t.Context(), engine, model, inputs)
		backends.SkipMissing(t, err)
		{{if .Marks}}run, err = run.Only(wanted...)
		expect(err).NotTo(HaveOccurred())
		{{end}}all = append(all, run)
	}
	{{end}}{{with .Saved}}saved, err := runs.ReadAll(t.Context(), {{printf "%#v" .}})
	expect(err).NotTo(HaveOccurred())
	for _, s := range saved {
		all = append(all, s.Run)
	}
	for i := range len(all) - 1 {
		expect(all[i]).To({{$.Matcher}}.
			Of(all[i+1]))
	}
	{{end}}{{range .Held}}{{.}}
	{{end}}
}
`

// Templates maps each template that only Polygraphy has to a hint about what to use instead.
var Templates = map[string]string{
	"trt-network": "modelparity does not build networks with Python scripts; " +
		"export the network to ONNX",
	"trt-config": "the builder is configured by options of package backends/trt",
	"onnx-gs":    "graphs are edited in Go, with package loaders/edit",
	"shard-hint": "modelparity cannot split a model across devices",
}
