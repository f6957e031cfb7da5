package spill

import (
	"fmt"
	"sync"
	"unsafe"
	"weak"
)

// piece is one part of the temporary file.
type piece struct {
	in *file
	at int64
	n  int

	mu     sync.Mutex
	read   weak.Pointer[byte] // data of a small piece, while it is in use
	chunks *[slots]chunk      // recently read chunks of a large piece
}

const (
	// mostWhole is the maximum size of the pieces that are always read as a whole, so that a caller
	// that reads a piece in small steps does not read from disk each time.
	mostWhole = 16 << 20
	// chunkSize is the number of bytes in a chunk of a piece. If a piece is larger than mostWhole and
	// the caller needs only a few bytes of the piece, such as one element, one chunk is read from
	// disk.
	chunkSize = 16 << 10
	// slots is the number of chunks that a piece caches. It is larger than the number of concurrent
	// readers. It is prime, so that readers of blocks with a power-of-two size do not share a slot.
	slots = 61
)

type chunk struct {
	number int
	data   []byte
}

// part reads bytes [from,to) of the piece.
func (p *piece) part(from, to int) []byte {
	switch number := from / chunkSize; {
	case from == to:
		return nil
	case p.n <= mostWhole:
		return p.whole()[from:to]
	case to-from >= chunkSize || (to-1)/chunkSize != number:
		return p.load(from, to)
	default:
		return p.chunk(number)[from-number*chunkSize : to-number*chunkSize]
	}
}

// whole returns the data of a small piece.
func (p *piece) whole() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if start := p.read.Value(); start != nil {
		return unsafe.Slice(start, p.n)
	}
	data := p.load(0, p.n)
	p.read = weak.Make(&data[0])
	p.in.last.Store(&data)
	return data
}

// chunk returns one chunk of a large piece.
func (p *piece) chunk(number int) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.chunks == nil {
		p.chunks = new([slots]chunk)
	}
	c := &p.chunks[number%slots]
	if c.data == nil || c.number != number {
		*c = chunk{number, p.load(number*chunkSize, min((number+1)*chunkSize, p.n))}
	}
	return c.data
}

// load reads a part of the piece into new memory. It panics if the file cannot be read, because
// there is no other copy of the data.
func (p *piece) load(from, to int) []byte {
	data := aligned(to - from)
	if _, err := p.in.f.ReadAt(data, p.at+int64(from)); err != nil {
		panic(fmt.Sprintf("cannot read %d bytes at offset %d of the temporary file %s: %v",
			len(data), p.at+int64(from), p.in.f.Name(), err))
	}
	return data
}

// aligned allocates n bytes that are aligned for every element type.
func aligned(n int) []byte {
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n)
}
