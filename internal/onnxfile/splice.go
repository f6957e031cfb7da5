package onnxfile

import (
	"io"
	"slices"
	"sort"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/onnxwire"
)

// Spliced is a model that consists of ranges of another model's bytes, with new bytes between them.
// The ranges are copied only when the model is read, so a model with a few more outputs takes only
// the memory of these additions.
type Spliced struct {
	from   content
	pieces []piece
	size   int64
}

// Splice returns an empty model to which parts of m can be copied.
func (m *File) Splice() *Spliced { return &Spliced{from: m.content} }

// piece is a part of a spliced model: a range of the original model's bytes, or new bytes.
type piece struct {
	at      int64 // offset in the spliced model
	span    onnxwire.Span
	literal []byte
}

func (p *piece) len() int64 {
	if p.literal != nil {
		return int64(len(p.literal))
	}
	return p.span.Len()
}

// Copy appends a range of the original model's bytes.
func (s *Spliced) Copy(span onnxwire.Span) {
	if last := len(s.pieces) - 1; last >= 0 && s.pieces[last].literal == nil &&
		s.pieces[last].span.End == span.Start {
		s.pieces[last].span.End = span.End
		s.size += span.Len()
	} else if span.Len() > 0 {
		s.append(piece{at: s.size, span: span})
	}
}

// Len returns the length of the spliced model in bytes.
func (s *Spliced) Len() int64 { return s.size }

// Write appends new bytes. If the last piece consists of new bytes, the new ones are added to that
// piece, because a separate piece would take much more memory than the few bytes of a tag and a
// length.
func (s *Spliced) Write(b []byte) {
	if last := len(s.pieces) - 1; last >= 0 && s.pieces[last].literal != nil {
		s.pieces[last].literal = append(s.pieces[last].literal, b...)
		s.size += int64(len(b))
	} else if len(b) > 0 {
		s.append(piece{at: s.size, literal: slices.Clip(b)})
	}
}

// WriteMessage appends a new field that contains a message.
func (s *Spliced) WriteMessage(number protowire.Number, message []byte) {
	s.Write(onnxwire.AppendMessage(nil, number, message))
}

// Embed appends another spliced model's bytes as a length-delimited field.
func (s *Spliced) Embed(number protowire.Number, message *Spliced) {
	s.Write(prefix(number, message.size))
	for _, p := range message.pieces {
		if p.literal != nil {
			s.Write(p.literal)
		} else {
			s.Copy(p.span)
		}
	}
}

func (s *Spliced) append(p piece) {
	s.pieces = append(s.pieces, p)
	s.size += p.len()
}

func (s *Spliced) open() (onnxwire.Source, func(), error) {
	source, done, err := s.from.open()
	if err != nil {
		return nil, nil, err
	}
	return &splicedSource{Spliced: s, source: source}, done, nil
}

// Bytes returns the spliced model's bytes in memory.
func (s *Spliced) Bytes() ([]byte, error) { return allBytes(s) }

// splicedSource reads a spliced model while the original model is open.
type splicedSource struct {
	*Spliced
	source onnxwire.Source
}

// Size returns the spliced model's size.
func (s *splicedSource) Size() int64 { return s.size }

// ReadAt reads across the pieces, as io.ReaderAt requires.
func (s *splicedSource) ReadAt(b []byte, offset int64) (read int, err error) {
	i := sort.Search(len(s.pieces), func(i int) bool {
		return s.pieces[i].at+s.pieces[i].len() > offset
	})
	for ; len(b) > 0; i++ {
		if i >= len(s.pieces) {
			return read, io.EOF
		}
		p := &s.pieces[i]
		from := offset - p.at
		n := int(min(int64(len(b)), p.len()-from))
		if p.literal != nil {
			copy(b[:n], p.literal[from:])
		} else if got, err := s.source.ReadAt(b[:n], p.span.Start+from); got < n {
			return read + got, err
		}
		b, offset, read = b[n:], offset+int64(n), read+n
	}
	return read, nil
}

// Message appends a field that contains a message of the original model.
func (s *Spliced) Message(number protowire.Number, span onnxwire.Span) {
	s.Write(prefix(number, span.Len()))
	s.Copy(span)
}

// prefix returns the tag and the length of a length-delimited field.
func prefix(number protowire.Number, length int64) []byte {
	return protowire.AppendVarint(
		protowire.AppendTag(nil, number, protowire.BytesType), uint64(length))
}
