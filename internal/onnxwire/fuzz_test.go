package onnxwire_test

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
)

// FuzzScan reads every node, body, value and attribute of whatever scans: the scan has read them
// all, so that nothing can be wrong with them any more.
func FuzzScan(f *testing.F) {
	body := onnxtest.Graph{Nodes: []onnxtest.Node{{Op: "Relu", In: []string{"x"}, Out: []string{"y"}}}}
	f.Add(onnxtest.Model{Graph: onnxtest.Graph{Nodes: []onnxtest.Node{{Op: "If", In: []string{"c"},
		Out: []string{"y"}, Attrs: []onnxtest.Attr{{Name: "then_branch", Graph: &body}}}}}}.Bytes())
	f.Add(graph(onnxtest.Message(nil, 13, onnxtest.Message(onnxtest.Message(nil, 1, []byte("v")), 2,
		onnxtest.TensorType(1, []any{2, "batch", nil})))))
	f.Add(graph(onnxtest.Message(nil, 1, onnxtest.Message(nil, 5, protowire.AppendFixed32(
		protowire.AppendTag(nil, 7, protowire.Fixed32Type), 1)))))
	f.Fuzz(func(t *testing.T, data []byte) {
		source := bytes.NewReader(data)
		model, err := onnxwire.Scan(source)
		if err != nil {
			return
		}
		r := onnxwire.NewReader(source)
		look(t, r, &model.Graph)
		for i := range model.Functions {
			look(t, r, &onnxwire.Graph{Nodes: model.Functions[i].Nodes})
		}
	})
}

func look(t *testing.T, r *onnxwire.Reader, g *onnxwire.Graph) {
	seen := 0
	for i, n := range r.Nodes(g.Nodes) {
		seen++
		if g.Nodes[i] != n.Span {
			t.Errorf("node %d is at %v, not at %v", i, n.Span, g.Nodes[i])
		}
		attributes := r.Fork()
		if attributes.Attributes(n.Span); attributes.Err() != nil {
			t.Skip("an attribute's value is not looked at by a scan: ", attributes.Err())
		}
		for _, span := range n.Bodies {
			look(t, r, r.Body(span))
		}
	}
	for range r.Values(g.Values) {
		seen++
	}
	if want := len(g.Nodes) + len(g.Values); r.Err() != nil || seen != want {
		t.Fatalf("%d nodes and declarations of %d: %v", seen, want, r.Err())
	}
}
