// Package spill keeps bytes out of memory, in a temporary file without a name. The system gives the
// file's space back when nothing refers to it any more, and when the process ends, however it ends.
package spill

import (
	"fmt"
	"io"
	"os"
	"sync"
)

const (
	// Bound is how many bytes a [Keeper] leaves in memory of iterations but the first: enough for the
	// runs of most specs, which then never touch the disk.
	Bound = 32 << 20
	// Large is how many bytes a first iteration may have in memory where it comes from a file.
	Large = 256 << 20
	// fewest is the smallest piece that is worth a place in the file: what refers to it takes about
	// half of that.
	fewest = 512
)

// Keeper takes pieces of data one after the other, and leaves those in memory that fit into
// [Bound]. The zero value is ready. Where there is no room on the disk, everything stays in memory.
type Keeper struct {
	// First is how many bytes a first iteration may have in memory where it comes from a file and
	// that is more than [Large].
	First int

	held int
	file *file
	full bool // the disk is, or it cannot be written to
}

// Read reads bytes [from,to) of a piece. The slices that it gives are shared: do not write to them.
type Read func(from, to int) []byte

// Hold counts data that stays in memory whatever its size.
func (k *Keeper) Hold(n int) { k.held += n }

// Put returns what reads data again, if data need not stay in memory, else nil.
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

// stored is a tensor, whose package is above this one.
type stored[T any] interface {
	InMemory() bool
	Size() int
	Bytes() []byte
	Stored(read func(from, to int) []byte) T
}

// Keep returns the tensor as a collection of iterations holds it: one of the first iteration stays
// in memory, and of the others what [Bound] leaves room for.
func Keep[T stored[T]](k *Keeper, t T, first bool) T {
	if !t.InMemory() {
		return t
	}
	if first {
		k.Hold(t.Size())
	} else if read := k.Put(t.Bytes()); read != nil {
		return t.Stored(read)
	}
	return t
}

// Take reads n bytes from r to where [Keeper.Put] puts data, by way of a buffer, which see looks at
// before it is written. It returns nil, and has read nothing, where they had better be in memory:
// there is no room for them on the disk, or they fit into [Large], or [Keeper.First], with what is
// there. An error is that of r or see, beside how much was read; read reads into a buffer as
// [io.ReadFull] does.
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

// begin is where the next n bytes go in the file.
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

// end is what reads the n bytes that were written last.
func (k *Keeper) end(n int) Read {
	p := &piece{in: k.file, at: k.file.size, n: n}
	k.file.size += int64(n)
	return p.part
}

// file is a file without a name. Its pieces refer to it, and it is closed when none is left.
type file struct {
	f       *os.File
	size    int64
	checked int64 // up to which size there is known to be room

	mu   sync.Mutex
	last []byte // the small piece that was read last, so that what reads it in steps reads it once
}

func (f *file) hold(data []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = data
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
