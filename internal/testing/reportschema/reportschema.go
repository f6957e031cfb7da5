// Package reportschema validates reports against docs/report.schema.json, so that the published
// schema describes what commands and report entries really write.
package reportschema

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/modelparity/modelparity/internal/testing/usermodule"
)

// Validate checks a document against the published schema. The working directory of the calling
// test must be in this module, as it is under go test.
func Validate(document []byte) error { return validate(document, "") }

// ValidatePart checks a part of a document against one of the schema's definitions.
func ValidatePart(document []byte, definition string) error {
	return validate(document, "#/$defs/"+definition)
}

func validate(document []byte, fragment string) error {
	root, err := usermodule.Root()
	if err != nil {
		return err
	}
	path := filepath.Join(root, "docs", "report.schema.json")
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
