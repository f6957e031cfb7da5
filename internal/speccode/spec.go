package speccode

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/modelparity/modelparity/compare"
)

// Spec is a generated spec that compares models with an original model. Models and other files are
// named by their paths.
type Spec struct {
	About     string // the comment above the package's name
	File      string // the spec itself
	Sides     []Side
	Original  string
	Cast      bool // convert the inputs to the types that the original declares
	Inputs    string
	Outputs   string         // the expected outputs; if "", the original runs in Reference
	Reference fmt.GoStringer // an engine
	Rule      compare.Options
	// Run names the function of package backends that runs the original. The default is RunIn.
	Run string
}

// Side is a model in an engine, with the name of its test.
type Side struct {
	Test   string
	Run    string // as [Spec.Run]
	Engine fmt.GoStringer
	Model  string
	// Only lists the names of the outputs to compare. If it is empty, all outputs are compared.
	Only []string
}

// Source returns the spec as a Go file.
func (s Spec) Source() ([]byte, error) {
	type side struct{ Name, Run, Engine, Model, Matcher string }
	_, test := Names(s.File)
	folder := filepath.Dir(s.File)
	engines := []fmt.GoStringer{s.Reference}
	var sides []side
	for _, of := range s.Sides {
		rule := s.Rule
		rule.Only = of.Only
		matcher, err := Matcher(rule)
		if err != nil {
			return nil, err
		}
		engines = append(engines, of.Engine)
		sides = append(sides, side{"Test" + of.Test + "_" + test, cmp.Or(of.Run, "RunIn"),
			Moved(of.Engine.GoString(), folder), Path(of.Model, folder), matcher})
	}
	var b strings.Builder
	err := specText.Execute(&b, map[string]any{"Sides": sides, "Inputs": Path(s.Inputs, folder),
		"Outputs": Path(s.Outputs, folder), "Original": Path(s.Original, folder),
		"Cast": s.Cast, "Run": cmp.Or(s.Run, "RunIn"),
		"Reference": Moved(s.Reference.GoString(), folder)})
	if err != nil {
		return nil, err
	}
	return File(s.About, s.File, b.String(), engines...)
}

var specText = template.Must(template.New("spec").Parse(
	`{{$d := .}}{{range .Sides}}
func {{.Name}}(t *testing.T) {
	inputs := fixtures.Load({{printf "%q" $d.Inputs}})
	actual, err := backends.{{.Run}}(t.Context(), {{.Engine}},
		loaders.ONNX({{printf "%q" .Model}}), inputs)
	backends.SkipMissing(t, err)
{{- if $d.Outputs}}
	NewWithT(t).Expect(actual).To({{.Matcher}}.
		OfFile({{printf "%q" $d.Outputs}}))
{{- else}}
	expected, err := backends.{{$d.Run}}(t.Context(), {{$d.Reference}},
		loaders.ONNX({{printf "%q" $d.Original}}), inputs
{{- if $d.Cast}}.Cast(loaders.ONNX({{printf "%q" $d.Original}})){{end}})
	backends.SkipMissing(t, err)
	NewWithT(t).Expect(actual).To({{.Matcher}}.
		Of(expected))
{{- end}}
}
{{end}}`))
