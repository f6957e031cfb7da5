package onnxwire_test

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
)

// graph is a model that is only that graph.
func graph(b []byte) []byte { return onnxtest.Message(nil, 7, b) }

func scan(t *testing.T, data []byte) *onnxwire.Model {
	t.Helper()
	m, err := onnxwire.Scan(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestScanReadsPackedAndUnpackedNumbers(t *testing.T) {
	unpacked := onnxtest.Varint(onnxtest.Varint(nil, 1, 3), 1, 300)
	packed := onnxtest.Message(nil, 1, protowire.AppendVarint(protowire.AppendVarint(nil, 3), 300))
	for _, dims := range [][]byte{unpacked, packed} {
		got := scan(t, graph(onnxtest.Message(nil, 5, dims))).Graph.Initializers[0].Dims
		if !slices.Equal(got, []int64{3, 300}) {
			t.Errorf("dims %v", got)
		}
	}
}

// A hostile list may allocate no more than twice the limit of its structure, which is 1.5 times the
// file plus 8 MiB, even if no garbage is collected meanwhile.
func TestScanAllocatesWithinItsLimit(t *testing.T) {
	const size = 3_000_000
	packed := func(field protowire.Number) []byte {
		return onnxtest.Message(nil, field, bytes.Repeat([]byte{1}, size))
	}
	inside := func(data []byte, fields ...protowire.Number) []byte {
		for _, field := range fields {
			data = onnxtest.Message(nil, field, data)
		}
		return data
	}
	empty := func(field byte) []byte { return bytes.Repeat([]byte{field<<3 | 2, 0}, size/2) }
	for name, data := range map[string][]byte{
		"dims":      graph(onnxtest.Message(nil, 5, packed(1))),
		"inputs":    graph(empty(11)),
		"names":     graph(onnxtest.Message(nil, 1, empty(1))),
		"bodies":    graph(inside(empty(6), 5, 1)),
		"shapes":    graph(inside(empty(1), 2, 1, 2, 13)),
		"weights":   graph(empty(5)),
		"opsets":    empty(8),
		"functions": bytes.Repeat([]byte{0xca, 1, 0}, size/3),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := onnxwire.Scan(bytes.NewReader(data))
		runtime.ReadMemStats(&after)
		limit := uint64(len(data)+len(data)/2) + 8<<20
		if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 2*limit+1<<20 {
			t.Errorf("%s: %d bytes allocated, limit %d: %v", name, took, 2*limit, err)
		}
	}
}

func TestScanReadsSparseInitializers(t *testing.T) {
	values := onnxtest.Tensor{Name: "s", Type: 1, Dims: []int64{1}, Raw: onnxtest.Float32s(2)}
	indices := onnxtest.Tensor{Type: 7, Dims: []int64{1}, Location: "i.bin"}
	sparse := onnxtest.Message(onnxtest.Message(nil, 1, values.Bytes()), 2, indices.Bytes())
	m := scan(t, graph(onnxtest.Message(nil, 15, onnxtest.Varint(sparse, 3, 9))))
	got := m.Graph.Initializers[0]
	if got.Name != "s" || got.Type != 1 || !got.Sparse || !slices.Equal(got.Dims, []int64{9}) {
		t.Errorf("%+v", got)
	}
	if len(m.External) != 1 || m.External[0].Location != "i.bin" {
		t.Errorf("the indices' external data: %+v", m.External)
	}
}

func TestScanReadsLongNames(t *testing.T) {
	long := strings.Repeat("layer/", 2000) // longer than the window
	model := onnxtest.Model{Graph: onnxtest.Graph{Name: long,
		Nodes: []onnxtest.Node{{Op: "Relu", In: []string{long}, Out: []string{"y"}}}}}
	got := scan(t, model.Bytes()).Graph
	r := onnxwire.NewReader(bytes.NewReader(model.Bytes()))
	node := r.Node(got.Nodes[0])
	if r.Err() != nil || len(got.Nodes) != 1 {
		t.Fatal(len(got.Nodes), r.Err())
	}
	if got.Name != long || node.Inputs[0] != long || node.Outputs[0] != "y" {
		t.Error("a name longer than the window is not read whole")
	}
}

func TestScanNamesTheByte(t *testing.T) {
	group := protowire.AppendTag(nil, 7, protowire.StartGroupType)
	for _, row := range []struct {
		reason string
		data   []byte
		at     int64
		want   string
	}{
		{"a varint without end", bytes.Repeat([]byte{0xff}, 30), 0, "no protobuf field starts here"},
		{"a tag alone", []byte{0x08}, 0, "field 1 is truncated"},
		{"field 0", []byte{0x00, 0x00}, 0, "no protobuf field starts here"},
		{"a group", group, 0, "a protobuf group"},
		{"too few bytes", []byte{0x08, 0x09, 0x3a, 0x05, 0x00}, 2, "truncated: field 7 needs 5 bytes"},
		{"a length beyond int64", append([]byte{0x3a}, bytes.Repeat([]byte{0xff}, 9)...), 0, "field 7"},
		{"an IR version of text", []byte{0x0a, 0x00}, 0, "the IR version has wire type 2, not 0"},
		{"a graph that is a number", []byte{0x38, 0x01}, 0, "a graph has wire type 0, not 2"},
		{"a node that is a number", graph([]byte{0x08, 0x01}), 2, "a node has wire type 0, not 2"},
		{"a node's name that is a number", graph(onnxtest.Message(nil, 1, []byte{0x18, 0x01})), 4,
			"a node's name has wire type 0, not 2"},
		{"half a float", graph(onnxtest.Message(nil, 5, []byte{0x25, 0x01})), 4, "truncated"},
		{"a packed number without end", graph(onnxtest.Message(nil, 5,
			onnxtest.Message(nil, 1, []byte{0x80}))), 6, "a tensor's dims is truncated"},
	} {
		_, err := onnxwire.Scan(bytes.NewReader(row.data))
		var syntax *onnxwire.SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != row.at ||
			!strings.Contains(syntax.Reason, row.want) {
			t.Errorf("%s: %v, want byte %d: %s", row.reason, err, row.at, row.want)
		}
	}
}

func TestAttributesAsText(t *testing.T) {
	floats := protowire.AppendFixed32(protowire.AppendFixed32(nil, 0x3f000000), 0xc0000000)
	texts := onnxtest.Message(onnxtest.Message(nil, 9, []byte("a")), 9, []byte("b"))
	long := onnxtest.Message(nil, 4, bytes.Repeat([]byte("x"), 65))
	unpacked := protowire.AppendTag(nil, 7, protowire.Fixed32Type)
	for _, row := range []struct {
		value []byte
		want  string
		whole bool
	}{
		{onnxtest.Varint(nil, 3, -7), "-7", true},
		{onnxtest.Message(nil, 4, []byte("SAME\x00")), `"SAME\x00"`, true},
		{long, `"` + strings.Repeat("x", 64) + `"…`, false},
		{onnxtest.Message(nil, 7, floats), "[0.5,-2]", true},
		{protowire.AppendFixed32(unpacked, 0x3f000000), "[0.5]", true},
		{onnxtest.Message(nil, 8, []byte{1, 2, 3}), "[1,2,3]", true},
		{onnxtest.Message(nil, 8, make([]byte, 10)), "[0,0,0,0,0,0,0,0,… 2 more]", false},
		{texts, `["a","b"]`, true},
		{onnxtest.Message(nil, 5, nil), "tensor", false},
		{onnxtest.Message(nil, 6, nil), "graph", false},
		{onnxtest.Message(nil, 14, nil), "type", false},
		{onnxtest.Message(nil, 22, nil), "sparse tensor", false},
		{onnxtest.Message(nil, 21, []byte("alpha")), "the function's alpha", true},
		{nil, "[]", true},
	} {
		attribute := append(onnxtest.Message(nil, 1, []byte("name")), row.value...)
		node := onnxtest.Message(nil, 5, attribute)
		r := onnxwire.NewReader(bytes.NewReader(node))
		list := r.Attributes(onnxwire.Span{End: int64(len(node))})
		if r.Err() != nil || len(list) != 1 {
			t.Fatal(list, r.Err())
		}
		if a := list[0]; a.Name != "name" || a.Text != row.want || a.Whole != row.whole {
			t.Errorf("%s=%s whole %v, want %s whole %v", a.Name, a.Text, a.Whole, row.want, row.whole)
		}
	}
}

func TestTypesSurviveARoundTrip(t *testing.T) {
	inner := onnxtest.TensorType(7, []any{2, "batch", nil})
	member := func(number protowire.Number, t []byte) []byte {
		return onnxtest.Message(nil, number, onnxtest.Message(nil, 1, t))
	}
	mapping := onnxtest.Message(nil, 5, onnxtest.Message(onnxtest.Varint(nil, 1, 8), 2, inner))
	for _, proto := range [][]byte{inner, onnxtest.TensorType(1, nil), onnxtest.TensorType(1, []any{}),
		member(4, inner), member(9, member(4, inner)), mapping, onnxtest.Message(nil, 7, nil),
		onnxtest.Message(nil, 8, onnxtest.Varint(nil, 1, 1))} {
		value := onnxtest.Value{Name: "v", Proto: proto}.Bytes()
		read := scan(t, graph(onnxtest.Message(nil, 11, value))).Graph.Inputs[0]
		if got := onnxwire.AppendValue(nil, "v", &read.Type); !bytes.Equal(got, value) {
			t.Errorf("%x was written as %x", value, got)
		}
	}
}
