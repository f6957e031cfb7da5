package search

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/speccode"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/loaders"
)

// These are the names of the files that [Found.Save] writes.
const (
	inputsFile = "search.json"
	corpusName = "search.corpus"
	testFile   = "search_test.go"
)

// Files returns the paths of all files that [Found.Save] may write in a folder.
func Files(dir string) []string {
	return []string{filepath.Join(dir, inputsFile), filepath.Join(dir, corpusName),
		filepath.Join(dir, testFile)}
}

// Save writes the result into a folder, which it creates if necessary: the inputs; a fuzzing corpus
// file for [Decode]; and a Go test that runs both sides on the inputs and fails until they agree.
// It returns the paths of these files. It returns an error if nothing was found, if the rule cannot
// be written in Go, or if a model is not an ONNX file.
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
	paths := Files(dir)
	for _, path := range paths {
		if _, err := wholefile.Below(dir, filepath.Base(path)); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
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
	var paths [2]string
	for i, s := range []backends.Subject{actual, expected} {
		model, ok := s.Model.(*loaders.Model)
		if !ok || model.Path() == "" {
			return nil, fmt.Errorf("%s was not read from an ONNX file, so a test cannot load "+
				"it: save the model to a file and search again with the file", s.Model.Name())
		}
		paths[i] = model.Path()
	}
	rule = compare.Options{Checks: rule.Checks, PerOutput: rule.PerOutput, NaNEqual: true,
		InfinitiesEqual: true, AllowEmpty: true}
	return speccode.Spec{About: "Compares both sides on the inputs that a search found.",
		File: filepath.Join(dir, testFile), Original: paths[1],
		Sides:  []speccode.Side{{Test: "Found", Engine: actual.Engine, Model: paths[0]}},
		Inputs: filepath.Join(dir, inputsFile), Reference: expected.Engine, Rule: rule}.Source()
}
