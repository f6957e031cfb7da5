package loaders_test

import (
	"bytes"
	"io"
	"runtime"
	"slices"
	"testing"

	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	"github.com/modelparity/modelparity/tensor"
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

// FuzzEdit marks, cuts and describes whatever loads, and reads and replaces its constants: what
// comes out loads again, with the outputs that were asked for.
func FuzzEdit(f *testing.F) {
	f.Add(onnxtest.Chain().Bytes())
	f.Add(onnxtest.Whole().Bytes())
	f.Add(onnxtest.Scattered().Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		model := loaders.ONNXBytes("fuzz", data)
		if model.Load() != nil {
			return
		}
		if d, err := describe.Of(model, false); err == nil {
			_ = describe.Write(io.Discard, model, describe.Full(), false)
			if _, err := describe.Diff(model, model); err != nil {
				t.Logf("no difference: %v", err) // its weights may be damaged
			}
			if _, err := edit.UnboundedShapes(model); err != nil {
				t.Fatalf("what can be described has shapes: %v", err)
			}
			_, _ = describe.Sparsity(model) // which reads weights, and they may be damaged
			for i := range d.Nodes {
				if value, err := model.ConstantNode(i); err == nil && value == nil {
					t.Fatalf("node %d gives nothing, and no error", i)
				}
			}
		}
		same := func(c loaders.Constant) (*tensor.Tensor, error) { return c.Values, nil }
		if replaced, err := edit.ReplaceConstants(model, same); err == nil {
			if err := replaced.Load(); err != nil {
				t.Fatalf("a model with the same constants does not load: %v", err)
			}
		}
		names, err := model.Select(loaders.Selection{All: true})
		if err != nil {
			return // a graph without nodes
		}
		marked, err := model.Mark(names...)
		if err != nil {
			t.Fatalf("selected, but not marked: %v", err)
		}
		outputs, err := marked.Outputs()
		if err != nil {
			t.Fatalf("a marked model does not load: %v", err)
		}
		for _, name := range names {
			if !slices.ContainsFunc(outputs, func(v loaders.Value) bool { return v.Name == name }) {
				t.Errorf("%q is marked, and no output", name)
			}
			part, err := model.Cut(nil, named(name))
			if err != nil {
				continue // an edge that hangs in the air
			}
			if nodes, err := part.Nodes(); err != nil || len(nodes) == 0 {
				t.Fatalf("the part for %q has %d nodes: %v", name, len(nodes), err)
			}
		}
	})
}
