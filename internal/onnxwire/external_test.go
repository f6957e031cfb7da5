package onnxwire_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/onnxwire"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
)

// nested is a message in the fields of others, the outermost first.
func nested(message []byte, fields ...protowire.Number) []byte {
	for i := range fields {
		message = onnxtest.Message(nil, fields[len(fields)-1-i], message)
	}
	return message
}

func TestExternalDataIsNotedWhereverItStands(t *testing.T) {
	tensor := onnxtest.Tensor{Name: "w", Type: 1, Dims: []int64{1}, Location: "w.bin"}.Bytes()
	for place, fields := range map[string][]protowire.Number{
		"an initializer":                        {7, 5},
		"the values of a sparse initializer":    {7, 15, 1},
		"the indices of a sparse initializer":   {7, 15, 2},
		"an attribute's tensor":                 {7, 1, 5, 5},
		"an attribute's tensors":                {7, 1, 5, 10},
		"an attribute's sparse tensor":          {7, 1, 5, 22, 1},
		"an attribute's sparse tensors":         {7, 1, 5, 23, 2},
		"a body's initializer":                  {7, 1, 5, 6, 5},
		"a body's node":                         {7, 1, 5, 11, 1, 5, 5},
		"a body of a body":                      {7, 1, 5, 6, 1, 5, 6, 15, 1},
		"a function's node":                     {25, 7, 5, 5},
		"a body in a function":                  {25, 7, 5, 6, 5},
		"a function's attribute":                {25, 11, 5},
		"a function's attribute of tensors":     {25, 11, 10},
		"a function's attribute that is sparse": {25, 11, 22, 2},
		"a body in a function's attribute":      {25, 11, 6, 5},
		"the initialization of a training":      {20, 1, 5},
		"the algorithm of a training":           {20, 2, 1, 5, 5},
	} {
		model := append(nested(tensor, fields...), graph(nil)...)
		noted := scan(t, model).External
		if len(noted) != 1 || noted[0].Location != "w.bin" || noted[0].Tensor != "w" {
			t.Errorf("%s: %+v", place, noted)
			continue
		}
		if kind := member(fields); kind != onnxwire.TensorMessage {
			t.Errorf("%s: an editor takes it for message %d", place, kind)
		}
	}
}

// member follows the fields from a model as editors do.
func member(fields []protowire.Number) onnxwire.Message {
	kind := onnxwire.ModelMessage
	for _, number := range fields {
		kind = kind.Member(number)
	}
	return kind
}

func TestWhatParsersReadDifferentlyIsAnError(t *testing.T) {
	entry := func(b []byte, key, value string) []byte {
		return onnxtest.Message(bytes.Clone(b), 13,
			onnxtest.Message(onnxtest.Message(nil, 1, []byte(key)), 2, []byte(value)))
	}
	initializer := func(b []byte) []byte { return nested(b, 7, 5) }
	named := entry(nil, "location", "w.bin")
	located := func(b []byte, at int64) []byte { return onnxtest.Varint(bytes.Clone(b), 14, at) }
	whole := located(named, 1)
	twice := func(number protowire.Number, b []byte) []byte {
		return onnxtest.Message(onnxtest.Message(nil, number, b), number, b)
	}
	// Parsers of protobuf read a tag's low 32 bits.
	const wraps = 1 << 32
	hidden := protowire.AppendVarint(nil, wraps|13<<3|uint64(protowire.BytesType))
	for reason, row := range map[string]struct {
		model []byte
		want  string
	}{
		"a location that is not known": {initializer(located(named, 5)), "location is 5"},
		"one that is cut to 32 bits": {initializer(located(named, 1<<32+1)),
			"location is 4294967297"},
		"a negative one": {initializer(located(named, -1)), "location is -1"},
		"1 and then 5":   {initializer(located(whole, 5)), "location is 5"},
		"1 and then 0":   {initializer(located(whole, 0)), "duplicate"},
		"0 and then 1": {initializer(append(located(nil, 0), whole...)),
			"duplicate"},
		"an entry without a location": {initializer(named), "has external_data, but"},
		"an entry with location 0":    {initializer(located(named, 0)), "has external_data, but"},
		"an entry of another key alone": {initializer(entry(nil, "checksum", "1")),
			"has external_data, but"},
		"two locations": {initializer(entry(whole, "location", "v.bin")),
			"more than one location"},
		"two offsets": {initializer(entry(entry(whole, "offset", "1"), "offset", "2")),
			"more than one offset"},
		"a tag of 33 bits": {initializer(append(append(hidden, 0), located(nil, 1)...)),
			"no protobuf field starts here"},
		"two tensors in one attribute": {nested(twice(5, whole), 7, 1, 5), "duplicate"},
		"two graphs in one attribute":  {nested(twice(6, nil), 7, 1, 5), "duplicate"},
		"two sparse tensors in one":    {nested(twice(22, nil), 25, 11), "duplicate"},
		"values twice":                 {nested(twice(1, whole), 7, 15), "duplicate"},
		"indices twice":                {nested(twice(2, whole), 7, 15), "duplicate"},
	} {
		_, err := onnxwire.Scan(bytes.NewReader(row.model))
		var syntax *onnxwire.SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(syntax.Reason, row.want) {
			t.Errorf("%s: %v, want %s", reason, err, row.want)
		}
	}
}
