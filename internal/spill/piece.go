package spill

import (
	"fmt"
	"sync"
	"unsafe"
	"weak"
)

// piece is one part of a file.
type piece struct {
	in *file
	at int64
	n  int

	mu     sync.Mutex
	read   weak.Pointer[byte] // of a small piece: what was read, while somebody uses it
	chunks *[slots]chunk      // of a large one: some that were read last
}

const (
	// wholly is how large a piece may be to be read wholly whatever is asked for: then what reads it
	// in steps reads it once.
	wholly = 16 << 20
	// chunked is how much of a larger piece is read where less is asked for, such as an element. There
	// are more slots than goroutines read side by side, and a prime number of them, so that those who
	// read blocks of a power of two do not meet in one.
	chunked = 16 << 10
	slots   = 61
)

type chunk struct {
	number int
	data   []byte
}

// part reads bytes [from,to) of the piece.
func (p *piece) part(from, to int) []byte {
	switch number := from / chunked; {
	case from == to:
		return nil
	case p.n <= wholly:
		return p.whole()[from:to]
	case to-from >= chunked || (to-1)/chunked != number:
		return p.load(from, to)
	default:
		return p.chunk(number)[from-number*chunked : to-number*chunked]
	}
}

// whole is all of a small piece.
func (p *piece) whole() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if start := p.read.Value(); start != nil {
		return unsafe.Slice(start, p.n)
	}
	data := p.load(0, p.n)
	p.read = weak.Make(&data[0])
	p.in.hold(data)
	return data
}

// chunk is one chunk of a large piece.
func (p *piece) chunk(number int) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.chunks == nil {
		p.chunks = new([slots]chunk)
	}
	c := &p.chunks[number%slots]
	if c.data == nil || c.number != number {
		*c = chunk{number, p.load(number*chunked, min((number+1)*chunked, p.n))}
	}
	return c.data
}

// load reads a part into memory of its own. It panics where the system does not give back what it
// took: there is no other copy, and nothing that a caller could do about it.
func (p *piece) load(from, to int) []byte {
	data := aligned(to - from)
	if _, err := p.in.f.ReadAt(data, p.at+int64(from)); err != nil {
		panic(fmt.Sprintf("%d bytes at %d of the temporary file %s, which this process wrote, cannot be "+
			"read again: %v", len(data), p.at+int64(from), p.in.f.Name(), err))
	}
	return data
}

// aligned is n bytes that start where any element type may be read.
func aligned(n int) []byte {
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n)
}
