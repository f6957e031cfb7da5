package runfile

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/internal/budget"
	"github.com/modelparity/modelparity/internal/codec/npy"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/spill"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/tensor"
)

// Blob describes an output's data that is stored outside its golden file, in a gzip-compressed .npy
// file that np.load(gzip.open(…)) can read. The file is named after the SHA-256 of its bytes.
type Blob struct {
	In     string `json:"in"`     // always [NeedsSidecar]
	SHA256 string `json:"sha256"` // SHA-256 of the compressed bytes
	Bytes  int64  `json:"bytes"`  // compressed size
	Raw    int64  `json:"raw"`    // size of the .npy file
}

func (b *Blob) sound() error {
	switch {
	case b.In != NeedsSidecar:
		return fmt.Errorf("its data is in %q, expected %q", b.In, NeedsSidecar)
	case !IsSum(b.SHA256) || b.Bytes <= 0 || b.Raw <= 0:
		return fmt.Errorf("the file header gives its sidecar an invalid sha256 or size (%q, %d bytes)",
			b.SHA256, b.Bytes)
	}
	return nil
}

// BlobExtension is the extension of blobs in a golden file's data folder.
const BlobExtension = ".npy.gz"

// DataFolder returns the folder for the sidecar data of the golden file at path: digits.data next
// to digits.json, after resolving links. Only that golden file uses the folder.
func DataFolder(path string) string {
	return strings.TrimSuffix(wholefile.Unlinked(path), ".json") + ".data"
}

// Path returns the path of the blob in the given data folder.
func (b *Blob) Path(folder string) string {
	return filepath.Join(folder, b.SHA256+BlobExtension)
}

// Sizes adds up the sizes of one golden file's blobs.
type Sizes struct{ packed, raw int64 }

// Add adds a blob. It returns an error, and adds nothing, if all blobs together would then unpack
// to more bytes than readers allow for their compressed size.
func (s *Sizes) Add(b *Blob) error {
	if limit := budget.Unpacked(s.packed + b.Bytes); b.Raw > limit-s.raw {
		return budget.Refuse("it", b.Raw, limit-s.raw)
	}
	s.packed, s.raw = s.packed+b.Bytes, s.raw+b.Raw
	return nil
}

// source reads the sidecar data of one golden file.
type source struct {
	ctx  context.Context
	path string // the golden file
	read Sizes  // of the blobs read so far
}

// output reads an output's data. It limits the unpacked size, and verifies the blob's checksum.
func (s *source) output(o Output) (*tensor.Tensor, error) {
	at := o.Blob.Path(DataFolder(s.path))
	if _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) {
		return nil, Protected("output %q: its data is missing: %s; commit it on the machine that wrote "+
			"the golden file, or check it out", o.Name, wholefile.Shown(at))
	}
	array, err := s.unpack(at, o.Blob)
	if err != nil {
		if left := Leftover(at, nil); left != nil {
			return nil, Protected("output %q: %s: %w", o.Name, wholefile.Shown(at), left)
		}
		return nil, fmt.Errorf("output %q: its data in %s %w", o.Name, wholefile.Shown(at), err)
	}
	t, err := array.As(o.Type)
	if err != nil {
		return nil, fmt.Errorf("output %q: its data in %s: %w", o.Name, wholefile.Shown(at), err)
	}
	return t, nil
}

func (s *source) unpack(path string, b *Blob) (array npy.Array, err error) {
	f, err := regular.Open(path)
	if err != nil {
		return array, fmt.Errorf("cannot be read: %w", err)
	}
	defer f.Close() //nolint:errcheck // opened read-only
	info, err := f.Stat()
	if err != nil {
		return array, err
	}
	if info.Size() != b.Bytes {
		return array, fmt.Errorf("has %d bytes, but the file header says %d: it is damaged", info.Size(),
			b.Bytes)
	}
	if err := s.read.Add(b); err != nil {
		return array, fmt.Errorf("cannot be unpacked: %w", err)
	}
	whole := func() io.Reader { return cancelled{s.ctx, io.NewSectionReader(f, 0, b.Bytes)} }
	hash, read := sha256.New(), make(chan error)
	go func() { // on another core, because summing takes longer than unpacking
		_, err := io.Copy(hash, whole())
		read <- err
	}()
	array, err = unzipped(whole(), b.Raw)
	if unread := <-read; unread != nil {
		return array, unread
	}
	if sum := hex.EncodeToString(hash.Sum(nil)); sum != b.SHA256 {
		return array, fmt.Errorf("has the sha256 %s, but the file header says %s: it is damaged", sum,
			b.SHA256)
	}
	return array, err
}

// unzipped decompresses an .npy file whose uncompressed size is size bytes.
func unzipped(r io.Reader, size int64) (array npy.Array, err error) {
	z, err := gzip.NewReader(bufio.NewReaderSize(r, 64<<10))
	if err != nil {
		return array, fmt.Errorf("cannot be unpacked: %w", err)
	}
	if array, err = npy.Read(z, size); err != nil {
		return array, fmt.Errorf("cannot be unpacked: %w", err)
	}
	return array, nil
}

// cancelled is a reader that returns an error after its context has ended.
type cancelled struct {
	ctx context.Context
	r   io.Reader
}

func (c cancelled) Read(b []byte) (int, error) {
	if err := context.Cause(c.ctx); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

// worthwhile is the largest ratio of compressed to original size at which a large blob is
// compressed. Above that ratio, the blob is stored uncompressed, because it can then be read
// faster, and git compresses it anyway.
const worthwhile = 0.6

// Pack writes a tensor as a blob at path. It compresses small data always, and large data if a
// sample of it shrinks enough. It uses the fastest level, because no level shrinks the outputs of
// networks by more than about a tenth.
func Pack(path string, t *tensor.Tensor) (*Blob, error) {
	if hasTree(t) && !shrinks(t) {
		return PackAt(path, t, gzip.NoCompression)
	}
	return PackAt(path, t, gzip.BestSpeed)
}

// shrinks compresses 16 blocks of a large tensor, at equal distances, and reports whether their
// ratio is [worthwhile]. Compressing everything to find out takes five times as long as storing it.
func shrinks(t *tensor.Tensor) bool {
	const blocks = 16
	size := new(counter)
	z, _ := gzip.NewWriterLevel(size, gzip.BestSpeed) // the level is valid
	for i := range blocks {
		at := (t.Size() - leafSize) / (blocks - 1) * i
		_, _ = z.Write(spill.Part(t, at, at+leafSize)) // a counter cannot fail
	}
	_ = z.Close()
	return float64(*size) <= worthwhile*blocks*leafSize
}

// PackAt is [Pack] with a given compression level.
func PackAt(path string, t *tensor.Tensor, level int) (*Blob, error) {
	file, err := npy.Layout(t)
	if err != nil {
		return nil, err
	}
	hash, count := sha256.New(), new(counter)
	_, err = wholefile.Update(path, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(io.MultiWriter(w, hash, count), level)
		if err != nil {
			return err
		}
		_, header := z.Write(file.Header)
		_, data := z.Write(file.Data)
		return cmp.Or(header, data, z.Close()) // the writer repeats its error
	})
	return &Blob{SHA256: hex.EncodeToString(hash.Sum(nil)), Bytes: int64(*count),
		Raw: int64(file.Len())}, err
}

// counter counts the bytes written to it.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// BytesText formats a size in bytes for people.
func BytesText(n int64) string {
	for i, unit := range []string{"GiB", "MiB", "KiB"} {
		if size := int64(1) << (30 - 10*i); n >= size {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(size), unit)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
