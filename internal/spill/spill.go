// Package spill keeps data out of memory, in a temporary file without a name. The system frees the
// file's space when nothing refers to it any more, and when the process ends for any reason.
package spill

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/modelparity/modelparity/tensor"
)

const (
	// Bound is how many bytes a [Keeper] keeps in memory for iterations after the first. This suffices
	// for most specs, which then never use the disk.
	Bound = 8 << 20
	// Large is how many bytes of a first iteration from a file may be in memory.
	Large = 256 << 20
	// fewest is the smallest piece that is written to the file: the reference to it takes about half
	// of that.
	fewest = 512
)

// Keeper receives pieces of data one after the other, and keeps the ones in memory that fit into
// [Bound]. The zero value is ready to use. If the disk is full, everything stays in memory.
type Keeper struct {
	// First replaces [Large] if it is greater.
	First int

	held int
	file *file
	full bool // the disk is full or cannot be written to
}

// Read reads bytes [from,to) of a piece. The returned slices are shared and must not be modified.
type Read func(from, to int) []byte

// Hold counts data that stays in memory in any case.
func (k *Keeper) Hold(n int) { k.held += n }

// Put writes data to the file if it need not stay in memory and returns a function that reads it,
// else nil.
func (k *Keeper) Put(data []byte) Read {
	if len(data) < fewest || k.full || k.held+len(data) <= Bound {
		k.held += len(data)
		return nil
	}
	at, err := k.begin(len(data))
	if err == nil {
		_, err = k.file.f.WriteAt(data, at)
	}
	if err != nil {
		k.full = true
		k.held += len(data)
		return nil
	}
	return k.end(len(data))
}

// Keep returns the tensor as a collection of iterations should store it: in memory if it belongs to
// the first iteration or fits into [Bound], else in the file.
func Keep(k *Keeper, t *tensor.Tensor, first bool) *tensor.Tensor {
	if !t.InMemory() {
		return t
	}
	if first {
		k.Hold(t.Size())
	} else if read := k.Put(t.Bytes()); read != nil {
		if kept, err := tensor.FromStored(t.ElementType(), t.Shape(), t.Size(), read); err == nil {
			return kept // always: the type and shape come from a tensor
		}
	}
	return t
}

// Take copies n bytes from r to the file, through a buffer that it first passes to see. read fills
// a buffer from r, like [io.ReadFull]. If the bytes should be in memory, Take returns nil and reads
// nothing: because the disk is full, or because they fit into [Large] or [Keeper.First] with the
// data already there. got is the number of bytes read before an error of r or see.
func (k *Keeper) Take(r io.Reader, n int, read func(io.Reader, []byte) (int, error),
	see func(at int, part []byte) error) (again Read, got int, err error) {
	if k.full || k.held+n <= max(Large, k.First) {
		return nil, 0, nil
	}
	at, full := k.begin(n)
	if full != nil {
		k.full = true
		return nil, 0, nil
	}
	buffer := aligned(min(n, 3<<20))
	for got < n {
		part := buffer[:min(len(buffer), n-got)]
		m, err := read(r, part)
		if err == nil {
			err = see(got, part)
		}
		if err == nil {
			_, err = k.file.f.WriteAt(part, at+int64(got))
		}
		if err != nil {
			return nil, got + m, err
		}
		got += m
	}
	return k.end(n), got, nil
}

// begin returns the position of the next n bytes in the file.
func (k *Keeper) begin(n int) (at int64, err error) {
	if k.file == nil {
		f, err := unnamed()
		if err != nil {
			return 0, err
		}
		k.file = &file{f: f}
	}
	return k.file.size, k.file.room(n)
}

// end returns the reader of the n bytes written last.
func (k *Keeper) end(n int) Read {
	p := &piece{in: k.file, at: k.file.size, n: n}
	k.file.size += int64(n)
	return p.part
}

// file is a file without a name. Its pieces refer to it, and the garbage collector closes it with
// the last one.
type file struct {
	f       *os.File
	size    int64
	checked int64 // size up to which the disk is known to have room

	mu   sync.Mutex
	last []byte // the small piece read last, cached for readers in small steps
}

func (f *file) hold(data []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = data
}

// spare is the disk space to leave for others, and step how often the free space is checked.
const (
	spare = 1 << 30
	step  = 64 << 20
)

// room returns an error if n more bytes would leave less than spare on the disk.
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
