package loaders_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/modelparity/modelparity/internal/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

// FuzzLoad reads arbitrary bytes as a model: an answer or an error, never a panic, and never more
// memory than a multiple of the file. Slices that grow cost up to three times what they hold.
func FuzzLoad(f *testing.F) {
	f.Add(add().Bytes())
	f.Add(external("w.bin", "4", "4"))
	f.Add(onnxtest.Model{Graph: deep(3)}.Bytes())
	for _, empty := range []string{"\x0a\x00", "\x2a\x00", "\x5a\x00", "\x0a\x02\x0a\x00",
		"\x0a\x04\x2a\x02\x32\x00"} {
		f.Add(onnxtest.Message(nil, 7, bytes.Repeat([]byte(empty), 1<<14)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		model := loaders.ONNXBytes("fuzz", data)
		_, err := model.Inputs()
		_, outputsErr := model.Outputs()
		runtime.ReadMemStats(&after)
		if (err == nil) != (outputsErr == nil) {
			t.Errorf("inputs: %v, but outputs: %v", err, outputsErr)
		}
		spent := after.TotalAlloc - before.TotalAlloc
		if limit := uint64(len(data))*64 + 1<<20; spent > limit {
			t.Errorf("%d bytes made us allocate %d", len(data), spent)
		}
	})
}
