package onnxwire

import "iter"

// longestEntry is the maximum length in bytes of a metadata key that is read.
const longestEntry = 256

// Metadata iterates over the metadata_props entries of a node: each key with the span of its value.
// It skips entries that have no key or a very long one. Malformed metadata is an error here. [Scan]
// accepts it, because engines do not read metadata.
func (r *Reader) Metadata(n *Node) iter.Seq2[string, Span] {
	return func(yield func(string, Span) bool) {
		for f := range r.Fields(n.Metadata) {
			if f.Number != nodeMetadata {
				continue
			}
			var key, value Span
			for f := range r.inside(f, "metadata") {
				switch f.Number {
				case 1:
					key = f.Body
				case 2:
					value = f.Body
				}
			}
			if key.Len() > 0 && key.Len() <= longestEntry && !yield(string(r.Bytes(key)), value) {
				return
			}
		}
	}
}
