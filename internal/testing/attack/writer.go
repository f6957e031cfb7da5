//go:build linux || darwin

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/tensor"
)

// kinds lists the files that [writer] can write.
var kinds = []string{"golden.json", "runs.json", "run.npz", "run.npy", "run.pb", "run.safetensors",
	"inputs.json", "inputs.npz", enginelock.Name}

// writer writes the file PATH, which holds a megabyte unless it is a lock. Its base name must be in
// kinds.
func writer(args []string) error {
	path, name := args[0], filepath.Base(args[0])
	if name == enginelock.Name {
		sum := sha256.Sum256(nil)
		library := enginelock.Accepted{Platform: engines.Platform(), File: "lib.so",
			SHA256: hex.EncodeToString(sum[:])}
		_, err := enginelock.Edit(path, func(lock *enginelock.Lock) error {
			lock.Accept(engines.ONNXRuntime, library)
			return nil
		})
		return err
	}
	values := make([]float32, 256<<10)
	for i := range values {
		values[i] = float32(i) / 3
	}
	l := &layout{dir: filepath.Dir(path)}
	set := l.set("logits", tensor.Of(values...))
	if strings.HasPrefix(name, "inputs") {
		return fixtures.Save(path, fixtures.Of(set))
	}
	l.saved(name, set)
	return l.err
}
