package jsonstream

import (
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	simd "github.com/segmentio/asm/base64"
)

// tile is how many bytes a core decodes at a time: with their characters they stay in its cache.
const tile = 192 << 10

// Fill decodes into p on all cores, and reports how many of its first bytes it gave. The rest is
// for [Base64.Read]: all of it where the document cannot be read at any place, where there is not
// much, and where a core found something other than base64, which Read names or makes sense of.
func (b *Base64) Fill(p []byte) (n int, err error) {
	d := b.text.d
	if d.at == nil || d.mark >= 0 || len(p) < 2*tile {
		return 0, nil
	}
	for len(b.rest)+len(b.quad) > 0 { // what was read of a group
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

// decodeAt decodes whole groups of base64, none of them padded, from a byte of the document on, and
// reports whether that is what is there.
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
			// Its capacity ends a tile: the decoder writes whole registers.
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

// Filler is what gives many bytes faster than by [io.Reader].
type Filler interface {
	// Fill gives the first n bytes of p; the rest is for Read.
	Fill(p []byte) (n int, err error)
}

// ReadFull is [io.ReadFull], by [Filler] as far as r is one.
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
