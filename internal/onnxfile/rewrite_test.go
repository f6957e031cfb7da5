package onnxfile_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/modelparity/modelparity/internal/onnxfile"
	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
)

// Many empty graphs, which protobuf merges, took 144 bytes each in a copy of the model.
func TestACopyTakesNoMemoryForFieldsThatDoNotChange(t *testing.T) {
	const graphs = 200_000
	relu := onnxtest.Node{Op: "Relu", In: []string{"x"}, Out: []string{"y"}}
	data := append(bytes.Repeat([]byte{0x3a, 0}, graphs), onnxtest.Model{Graph: onnxtest.Graph{
		Name: "g", Nodes: []onnxtest.Node{relu}}}.Bytes()...)
	m := onnxfile.FromBytes("graphs.onnx", data)
	if err := m.Load(); err != nil {
		t.Fatal(err)
	}
	rename := func(out *onnxfile.Spliced, in onnxwire.Message, f onnxwire.Field) bool {
		if in != onnxwire.GraphMessage || f.Number != onnxwire.GraphName {
			return false
		}
		out.Write(onnxwire.AppendText(nil, onnxwire.GraphName, "other"))
		return true
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	copied, err := m.Rewrite(func(r *onnxfile.Rewriting) { r.Change = rename })
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 10*graphs {
		t.Errorf("%d bytes for each graph", took/graphs)
	}
	written, err := copied.Bytes()
	want := bytes.Replace(data, []byte("\x12\x01g"), []byte("\x12\x05other"), 1)
	want[2*graphs+bytes.IndexByte(data[2*graphs:], 0x3a)+1] += 4 // the graph's length
	if err != nil || !bytes.Equal(written, want) {
		t.Errorf("%v: % x, expected % x", err, written[2*graphs:], want[2*graphs:])
	}
}
