//go:build linux || darwin

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// kinds lists the files that can be written, by base name.
var kinds = []struct {
	name  string
	write func(path string) error
}{
	{"golden.json", func(path string) error {
		run, err := large()
		if err != nil {
			return err
		}
		return golden.Write(path, run, golden.Options{})
	}},
	{"runs.json", writeRuns}, {"run.npz", writeRuns}, {"run.npy", writeRuns}, {"run.pb", writeRuns},
	{"run.safetensors", writeRuns},
	{"inputs.json", writeInputs}, {"inputs.npz", writeInputs},
	{enginelock.Name, func(path string) error {
		sum := sha256.Sum256(nil)
		library := enginelock.Accepted{Platform: engines.Platform(), File: "lib.so",
			SHA256: hex.EncodeToString(sum[:])}
		_, err := enginelock.Edit(path, func(lock *enginelock.Lock) error {
			lock.Accept(engines.ONNXRuntime, library)
			return nil
		})
		return err
	}},
}

// large returns a run with one output of a megabyte.
func large() (*backends.Run, error) {
	set, err := largeSet()
	if err != nil {
		return nil, err
	}
	return backends.NewRun(backends.Provenance{Backend: "attack"},
		backends.Iteration{Outputs: set}), nil
}

func largeSet() (*tensor.Set, error) {
	values := make([]float32, 256<<10)
	for i := range values {
		values[i] = float32(i) / 3
	}
	t, err := tensor.New(tensor.Shape{len(values)}, values)
	if err != nil {
		return nil, err
	}
	return tensor.NewSet(tensor.Entry{Name: "logits", Tensor: t})
}

func writeRuns(path string) error {
	run, err := large()
	if err != nil {
		return err
	}
	return runs.WriteRuns(path, []runs.Named{{Name: "attack", Run: run}})
}

func writeInputs(path string) error {
	set, err := largeSet()
	if err != nil {
		return err
	}
	return fixtures.Save(path, fixtures.Of(set))
}

// writer writes the file PATH. Its base name must be one of kinds.
func writer(args []string) error {
	for _, kind := range kinds {
		if kind.name == filepath.Base(args[0]) {
			return kind.write(args[0])
		}
	}
	return fmt.Errorf("no way to write a file matches %s", args[0])
}
