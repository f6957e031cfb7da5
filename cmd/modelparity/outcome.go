package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// outcome is what a command found.
type outcome struct {
	compare.Document
	saved []string // files that were written
}

// writeReport writes what was found, or the error that kept it from being found, whole or not at
// all.
func writeReport(path string, content compare.Document, problem error) error {
	content.Err = problem
	text, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return err
	}
	return writeWhole(path, append(text, '\n'))
}

// writeWhole writes a file whole or not at all, with the folders above it.
func writeWhole(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return wholefile.WriteBytes(path, data)
}
