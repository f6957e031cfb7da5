//go:build linux || darwin

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// kinds are the ways of writing a file, by the end of its name. Each writes one of two contents,
// both large enough that a kill interrupts the write.
var kinds = []struct {
	name  string
	write func(path string, variant int) error
}{
	{"golden.json", func(path string, variant int) error {
		run, err := large(variant)
		if err != nil {
			return err
		}
		return golden.Write(path, run, golden.Options{})
	}},
	{"runs.json", writeRuns}, {"run.npz", writeRuns}, {"run.npy", writeRuns}, {"run.pb", writeRuns},
	{"run.safetensors", writeRuns},
	{"inputs.json", writeInputs}, {"inputs.npz", writeInputs},
	{enginelock.Name, func(path string, variant int) error {
		library := enginelock.Accepted{Platform: engines.Platform(), File: "lib.so"}
		for i := range 200 {
			sum := sha256.Sum256([]byte{byte(i), byte(variant)})
			library.SHA256 = hex.EncodeToString(sum[:])
			_, err := enginelock.Edit(path, func(lock *enginelock.Lock) error {
				if i == 0 {
					*lock = enginelock.Lock{}
				}
				lock.Accept(engines.ONNXRuntime, library)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}},
}

// large is a run of one output, a megabyte.
func large(variant int) (*backends.Run, error) {
	set, err := largeSet(variant)
	if err != nil {
		return nil, err
	}
	return backends.NewRun(backends.Provenance{Backend: "attack"},
		backends.Iteration{Outputs: set}), nil
}

func largeSet(variant int) (*tensor.Set, error) {
	values := make([]float32, 256<<10)
	for i := range values {
		values[i] = float32(i*(variant+1)) / 3
	}
	t, err := tensor.New(tensor.Shape{len(values)}, values)
	if err != nil {
		return nil, err
	}
	return tensor.NewSet(tensor.Entry{Name: "logits", Tensor: t})
}

func writeRuns(path string, variant int) error {
	run, err := large(variant)
	if err != nil {
		return err
	}
	return runs.WriteRuns(path, []runs.Named{{Name: "attack", Run: run}})
}

func writeInputs(path string, variant int) error {
	set, err := largeSet(variant)
	if err != nil {
		return err
	}
	return fixtures.Save(path, fixtures.Of(set))
}

// write writes a file in the way that its name selects.
func write(path string, variant int) error {
	for _, kind := range kinds {
		if kind.name == filepath.Base(path) {
			return kind.write(path, variant)
		}
	}
	return fmt.Errorf("nothing is called %s", path)
}

// writer writes PATH in an endless loop, alternating the contents, or once if VARIANT is given.
func writer(args []string) error {
	if len(args) > 1 {
		variant, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		return write(args[0], variant)
	}
	for i := 0; ; i++ {
		if err := write(args[0], i%2); err != nil {
			return err
		}
	}
}
