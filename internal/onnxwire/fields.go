package onnxwire

import (
	"bytes"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Rewrite returns the NodeProto in message with its outputs renamed. rename maps old names to new
// ones. Everything else is unchanged: attributes are copied byte by byte.
func Rewrite(message []byte, rename map[string]string) []byte {
	return RewriteNode(message, nil, rename)
}

// RewriteNode is like [Rewrite], but also renames inputs.
func RewriteNode(message []byte, inputs, outputs map[string]string) []byte {
	return edit(message, func(number protowire.Number, kind protowire.Type, value []byte) []byte {
		rename := outputs
		if number == NodeInput {
			rename = inputs
		}
		if number != NodeInput && number != NodeOutput || kind != protowire.BytesType {
			return nil
		}
		name, _ := protowire.ConsumeBytes(value)
		other, ok := rename[string(name)]
		if !ok {
			return nil
		}
		return AppendText(nil, number, other)
	})
}

// edit copies a message field by field. replace returns a field's new bytes, which may be empty, or
// nil to copy the field. The message must have been scanned, so that its fields are complete.
func edit(message []byte,
	replace func(protowire.Number, protowire.Type, []byte) []byte) []byte {
	out := make([]byte, 0, len(message)+32)
	for len(message) > 0 {
		number, kind, tag := protowire.ConsumeTag(message)
		size := -1
		if tag > 0 {
			size = protowire.ConsumeFieldValue(number, kind, message[tag:])
		}
		if size < 0 {
			break
		}
		field := message[:tag+size]
		if other := replace(number, kind, message[tag:tag+size]); other != nil {
			field = other
		}
		out = append(out, field...)
		message = message[tag+size:]
	}
	return append(out, message...)
}

// Annotate returns the NodeProto in message with text appended to its doc_string, and with entries
// added to its metadata_props. The new entries replace existing ones with the same keys.
func Annotate(message []byte, text string, entries [][2]string) []byte {
	doc := ""
	kept := edit(message, func(number protowire.Number, kind protowire.Type, value []byte) []byte {
		if kind != protowire.BytesType {
			return nil
		}
		inside, _ := protowire.ConsumeBytes(value)
		switch {
		case number == nodeDoc:
			doc = string(inside)
			return []byte{}
		case number == nodeMetadata && slices.ContainsFunc(entries, func(e [2]string) bool {
			return bytes.HasPrefix(inside, AppendText(nil, 1, e[0]))
		}):
			return []byte{}
		}
		return nil
	})
	if doc != "" {
		doc += "\n"
	}
	kept = AppendText(kept, nodeDoc, doc+text)
	for _, e := range entries {
		kept = AppendMessage(kept, nodeMetadata, AppendText(AppendText(nil, 1, e[0]), 2, e[1]))
	}
	return kept
}

// Operation returns the NodeProto in message without its name, inputs and outputs: only operator,
// domain and attributes.
func Operation(message []byte) []byte {
	return edit(message, func(number protowire.Number, _ protowire.Type, _ []byte) []byte {
		if number == NodeInput || number == NodeOutput || number == NodeName {
			return []byte{}
		}
		return nil
	})
}

// WithoutAttribute returns the NodeProto in message without the named attribute.
func WithoutAttribute(message []byte, name string) []byte {
	return edit(message, func(number protowire.Number, kind protowire.Type, value []byte) []byte {
		if number != NodeAttribute || kind != protowire.BytesType {
			return nil
		}
		named := false
		inside, _ := protowire.ConsumeBytes(value)
		edit(inside, func(number protowire.Number, _ protowire.Type, value []byte) []byte {
			if number == 1 {
				text, _ := protowire.ConsumeBytes(value)
				named = named || string(text) == name
			}
			return nil
		})
		if named {
			return []byte{}
		}
		return nil
	})
}

// SetInteger returns the message with every integer v of the given field replaced by other(v).
func SetInteger(message []byte, field protowire.Number, other func(uint64) uint64) []byte {
	return edit(message, func(number protowire.Number, kind protowire.Type, value []byte) []byte {
		if number != field || kind != protowire.VarintType {
			return nil
		}
		v, _ := protowire.ConsumeVarint(value)
		return AppendVarint(nil, number, other(v))
	})
}
