package speccode

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/option"
)

// Spec is a generated spec that compares models with an original model. Models and other files are
// named by their paths.
type Spec struct {
	About     string // the comment above the package's name
	File      string // the spec itself
	Sides     []Side
	Original  string
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
	pkg, test := Names(s.File)
	folder := filepath.Dir(s.File)
	paths := []string{module + "backends", module + "fixtures", module + "loaders"}
	engines := []fmt.GoStringer{s.Reference}
	var sides []side
	for _, of := range s.Sides {
		rule := s.Rule
		rule.Only = of.Only
		matcher, err := Matcher(rule)
		if err != nil {
			return nil, err
		}
		if strings.Contains(matcher, "compare.") {
			paths = append(paths, module+"compare")
		}
		engines = append(engines, of.Engine)
		sides = append(sides, side{"Test" + of.Test + "_" + test, cmp.Or(of.Run, "RunIn"),
			Moved(of.Engine.GoString(), folder), Path(of.Model, folder), matcher})
	}
	for _, e := range engines {
		more, err := option.Imports(e)
		if err != nil {
			return nil, err
		}
		paths = append(paths, more...)
	}
	slices.Sort(paths)
	var b bytes.Buffer
	err := specText.Execute(&b, map[string]any{"About": s.About, "Package": pkg,
		"Imports": slices.Compact(paths), "Sides": sides, "Inputs": Path(s.Inputs, folder),
		"Outputs": Path(s.Outputs, folder), "Original": Path(s.Original, folder),
		"Run":       cmp.Or(s.Run, "RunIn"),
		"Reference": Moved(s.Reference.GoString(), folder)})
	if err != nil {
		return nil, err
	}
	return format.Source(b.Bytes())
}

const module = "github.com/modelparity/modelparity/"

var specText = template.Must(template.New("spec").Parse(
	`// {{.About}}
package {{.Package}}

import (
	"testing"

	. "github.com/onsi/gomega"

	{{range .Imports}}{{printf "%q" .}}
	{{end}}. "github.com/modelparity/modelparity/matchers"
)
{{$d := .}}{{range .Sides}}
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
		loaders.ONNX({{printf "%q" $d.Original}}), inputs)
	backends.SkipMissing(t, err)
	NewWithT(t).Expect(actual).To({{.Matcher}}.
		Of(expected))
{{- end}}
}
{{end}}`))
