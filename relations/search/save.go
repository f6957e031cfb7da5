package search

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"path/filepath"
	"slices"
	"text/template"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
)

// These are the names of the files that [Found.Save] writes.
const (
	inputsFile = "search.json"
	corpusName = "search.corpus"
	testFile   = "search_test.go"
	modelFile  = "search.onnx"
)

// Files returns the paths that [Found.Save] may write in a folder: inputs, corpus, test, and the
// edited model with its external data, if any.
func Files(dir string) []string {
	return []string{filepath.Join(dir, inputsFile), filepath.Join(dir, corpusName),
		filepath.Join(dir, testFile), filepath.Join(dir, modelFile),
		filepath.Join(dir, modelFile+".data")}
}

// Save writes the result into a folder, which it creates: the inputs; a fuzzing corpus file for
// [Decode]; a Go test that runs both sides on the inputs and fails until they agree; and the edited
// model, if a graph was edited. It returns the file names. It fails if nothing was found, if the
// rule is not Within, or if a model is not an ONNX file.
func (f *Found) Save(dir string, actual, expected backends.Subject, rule compare.Options) (
	[]string, error) {
	if !f.Parts() {
		return nil, errors.New("search: nothing was found, so there is nothing to save")
	}
	test, err := f.source(dir, actual, expected, rule)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	data, err := Encode(actual.Model, f.Inputs)
	if err != nil {
		return nil, err
	}
	paths := Files(dir)[:3]
	for _, path := range Files(dir) {
		if _, err := wholefile.Below(dir, filepath.Base(path)); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
	}
	if f.edited != nil {
		path := filepath.Join(dir, modelFile)
		if err := f.edited.Save(path); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		paths = append(paths, path)
	}
	if err := fixtures.Save(paths[0], fixtures.Of(f.Inputs)); err != nil {
		return nil, err
	}
	for i, text := range [][]byte{CorpusFile(data), test} {
		if err := wholefile.WriteBytes(paths[i+1], text); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
	}
	return paths, nil
}

// source returns the test's source.
func (f *Found) source(dir string, actual, expected backends.Subject, rule compare.Options) (
	[]byte, error) {
	const module = "github.com/modelparity/modelparity/"
	imports := []string{module + "backends", module + "compare", module + "fixtures",
		module + "loaders"}
	var sides []string
	for i, s := range []backends.Subject{actual, expected} {
		paths, err := option.Imports(s.Engine)
		if err != nil {
			return nil, err
		}
		imports = append(imports, paths...)
		model, ok := s.Model.(*loaders.Model)
		if !ok || model.Path() == "" {
			return nil, fmt.Errorf("%s was not read from an ONNX file, so a test cannot load "+
				"it: save the model and search with the file", s.Model.Name())
		}
		path, err := relative(dir, model.Path())
		if err != nil {
			return nil, err
		}
		if f.edited != nil && f.side == i {
			path = modelFile
		}
		sides = append(sides, fmt.Sprintf("backends.RunIn(t.Context(), %s, loaders.ONNX(%q), inputs)",
			s.Engine.GoString(), path))
	}
	var checks []string
	for _, c := range rule.Checks {
		atol, rtol, ok := c.Tolerances()
		if !ok {
			return nil, fmt.Errorf("the rule %v cannot be written as Go; use compare.Within", c)
		}
		checks = append(checks, fmt.Sprintf("compare.Within(%v, %v, %q)", atol, rtol, c.Stat()))
	}
	slices.Sort(imports)
	var text bytes.Buffer
	err := test.Execute(&text, map[string]any{"Imports": slices.Compact(imports), "Sides": sides,
		"Checks": checks, "Inputs": inputsFile, "Edited": f.Edited, "Edits": f.Edits})
	if err != nil {
		return nil, err
	}
	return format.Source(text.Bytes())
}

func relative(dir, path string) (string, error) {
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if short, err := filepath.Rel(from, to); err == nil {
		to = short
	}
	return filepath.ToSlash(to), nil
}

var test = template.Must(template.New("test").Parse(`package search_test

import (
	"testing"
{{range .Imports}}
	{{printf "%q" .}}{{end}}
)

// TestTheInputsThatASearchFound fails until both sides agree on them.
{{- if .Edits}} The {{.Edited}} side's graph is
// edited in ways that must not matter:
{{- range .Edits}}
//   - {{.}}
{{- end}}{{end}}
func TestTheInputsThatASearchFound(t *testing.T) {
	inputs := fixtures.Load({{printf "%q" .Inputs}})
	actual, err := {{index .Sides 0}}
	if err != nil {
		t.Fatal(err)
	}
	expected, err := {{index .Sides 1}}
	if err != nil {
		t.Fatal(err)
	}
	report, err := compare.Runs(actual.Outputs(), expected.Outputs(), compare.Options{
		Checks: []compare.Check{ {{range .Checks}}{{.}},{{end}} },
		NaNEqual: true, InfinitiesEqual: true, AllowEmpty: true})
	if err != nil {
		t.Fatal(err)
	}
	if report.Verdict != compare.Pass {
		t.Error(report.Text())
	}
}
`))
