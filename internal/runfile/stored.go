package runfile

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/internal/codec/npy"
	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/tensor"
)

// An output that is not worth compressing is still stored as a gzip file. That file consists of
// stored (uncompressed) blocks, so the data determines all of its bytes:
//
//	gzip's header
//	blocks: five bytes with the length, and 65535 data bytes, or fewer in the last block
//	an empty final block; the CRC-32 and the length of the data
//
// The file can therefore be read on all cores in parallel, each block straight to its destination.
// Every byte that is not data must equal the byte that modelparity writes, and the data must match
// the tree checksum in the head. Together these checks cover every byte. The blob's own SHA-256,
// which can only be computed on one core, is not checked.

const (
	storedBlock = 65535
	storedHead  = 5 // bytes before each block's data
	storedTail  = storedHead + 8
)

var gzipHeader = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}

// storedSize returns the size of a blob whose stored blocks hold the given number of bytes.
func storedSize(raw int64) int64 {
	blocks := (raw + storedBlock - 1) / storedBlock
	return int64(len(gzipHeader)) + blocks*storedHead + raw + storedTail
}

// readStored reads the output from the blob at path if the blob consists of stored blocks.
// Otherwise it returns nil; [source.unpack] then reads the blob and reports errors.
func (s *source) readStored(path string, o Output) *tensor.Tensor {
	b := o.Blob
	n, err := o.Shape.Elements()
	if err != nil || o.Tree == nil || o.Type.Bits() < 8 || o.Type == tensor.Bool ||
		b.Bytes != storedSize(b.Raw) || b.Raw > budget.Unpacked(s.packed+b.Bytes)-s.raw {
		return nil
	}
	size := int64(o.Type.Bytes(n))
	if header := b.Raw - size; header <= 0 || header > storedBlock {
		return nil
	}
	f, err := regular.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // opened read-only
	if info, err := f.Stat(); err != nil || info.Size() != b.Bytes {
		return nil
	}
	header, data := make([]byte, b.Raw-size), make([]byte, size)
	memory.Large(data)
	if !unstored(s.ctx, f, header, data) {
		return nil
	}
	t, err := tensor.FromBytes(o.Type, o.Shape, data)
	if err != nil {
		return nil
	}
	if ours, err := npy.Layout(t); err != nil || !bytes.Equal(ours.Header, header) {
		return nil
	}
	s.packed, s.raw = s.packed+b.Bytes, s.raw+b.Raw
	return t
}

// unstored reads a blob's .npy header and data from its stored blocks. It reports whether the blob
// has exactly the bytes that modelparity writes around them.
func unstored(ctx context.Context, f io.ReaderAt, header, data []byte) bool {
	const together = 4
	raw := len(header) + len(data)
	blocks := (raw + storedBlock - 1) / storedBlock
	var drawn atomic.Int64
	var failed atomic.Bool
	worker := func() {
		buffer := make([]byte, together*(storedHead+storedBlock))
		for !failed.Load() {
			first := int(drawn.Add(1)-1) * together
			if first >= blocks {
				return
			}
			from, to := first*storedBlock, min((first+together)*storedBlock, raw)
			text := buffer[:to-from+storedHead*((to-from+storedBlock-1)/storedBlock)]
			at := int64(len(gzipHeader)) + int64(first)*(storedHead+storedBlock)
			if n, _ := f.ReadAt(text, at); n < len(text) || ctx.Err() != nil {
				failed.Store(true)
				return
			}
			for ; from < to; from += storedBlock {
				n := min(storedBlock, to-from)
				if !bytes.Equal(text[:storedHead], blockHead(n, false)) {
					failed.Store(true)
					return
				}
				block := text[storedHead : storedHead+n]
				if in := from - len(header); in >= 0 {
					copy(data[in:], block)
				} else {
					copy(data, block[copy(header[from:], block):])
				}
				text = text[storedHead+n:]
			}
		}
	}
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (blocks+together-1)/together) - 1 {
		group.Go(worker)
	}
	worker()
	group.Wait()
	return !failed.Load() && endsStored(f, header, data)
}

// endsStored reports whether a file starts and ends like a blob in which header and data are
// stored.
func endsStored(f io.ReaderAt, header, data []byte) bool {
	raw := int64(len(header) + len(data))
	start, end := make([]byte, len(gzipHeader)), make([]byte, storedTail)
	if _, err := f.ReadAt(start, 0); err != nil {
		return false
	}
	if n, _ := f.ReadAt(end, storedSize(raw)-storedTail); n < len(end) {
		return false
	}
	want := binary.LittleEndian.AppendUint32(blockHead(0, true),
		crc32.Update(crc32.ChecksumIEEE(header), crc32.IEEETable, data))
	want = binary.LittleEndian.AppendUint32(want, uint32(raw))
	return bytes.Equal(start, gzipHeader) && bytes.Equal(end, want)
}

// blockHead returns the header of a stored block with n bytes of data.
func blockHead(n int, last bool) []byte {
	head := make([]byte, storedHead, storedTail)
	if last {
		head[0] = 1
	}
	binary.LittleEndian.PutUint16(head[1:], uint16(n))
	binary.LittleEndian.PutUint16(head[3:], ^uint16(n))
	return head
}
