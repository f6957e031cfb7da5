// Package reportschema holds reports to docs/report.schema.json, for our own tests: what the file
// promises to others is what every command and every report entry really writes.
package reportschema

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Validate holds a document to the published schema. The test that calls it runs in a folder of the
// module, as go test has it.
func Validate(document []byte) error { return validate(document, "") }

// ValidatePart holds a part of a document to one of the schema's definitions.
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

// find looks for the schema in the folders above.
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
