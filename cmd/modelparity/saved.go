package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/modelparity/modelparity/golden"
)

// loadRuns reads saved runs, in the order of the files and of the runs within each. FILE#RUN is one
// run of a file, FILE#RUN/ITERATION one iteration of it.
func loadRuns(files []string) ([]golden.Named, error) {
	var runs []golden.Named
	for _, file := range files {
		read, err := golden.ReadRuns(file)
		if err != nil {
			return nil, err
		}
		for _, named := range read {
			if len(read) == 1 {
				named.Name = file
			} else {
				named.Name = file + "#" + named.Name
			}
			runs = append(runs, named)
		}
	}
	return runs, nil
}

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
