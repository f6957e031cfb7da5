// Package reportschema validates reports against docs/report.schema.json, so that the published
// schema describes what commands and report entries really write.
package reportschema

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Validate checks a document against the published schema. The calling test must run in a folder of
// the module, as tests under go test do.
func Validate(document []byte) error { return validate(document, "") }

// ValidatePart checks a part of a document against one definition in the schema.
func ValidatePart(document []byte, definition string) error {
	return validate(document, "#/$defs/"+definition)
}

func validate(document []byte, fragment string) error {
	path, err := find()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("report.schema.json", schema); err != nil {
		return err
	}
	compiled, err := compiler.Compile("report.schema.json" + fragment)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return fmt.Errorf("the report: %w", err)
	}
	return compiled.Validate(value)
}

// find returns the path of the schema, which is in a folder above the working directory.
func find() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		path := filepath.Join(folder, "docs", "report.schema.json")
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
		above := filepath.Dir(folder)
		if above == folder {
			return "", fmt.Errorf("docs/report.schema.json is in no folder above the test's")
		}
		folder = above
	}
}
