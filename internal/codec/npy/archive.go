package npy

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/tensor"
)

// maxRatio is the largest factor by which DEFLATE can expand its input, about 1032. A member that
// claims more is rejected before memory is allocated.
const maxRatio = 1032

// readMember reads one .npy member of an .npz archive. It subtracts the member's unpacked size from
// packed, the memory budget of the whole archive.
func readMember(member *zip.File, packed *budget.Packed) (*tensor.Tensor, error) {
	limit := member.UncompressedSize64
	if limit/maxRatio > member.CompressedSize64 || limit > 1<<62 {
		return nil, fmt.Errorf("%d compressed bytes cannot unpack to %d bytes",
			member.CompressedSize64, limit)
	}
	if err := packed.Take("its data", int64(limit)); err != nil {
		return nil, err
	}
	r, err := member.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	array, err := Read(r, int64(limit))
	if err != nil {
		return nil, err
	}
	return array.Tensor()
}

// maxDirectory limits the size of an archive's list of members: the limit is maxDirectory bytes
// plus a quarter of the archive's size. In memory, the list takes about seven times its size.
const maxDirectory = 2 << 20

// listing is a reader that limits how many bytes are read to get an archive's list of members.
type listing struct {
	io.ReaderAt
	left int64
}

func (l *listing) ReadAt(b []byte, offset int64) (int, error) {
	if l.left -= int64(len(b)); l.left < 0 {
		return 0, errors.New("the list of its members is too long for an archive of this size")
	}
	return l.ReaderAt.ReadAt(b, offset)
}

// ReadArchive reads every member of an .npz archive, in order. size is the archive's size in bytes.
// The tensors have the names of the members without ".npy". ReadArchive rejects archives that
// unpack to more than 16 MiB plus twice their size, unless MODELPARITY_UNPACK_LIMIT allows it.
func ReadArchive(r io.ReaderAt, size int64) (*tensor.Set, error) {
	bounded := &listing{r, maxDirectory + size/4}
	archive, err := zip.NewReader(bounded, size)
	if err != nil {
		return nil, fmt.Errorf("npz: %w", err)
	}
	bounded.left = math.MaxInt64 // data of members is limited below
	packed := budget.NewPacked(size)
	spent := budget.Structure{Streamed: true}
	entries := make([]tensor.Entry, 0, len(archive.File))
	left := uint64(size)
	for _, member := range archive.File {
		if member.CompressedSize64 > left { // overlapping members indicate a zip bomb
			return nil, fmt.Errorf("npz: %s: the members up to this one claim more bytes than the file has",
				member.Name)
		}
		left -= member.CompressedSize64
		t, err := readMember(member, packed)
		if err == nil {
			err = spent.Take(perMember, size)
		}
		if err != nil {
			return nil, fmt.Errorf("npz: %s: %w", member.Name, err)
		}
		entries = append(entries, tensor.Entry{Name: strings.TrimSuffix(member.Name, ".npy"), Tensor: t})
	}
	return tensor.NewSet(entries...)
}

// perMember estimates how many bytes of memory an archive's member takes in addition to its data.
const perMember = 400

// WriteArchive writes the tensors as an uncompressed .npz archive, as numpy.savez does. Their names
// may contain slashes; NumPy reads such names back unchanged.
func WriteArchive(w io.Writer, set *tensor.Set) error {
	archive := zip.NewWriter(w)
	for name, t := range set.All() {
		// The time is omitted so that the same tensors always give the same bytes.
		member, err := archive.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
		if err == nil {
			err = Write(member, t)
		}
		if err != nil {
			return fmt.Errorf("npz: %s: %w", name, err)
		}
	}
	if err := archive.Close(); err != nil {
		return fmt.Errorf("npz: %w", err)
	}
	return nil
}
