// Package spill keeps bytes out of memory, in a temporary file without a name. The system gives the
// file's space back when nothing refers to it any more, and when the process ends, however it ends.
package spill

import (
	"fmt"
	"os"
	"sync"
	"unsafe"
	"weak"
)

// Bound is how many bytes a [Keeper] leaves in memory: enough for the runs of most specs, which
// then never touch the disk.
const Bound = 32 << 20

// fewest is the smallest piece that is worth a place in the file: what refers to it takes about
// half of that.
const fewest = 512

// Keeper takes pieces of data one after the other, and leaves those in memory that fit into
// [Bound]. The zero value is ready. Where there is no room on the disk, everything stays in memory.
type Keeper struct {
	held int
	file *file
	full bool // the disk is, or it cannot be written to
}

// Hold counts data that stays in memory whatever its size.
func (k *Keeper) Hold(n int) { k.held += n }

// Put returns what reads data again, if data need not stay in memory, else nil. The slices that it
// gives are shared: do not write to them.
func (k *Keeper) Put(data []byte) func() []byte {
	if len(data) < fewest || k.full || k.held+len(data) <= Bound {
		k.held += len(data)
		return nil
	}
	p, err := k.put(data)
	if err != nil {
		k.full = true
		k.held += len(data)
		return nil
	}
	return p.bytes
}

func (k *Keeper) put(data []byte) (*piece, error) {
	if k.file == nil {
		f, err := unnamed()
		if err != nil {
			return nil, err
		}
		k.file = &file{f: f}
	}
	if err := k.file.room(len(data)); err != nil {
		return nil, err
	}
	if _, err := k.file.f.WriteAt(data, k.file.size); err != nil {
		return nil, err
	}
	p := &piece{in: k.file, at: k.file.size, n: len(data)}
	k.file.size += int64(len(data))
	return p, nil
}

// file is a file without a name. Its pieces refer to it, and it is closed when none is left.
type file struct {
	f       *os.File
	size    int64
	checked int64 // up to which size there is known to be room

	mu   sync.Mutex
	last []byte // the piece that was read last, so that what reads it in steps reads it once
}

// spare is what is left free on a disk for others, and step how often that is looked at.
const (
	spare = 1 << 30
	step  = 64 << 20
)

// room is an error if n more bytes would leave less than spare on the disk.
func (f *file) room(n int) error {
	if f.size+int64(n) <= f.checked {
		return nil
	}
	need := int64(max(n, step))
	if left := free(f.f); left < uint64(need)+spare {
		return fmt.Errorf("%s has %d bytes left", f.f.Name(), left)
	}
	f.checked = f.size + need
	return nil
}

// piece is one part of a file.
type piece struct {
	in   *file
	at   int64
	n    int
	read weak.Pointer[byte] // what was read, while somebody uses it
}

// bytes reads the piece. It panics where the system does not give back what it took: there is no
// other copy, and nothing that a caller could do about it.
func (p *piece) bytes() []byte {
	p.in.mu.Lock()
	defer p.in.mu.Unlock()
	if start := p.read.Value(); start != nil {
		return unsafe.Slice(start, p.n)
	}
	words := make([]uint64, (p.n+7)/8) // any element type may be read where it lies
	data := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), p.n)
	if _, err := p.in.f.ReadAt(data, p.at); err != nil {
		panic(fmt.Sprintf("%d bytes at %d of the temporary file %s, which this process wrote, cannot be "+
			"read again: %v", p.n, p.at, p.in.f.Name(), err))
	}
	p.read = weak.Make(&data[0])
	p.in.last = data
	return data
}
