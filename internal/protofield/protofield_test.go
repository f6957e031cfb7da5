package protofield_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/protofield"
)

func TestFieldsSayWhereTheyAre(t *testing.T) {
	message := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 300)
	message = protowire.AppendString(protowire.AppendTag(message, 2, protowire.BytesType), "abc")
	message = protowire.AppendFixed32(protowire.AppendTag(message, 3, protowire.Fixed32Type), 7)
	var fields []protofield.Field
	for f, err := range protofield.All(message) {
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, f)
	}
	if len(fields) != 3 || fields[0].Value != 300 || string(fields[1].Bytes) != "abc" ||
		fields[2].Value != 7 || fields[2].End != len(message) {
		t.Fatalf("%+v", fields)
	}
	if at := fields[1].At; string(message[at:fields[1].End]) != "abc" {
		t.Errorf("the text is at %d", at)
	}
}

func TestNumbersArePackedOrNot(t *testing.T) {
	for name, f := range map[string]protofield.Field{
		"packed": {Number: 1, Type: protowire.BytesType, Bytes: []byte{5}},
		"alone":  {Number: 1, Type: protowire.VarintType, Value: 5},
	} {
		count := 0
		for v, err := range f.Numbers(protowire.VarintType) {
			if count++; err != nil || v != 5 {
				t.Errorf("%s: %d, %v", name, v, err)
			}
		}
		if count != 1 {
			t.Errorf("%s: %d numbers", name, count)
		}
	}
}

func TestDamagedMessagesAreErrors(t *testing.T) {
	for message, want := range map[string]string{
		"\xff":         "not a protobuf message",
		"\x12\x05ab":   "field 2: unexpected EOF",
		"\x0a\x02\x80": "field 1: unexpected EOF",
	} {
		var last error
		for _, err := range protofield.All([]byte(message)) {
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), want) {
			t.Errorf("%q: %v, expected %s", message, last, want)
		}
	}
	for name, f := range map[string]protofield.Field{
		"field 1 has wire type 5, expected 2": {Number: 1, Type: protowire.Fixed32Type},
		"field 1: unexpected EOF": {Number: 1, Type: protowire.BytesType,
			Bytes: []byte{0x80}},
	} {
		for _, err := range f.Numbers(protowire.VarintType) {
			if err == nil || err.Error() != name {
				t.Errorf("%v, expected %s", err, name)
			}
		}
	}
}
