package failures

import (
	"bytes"
	"fmt"
	"go/format"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/internal/speccode"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// spec describes a generated spec. Either judge is set, or the other fields are.
type spec struct {
	// actual and expected are the engines of the two sides. The generated spec contains their Go
	// source.
	actual, expected backends.Engine
	// expectedModel is the model of the expected side, or nil if both sides have the same model.
	expectedModel *loaders.Model
	// rule is the rule for comparing the two sides, as in [locate.Differs]: atol and rtol, with one
	// or more statistics.
	rule compare.Options
	// judge is the command that judges the model.
	judge *locate.JudgeCommand
}

func (s spec) leavesOut() bool {
	return slices.ContainsFunc([]backends.Engine{s.actual, s.expected}, func(e backends.Engine) bool {
		return e != nil && strings.Contains(e.GoString(), option.Comment)
	})
}

func inputsFile(model string) string   { return model + ".inputs.json" }
func specFile(model string) string     { return stem(model) + "_test.go" }
func expectedFile(model string) string { return stem(model) + ".expected.onnx" }
func stem(model string) string         { return strings.TrimSuffix(model, ".onnx") }

// text returns the source of the spec for the model in file. The spec is in the same folder as the
// model.
func (s spec) text(file string) ([]byte, error) {
	source, data := command, map[string]any{}
	base, folder := filepath.Base(file), filepath.Dir(file)
	if s.judge != nil {
		data["Model"], data["Judge"] = base, speccode.Moved(code(s.judge), folder)
	} else {
		matcher, err := s.matcher()
		if err != nil {
			return nil, err
		}
		imports := []string{module + "backends", module + "fixtures", module + "loaders"}
		for _, e := range []backends.Engine{s.actual, s.expected} {
			paths, err := option.Imports(e)
			if err != nil {
				return nil, fmt.Errorf("locate: spec: %w", err)
			}
			imports = append(imports, paths...)
		}
		if strings.Contains(matcher, "compare.") {
			imports = append(imports, module+"compare")
		}
		slices.Sort(imports)
		other := base
		if s.expectedModel != nil {
			other = expectedFile(base)
		}
		source = comparison
		data = map[string]any{"Imports": slices.Compact(imports),
			"Actual":    speccode.Moved(s.actual.GoString(), folder),
			"Expected":  speccode.Moved(s.expected.GoString(), folder),
			"RunActual": runs(s.actual), "RunExpected": runs(s.expected), "Model": base, "Other": other,
			"Inputs": inputsFile(base), "Matcher": matcher}
	}
	data["Package"], data["Name"] = speccode.Names(specFile(file))
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

// runs returns the name of the function with which a generated spec runs a part in an engine.
func runs(e backends.Engine) string {
	if backends.CapabilitiesOf(e).Parts != nil {
		return "RunPart"
	}
	return "RunIn"
}

const module = "github.com/modelparity/modelparity/"

// matcher returns the Go source of a matcher for the rule. NaN equals NaN, as in [locate.Differs].
func (s spec) matcher() (string, error) {
	for _, check := range s.rule.Checks {
		atol, rtol, _ := check.Tolerances()
		if check != compare.Within(atol, rtol, check.Stat()) {
			return "", fmt.Errorf("locate: a spec can judge only by atol and rtol, got %v", check)
		}
	}
	if len(s.rule.Checks) == 0 {
		return "", fmt.Errorf("locate: spec: the rule has no checks")
	}
	return speccode.Matcher(compare.Options{Checks: s.rule.Checks, NaNEqual: true,
		InfinitiesEqual: true, AnyElementType: s.rule.AnyElementType, AnyShape: s.rule.AnyShape})
}

var comparison = template.Must(template.New("comparison").Parse(
	`// Reproduces a failure with only the nodes that it needs.
package {{.Package}}

import (
	"testing"

	. "github.com/onsi/gomega"

	{{range .Imports}}{{printf "%q" .}}
	{{end}}. "github.com/modelparity/modelparity/matchers"
)

func TestReduced_{{.Name}}(t *testing.T) {
	inputs := fixtures.Load({{printf "%q" .Inputs}})
	actual, err := backends.{{.RunActual}}(t.Context(), {{.Actual}},
		loaders.ONNX({{printf "%q" .Model}}), inputs)
	backends.SkipMissing(t, err)
	expected, err := backends.{{.RunExpected}}(t.Context(), {{.Expected}},
		loaders.ONNX({{printf "%q" .Other}}), inputs)
	backends.SkipMissing(t, err)
	NewWithT(t).Expect(actual).To({{.Matcher}}.
		Of(expected))
}
`))

var command = template.Must(template.New("command").Parse(
	`// Reproduces a failure with only the nodes that it needs.
package {{.Package}}

import (
	"testing"

	"github.com/modelparity/modelparity/locate"
)

func TestReduced_{{.Name}}(t *testing.T) {
	judge := locate.JudgeCommand{{.Judge}}
	fails, err := judge.Judge(t.Context(), {{printf "%q" .Model}})
	if err != nil {
		t.Fatal(err)
	}
	if fails {
		t.Errorf("%v: the failure still occurs", judge.Args)
	}
}
`))

// code returns the part of the command's Go source that starts at its opening brace: the options
// that decide the verdict. It leaves out Artifacts, which are needed only in a search.
func code(k *locate.JudgeCommand) string {
	text := fmt.Sprintf("{Args: %#v", k.Args)
	if len(k.FailCodes) > 0 {
		text += fmt.Sprintf(", FailCodes: %#v", k.FailCodes)
	}
	if len(k.IgnoreFailCodes) > 0 {
		text += fmt.Sprintf(", IgnoreFailCodes: %#v", k.IgnoreFailCodes)
	}
	if len(k.FailRegexes) > 0 {
		text += fmt.Sprintf(", FailRegexes: %#v", k.FailRegexes)
	}
	return text + "}"
}
