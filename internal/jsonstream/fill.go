package jsonstream

import (
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	simd "github.com/segmentio/asm/base64"
)

// tile is the number of bytes that a core decodes at a time. They fit into the core's cache
// together with the corresponding base64 text.
const tile = 192 << 10

// Fill decodes into p on all cores and returns the number of bytes decoded. The caller must read
// the remaining bytes with [Base64.Read], which also reports errors. If the document does not
// support random access, or if the string is short, Fill decodes little or nothing.
func (b *Base64) Fill(p []byte) (n int, err error) {
	d := b.text.d
	if d.at == nil || d.mark >= 0 || len(p) < 2*tile {
		return 0, nil
	}
	for len(b.rest)+len(b.quad) > 0 { // the rest of the current group
		var more int
		if more, err = b.Read(p[n:]); err != nil {
			return n, err
		}
		n += more
	}
	if b.end || len(b.text.rest) > 0 {
		return n, nil
	}
	p = p[n:]
	groups := len(p) / 3
	if !d.decodeAt(p[:3*groups], d.Offset()) {
		return n, nil
	}
	return n + 3*groups, d.jump(d.Offset() + 4*int64(groups))
}

// decodeAt decodes complete groups of base64 without padding, starting at the given byte offset,
// until p is full. It reports whether that succeeded.
func (d *Decoder) decodeAt(p []byte, at int64) bool {
	var drawn atomic.Int64
	var failed atomic.Bool
	worker := func() {
		text := make([]byte, tile/3*4)
		for !failed.Load() {
			lo := int(drawn.Add(1)-1) * tile
			if lo >= len(p) {
				return
			}
			hi := min(lo+tile, len(p))
			run := text[:(hi-lo)/3*4]
			read, _ := d.at.ReadAt(run, at+int64(lo)/3*4)
			// Limit the capacity to the tile, because the decoder writes whole registers.
			n, err := simd.StdEncoding.Decode(p[lo:hi:hi], run[:read])
			if err != nil || n != hi-lo {
				failed.Store(true)
			}
		}
	}
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (len(p)+tile-1)/tile) - 1 {
		group.Go(worker)
	}
	worker()
	group.Wait()
	return !failed.Load()
}

// Filler is a reader that has a faster way than [io.Reader] to fill large buffers.
type Filler interface {
	// Fill fills the first n bytes of p. The caller gets the remaining bytes from Read.
	Fill(p []byte) (n int, err error)
}

// ReadFull is like [io.ReadFull], but uses [Filler.Fill] if r has it.
func ReadFull(r io.Reader, p []byte) (n int, err error) {
	if filler, ok := r.(Filler); ok {
		if n, err = filler.Fill(p); err != nil {
			return n, err
		}
	}
	more, err := io.ReadFull(r, p[n:])
	if n > 0 && err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n + more, err
}
