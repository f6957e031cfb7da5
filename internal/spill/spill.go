// Package spill stores data that should not stay in memory in a temporary file without a name. The
// system frees the file's space when no data in it is used any more, or when the process ends for
// any reason.
package spill

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/modelparity/modelparity/tensor"
)

const (
	// Bound is the number of bytes that a [Keeper] keeps in memory for iterations after the first.
	// This suffices for most specs, so they do not use the disk.
	Bound = 8 << 20
	// Large is the largest number of bytes that [Keeper.Take] leaves in memory. It is the only limit
	// on the data of the first iteration. [Bound] is a further limit on later iterations.
	Large = 256 << 20
	// fewest is the minimum size of a piece that is written to the file. Smaller pieces would save
	// little memory, because the reference to a piece takes about 256 bytes.
	fewest = 512
)

// Keeper receives pieces of data one after the other. It keeps pieces in memory until [Bound] is
// reached, and writes later ones to the temporary file. The zero value is ready to use. If the disk
// is full, all pieces stay in memory.
type Keeper struct {
	held int
	file *file
	full bool // whether the disk is full or cannot be written to
}

// Read returns bytes [from,to) of data that [Keeper.Put] has written to the file. The returned
// slices are shared and must not be modified.
type Read func(from, to int) []byte

// Hold counts n bytes that always stay in memory. They count towards the limits [Bound] and
// [Large].
func (k *Keeper) Hold(n int) { k.held += n }

// Put writes data to the file and returns a function that reads it. If the data should stay in
// memory, Put returns nil.
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

// Keep returns the tensor that a collection of iterations should store instead of t. The tensor
// stays in memory if it belongs to the first iteration or if [Bound] is not reached. Otherwise,
// Keep writes its data to k's temporary file.
func Keep(k *Keeper, t *tensor.Tensor, first bool) *tensor.Tensor {
	if !InMemory(t) {
		return t
	}
	if first {
		k.Hold(t.Size())
	} else if read := k.Put(t.Bytes()); read != nil {
		if kept, err := Tensor(t.ElementType(), t.Shape(), t.Size(), read); err == nil {
			if t.IsKeys() {
				kept = kept.AsKeys()
			}
			return kept // always: the type and shape come from a tensor
		}
	}
	return t
}

// Take copies n bytes from r to the file, one buffer at a time, and returns a function that reads
// them again. It calls check with each buffer before it writes the buffer. After an error, got is
// the number of bytes that Take has read.
//
// In two cases, the bytes should be in memory instead: if they fit into the limit [Large], or if
// the disk is full. Take then reads nothing and returns nil.
func (k *Keeper) Take(r io.Reader, n int, check func(at int, part []byte) error) (again Read,
	got int, err error) {
	if k.full || k.held+n <= Large {
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
		m, err := io.ReadFull(r, part)
		if err == nil {
			err = check(got, part)
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
	return k.file.size, k.file.checkSpace(n)
}

// end returns a Read for the n bytes that were written last.
func (k *Keeper) end(n int) Read {
	p := &piece{in: k.file, at: k.file.size, n: n}
	k.file.size += int64(n)
	return p.part
}

// file is a temporary file without a name. Each piece in the file refers to it, so the garbage
// collector closes the file once no piece is in use.
type file struct {
	f       *os.File
	size    int64
	checked int64 // size of the file up to which the disk is known to have room
	// last is the small piece that was read last. It stays in memory for callers that read in small
	// steps.
	last atomic.Pointer[[]byte]
}

// spare is the disk space to leave to other programs. step is the number of bytes after which the
// free space is checked again.
const (
	spare = 1 << 30
	step  = 64 << 20
)

// checkSpace returns an error if n more bytes would leave fewer than 1 GiB free on the disk.
func (f *file) checkSpace(n int) error {
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
