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

// maxRatio is the most that DEFLATE can expand its input: about 1032. A member that claims more
// lies, and is refused before anything is allocated for it.
const maxRatio = 1032

// ReadMember reads one .npy member of an .npz archive, whose size is taken from what all of the
// archive may expand to.
func ReadMember(member *zip.File, packed *budget.Packed) (Array, error) {
	limit := member.UncompressedSize64
	if limit/maxRatio > member.CompressedSize64 || limit > 1<<62 {
		return Array{}, fmt.Errorf("npz: %s: %d bytes cannot unpack to %d",
			member.Name, member.CompressedSize64, limit)
	}
	if err := packed.Take("its data", int64(limit)); err != nil {
		return Array{}, fmt.Errorf("npz: %s: %w", member.Name, err)
	}
	r, err := member.Open()
	if err != nil {
		return Array{}, fmt.Errorf("npz: %s: %w", member.Name, err)
	}
	defer r.Close()
	array, err := Read(r, int64(limit))
	if err == nil {
		// To the end, where the checksum of the archive is checked.
		var n int64
		if n, err = io.Copy(io.Discard, r); err == nil && n > 0 {
			err = fmt.Errorf("%d bytes after the array", n)
		}
	}
	if err != nil {
		return Array{}, fmt.Errorf("npz: %s: %w", member.Name, err)
	}
	return array, nil
}

// maxDirectory is how many bytes the list of an archive's members may have, beside a share of the
// archive's size. In memory it takes some seven times that.
const maxDirectory = 2 << 20

// listing reads what an archive's list of members needs, and no more.
type listing struct {
	io.ReaderAt
	left int64
}

func (l *listing) ReadAt(b []byte, offset int64) (int, error) {
	if l.left -= int64(len(b)); l.left < 0 {
		return 0, errors.New("the list of its members is longer than an archive of this size has")
	}
	return l.ReaderAt.ReadAt(b, offset)
}

// OpenArchive reads the list of the members of a zip archive of size bytes.
func OpenArchive(r io.ReaderAt, size int64) (*zip.Reader, error) {
	bounded := &listing{r, maxDirectory + size/4}
	archive, err := zip.NewReader(bounded, size)
	bounded.left = math.MaxInt64 // the members themselves
	return archive, err
}

// ReadArchive reads every member of an .npz archive of size bytes, in the archive's order. Members
// are named without their .npy. Those that unpack to more than 16 MiB and twice the size of the
// archive are refused, unless MODELPARITY_UNPACK_LIMIT allows it.
func ReadArchive(r io.ReaderAt, size int64) (*tensor.Set, error) {
	archive, err := OpenArchive(r, size)
	if err != nil {
		return nil, fmt.Errorf("npz: %w", err)
	}
	packed := budget.NewPacked(size)
	spent := budget.Structure{Streamed: true}
	entries := make([]tensor.Entry, 0, len(archive.File))
	left := uint64(size)
	for _, member := range archive.File {
		if member.CompressedSize64 > left { // members that lie over each other are a trap
			return nil, fmt.Errorf("npz: %s: the members up to here need more bytes than the file has",
				member.Name)
		}
		left -= member.CompressedSize64
		array, err := ReadMember(member, packed)
		if err == nil {
			err = spent.Take(perMember, size)
		}
		if err != nil {
			return nil, err
		}
		t, err := array.Tensor()
		if err != nil {
			return nil, fmt.Errorf("npz: %s: %w", member.Name, err)
		}
		entries = append(entries, tensor.Entry{Name: strings.TrimSuffix(member.Name, ".npy"), Tensor: t})
	}
	return tensor.NewSet(entries...)
}

// perMember is about what a member takes beside its data.
const perMember = 400

// WriteArchive writes set as an uncompressed .npz archive, as numpy.savez does. Names may hold
// slashes; NumPy reads them back as they are.
func WriteArchive(w io.Writer, set *tensor.Set) error {
	archive := zip.NewWriter(w)
	for name, t := range set.All() {
		// Without a time: the same tensors give the same bytes on another day.
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
