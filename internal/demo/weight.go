package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/internal/regular"
)

// changeWeight increases one float32 element of an initializer in the model file. It returns the
// element's old and new values.
func changeWeight(path, name string, position int, by float32) (was, is float32, err error) {
	data, err := regular.Read(path)
	if err != nil {
		return 0, 0, err
	}
	structure, err := onnxwire.Scan(bytes.NewReader(data))
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", path, err)
	}
	for _, w := range structure.Graph.Initializers {
		if w.Name != name {
			continue
		}
		at := w.Data.Start + 4*int64(position)
		if position < 0 || at+4 > w.Data.End {
			return 0, 0, fmt.Errorf("%s: %s has no element %d", path, name, position)
		}
		number := data[at : at+4]
		was = math.Float32frombits(binary.LittleEndian.Uint32(number))
		is = was + by
		binary.LittleEndian.PutUint32(number, math.Float32bits(is))
		return was, is, os.WriteFile(path, data, 0o644)
	}
	return 0, 0, fmt.Errorf("%s: no initializer named %s", path, name)
}
