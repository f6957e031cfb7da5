package npy

import (
	"archive/zip"
	"fmt"
	"io"
	"strings"

	"github.com/modelparity/modelparity/tensor"
)

// maxRatio is the most that DEFLATE can expand its input: about 1032. A member that claims more
// lies, and is refused before anything is allocated for it.
const maxRatio = 1032

// ReadMember reads one .npy member of an .npz archive.
func ReadMember(member *zip.File) (Array, error) {
	limit := member.UncompressedSize64
	if limit/maxRatio > member.CompressedSize64 || limit > 1<<62 {
		return Array{}, fmt.Errorf("npz: %s: %d bytes cannot unpack to %d",
			member.Name, member.CompressedSize64, limit)
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

// ReadArchive reads every member of an .npz archive of size bytes, in the archive's order. Members
// are named without their .npy.
func ReadArchive(r io.ReaderAt, size int64) (*tensor.Set, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("npz: %w", err)
	}
	entries := make([]tensor.Entry, 0, len(archive.File))
	left := uint64(size)
	for _, member := range archive.File {
		if member.CompressedSize64 > left { // members that lie over each other are a trap
			return nil, fmt.Errorf("npz: %s: the members up to here need more bytes than the file has",
				member.Name)
		}
		left -= member.CompressedSize64
		array, err := ReadMember(member)
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
