package onnxwire

import "fmt"

// longestEntry is the maximum length in bytes of a metadata key that is read.
const longestEntry = 256

// Metadata calls visit for each metadata_props entry of a node, with the key and the span of the
// value. It skips entries that have no key or a very long one. Malformed metadata is an error here
// but not in [Scan], because engines do not read it.
func (r *Reader) Metadata(n *Node, visit func(key string, value Span) error) error {
	return r.s.fields(n.Metadata, func(f field) error {
		if f.number != nodeMetadata {
			return nil
		}
		var key, value Span
		err := r.s.inside(f, "metadata", func(f field) error {
			switch f.number {
			case 1:
				key = f.span
			case 2:
				value = f.span
			}
			return nil
		})
		if err != nil || key.Len() == 0 || key.Len() > longestEntry {
			return err
		}
		text, err := r.Text(key)
		if err != nil {
			return err
		}
		return visit(text, value)
	})
}

// Text reads the text at span.
func (r *Reader) Text(span Span) (string, error) {
	b := make([]byte, span.Len())
	if _, err := r.s.src.ReadAt(b, span.Start); err != nil && len(b) > 0 {
		return "", fmt.Errorf("byte %d: %w", span.Start, err)
	}
	return string(b), nil
}
