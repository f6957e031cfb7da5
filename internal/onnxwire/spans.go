package onnxwire

import (
	"iter"
	"math"
	"unsafe"
)

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

// Reader reads messages that a scan has found, one at a time.
type Reader struct{ s scanner }

// NewReader returns a Reader for messages of src, which must have been scanned.
func NewReader(src Source) *Reader {
	return &Reader{scanner{reader: newReader(src, windowSize), model: &Model{}, shallow: true}}
}

// Node reads the NodeProto at span.
func (r *Reader) Node(span Span) (Node, error) {
	n := Node{Span: span}
	r.s.budget = math.MaxInt64 // the scan has checked its size
	err := r.s.nodeFields(&n, span, 0)
	return n, err
}

// Nodes reads all nodes of a list at once.
func (r *Reader) Nodes(list *Spans) ([]Node, error) {
	nodes := make([]Node, 0, list.Len())
	for _, span := range list.All() {
		n, err := r.Node(span)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// Value reads the ValueInfoProto at span.
func (r *Reader) Value(span Span) (Value, error) {
	r.s.budget = math.MaxInt64
	return r.s.valueAt(span, "a value_info")
}

// Body reads the GraphProto at span, which is a body of a node.
func (r *Reader) Body(span Span) (*Graph, error) {
	r.s.budget = math.MaxInt64
	g := new(Graph)
	return g, r.s.graphFields(span, g, 0)
}

// add appends v to list, and charges for it. The list doubles when it is full, so it allocates at
// most twice the charge in total. That holds even if no garbage is collected.
func add[T any](r *reader, list []T, f field, v T) ([]T, error) {
	if err := r.charge(f.offset, size[T]()); err != nil {
		return list, err
	}
	if len(list) == cap(list) {
		list = append(make([]T, 0, max(1, 2*len(list))), list...)
	}
	return append(list, v), nil
}

// size returns the bytes that one T takes in a growing slice: twice its size, because the slice
// doubles its capacity when it is full.
func size[T any]() int { var t T; return 2 * int(unsafe.Sizeof(t)) }
