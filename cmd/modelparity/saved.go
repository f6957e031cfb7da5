package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/golden"
)

// keepOutputs saves what ran where that is asked for, all runs in one file.
func (r *request) keepOutputs(runs []golden.Named, found *outcome) error {
	if r.saveOutputs == "" {
		return nil
	}
	err := os.MkdirAll(filepath.Dir(r.saveOutputs), 0o755)
	if err == nil {
		err = golden.WriteRuns(r.saveOutputs, runs)
	}
	if err != nil {
		return fmt.Errorf("--save-outputs: %w", err)
	}
	found.saved = append(found.saved, r.saveOutputs)
	return nil
}
