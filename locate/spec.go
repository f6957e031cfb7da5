package locate

import (
	"bytes"
	"fmt"
	"go/format"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/modelparity/modelparity/loaders"
)

// Spec is what a generated spec says. Either Command is set, or the rest is.
type Spec struct {
	// Actual and Expected are how each side runs: an engine and its options as Go says them, such
	// as {Engine: "ort", Options: "ort.OptimizationLevel(ort.OptimizeNone)"}.
	Actual, Expected Engine
	// ExpectedModel is the other model where the two sides have different ones.
	ExpectedModel *loaders.Model
	// Atol, Rtol and Stat are the tolerances; Stat as Go says it: "Elementwise", "Quantile(0.99)".
	Atol, Rtol float64
	Stat       string
	// Command is the check whose exit status tells the failure; {} stands for the model's file.
	Command []string
}

// Engine is a package of backends and its options, in Go.
type Engine struct{ Name, Options string }

func specFile(model string) string     { return stem(model) + "_test.go" }
func expectedFile(model string) string { return stem(model) + ".expected.onnx" }
func stem(model string) string         { return strings.TrimSuffix(model, ".onnx") }

// text is the spec's source for the model in file, which lies beside it.
func (s Spec) text(file string) ([]byte, error) {
	base := filepath.Base(file)
	replace := strings.NewReplacer("{inputs}", inputsFile(base), "{}", base)
	data := struct {
		Spec
		Model, Inputs, Other string
		Engines              []string
	}{Spec: s, Model: base, Inputs: inputsFile(base), Other: base}
	data.Command = nil
	for _, arg := range s.Command {
		data.Command = append(data.Command, replace.Replace(arg))
	}
	if s.ExpectedModel != nil {
		data.Other = expectedFile(base)
	}
	data.Engines = []string{s.Actual.Name}
	if s.Expected.Name != s.Actual.Name {
		data.Engines = append(data.Engines, s.Expected.Name)
	}
	source := comparison
	if len(s.Command) > 0 {
		source = command
	}
	var b bytes.Buffer
	if err := source.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("locate: spec: %w", err)
	}
	text, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("locate: spec: %w", err)
	}
	return text, nil
}

var comparison = template.Must(template.New("comparison").Parse(
	`// Reproduces a failure by the nodes that need it.
package reduced_test

import (
	"testing"

	. "github.com/onsi/gomega"

	{{range .Engines}}"github.com/modelparity/modelparity/backends/{{.}}"
	{{end}}"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	. "github.com/modelparity/modelparity/matchers"
)

func TestReduced(t *testing.T) {
	{{range .Engines}}{{.}}.Require(t)
	{{end}}actual := loaders.ONNX({{printf "%q" .Model}})
	expected := loaders.ONNX({{printf "%q" .Other}})
	inputs := fixtures.Load({{printf "%q" .Inputs}})
	g := NewWithT(t)
	g.Expect({{.Actual.Name}}.Run(t.Context(), actual, inputs,{{.Actual.Options}})).To(
		MatchOutputsWithin({{.Atol}}, {{.Rtol}}, {{.Stat}}).
			Of({{.Expected.Name}}.Run(t.Context(), expected, inputs,{{.Expected.Options}})))
}
`))

var command = template.Must(template.New("command").Parse(
	`// Reproduces a failure by the nodes that need it.
package reduced_test

import (
	"os/exec"
	"testing"
)

func TestReduced(t *testing.T) {
	check := exec.CommandContext(t.Context(), {{range .Command}}{{printf "%q" .}}, {{end}})
	if out, err := check.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", check.Args, err, out)
	}
}
`))
