package onnxwire

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/protofield"
)

// RewriteNode returns the NodeProto in message with its inputs and outputs renamed. inputs and
// outputs map old names to new ones. Everything else is unchanged: attributes are copied byte by
// byte.
func RewriteNode(message []byte, inputs, outputs map[string]string) []byte {
	return edit(message, func(f protofield.Field) []byte {
		rename := outputs
		if f.Number == NodeInput {
			rename = inputs
		}
		other, ok := rename[string(f.Bytes)]
		if !ok || f.Number != NodeInput && f.Number != NodeOutput || f.Type != protowire.BytesType {
			return nil
		}
		return AppendText(nil, f.Number, other)
	})
}

// edit copies a message field by field. replace returns the new bytes of a field, an empty slice to
// remove the field, or nil to copy it. The message must have been scanned, so that its fields are
// complete.
func edit(message []byte, replace func(protofield.Field) []byte) []byte {
	out, end := make([]byte, 0, len(message)+32), 0
	for f, err := range protofield.All(message) {
		if err != nil {
			break
		}
		field := message[end:f.End]
		if other := replace(f); other != nil {
			field = other
		}
		out, end = append(out, field...), f.End
	}
	return append(out, message[end:]...)
}

// Operation returns the NodeProto in message without its name, inputs and outputs: only operator,
// domain and attributes.
func Operation(message []byte) []byte {
	return edit(message, func(f protofield.Field) []byte {
		if f.Number == NodeInput || f.Number == NodeOutput || f.Number == NodeName {
			return []byte{}
		}
		return nil
	})
}

// WithoutAttribute returns the NodeProto in message without the named attribute.
func WithoutAttribute(message []byte, name string) []byte {
	return edit(message, func(f protofield.Field) []byte {
		if f.Number != NodeAttribute {
			return nil
		}
		for inside, err := range protofield.All(f.Bytes) {
			if err == nil && inside.Number == AttributeName && string(inside.Bytes) == name {
				return []byte{}
			}
		}
		return nil
	})
}
