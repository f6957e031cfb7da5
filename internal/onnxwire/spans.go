package onnxwire

import "iter"

// Spans is a list of the positions of messages in a file. A [Reader] reads a message only when it
// is needed, so the nodes of a model take no more memory than their spans. The list is stored in
// pieces, so nothing is copied when the list grows.
type Spans struct {
	pieces [][]Span
	n      int
}

const spansPiece = 1024

func (s *Spans) add(span Span) {
	if s.n%spansPiece == 0 {
		first := 8 // most graphs are small
		if s.n > 0 {
			first = spansPiece
		}
		s.pieces = append(s.pieces, make([]Span, 0, first))
	}
	last := &s.pieces[len(s.pieces)-1]
	*last = append(*last, span)
	s.n++
}

// Len returns the number of spans.
func (s *Spans) Len() int { return s.n }

// At returns the i-th span, counted from 0.
func (s *Spans) At(i int) Span { return s.pieces[i/spansPiece][i%spansPiece] }

// All iterates over the spans in order.
func (s *Spans) All() iter.Seq2[int, Span] {
	return func(yield func(int, Span) bool) {
		i := 0
		for _, piece := range s.pieces {
			for _, span := range piece {
				if !yield(i, span) {
					return
				}
				i++
			}
		}
	}
}
