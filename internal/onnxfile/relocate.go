package onnxfile

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/modelparity/modelparity/internal/onnxwire"
)

// External says where the data of the TensorProto at span is. It returns nil if the model contains
// the data.
func (m *File) External(span onnxwire.Span) *onnxwire.External {
	if i := m.firstExternal(span); i < len(m.Structure.External) &&
		m.Structure.External[i].Span == span {
		return &m.Structure.External[i]
	}
	return nil
}

// firstExternal returns the index of the first external tensor at or after the start of a span. The
// scan lists these tensors in the order of the file.
func (m *File) firstExternal(span onnxwire.Span) int {
	i, _ := slices.BinarySearchFunc(m.Structure.External, span.Start,
		func(e onnxwire.External, at int64) int { return cmp.Compare(e.Span.Start, at) })
	return i
}

// relocated returns the model with new locations of its external data: locations has one for each
// tensor of [onnxwire.Model.External].
func (m *File) relocated(locations []string) (*File, error) {
	return m.rewrite(func(r *Rewriting) {
		r.Change = func(out *Spliced, in onnxwire.Message, f onnxwire.Field) bool {
			member, i := in.Member(f.Number), m.firstExternal(f.Body)
			switch {
			case i == len(locations) || member == onnxwire.OtherMessage ||
				m.Structure.External[i].Span.Start >= f.Body.End:
				out.Copy(f.Whole)
			case member == onnxwire.TensorMessage:
				t := m.Structure.External[i]
				weight := r.TensorWithout(f.Body)
				weight.Write(Reference(locations[i], t.Offset, t.Length))
				out.Embed(f.Number, weight)
			default:
				r.Enter(out, in, f)
			}
			return true
		}
	})
}

// Reference returns the fields of a tensor whose data is in another file. A negative length means
// that the data extends to the end of the file; the field for the length is then omitted.
func Reference(location string, offset, length int64) []byte {
	fields := onnxwire.AppendVarint(nil, onnxwire.TensorDataLocation, onnxwire.ExternalLocation)
	entries := [][2]string{{"location", location}, {"offset", strconv.FormatInt(offset, 10)},
		{"length", strconv.FormatInt(length, 10)}}
	if length < 0 {
		entries = entries[:2]
	}
	for _, entry := range entries {
		pair := onnxwire.AppendText(onnxwire.AppendText(nil, 1, entry[0]), 2, entry[1])
		fields = onnxwire.AppendMessage(fields, onnxwire.TensorExternalData, pair)
	}
	return fields
}
