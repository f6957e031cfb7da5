package runfile

import (
	"bufio"
	"compress/gzip"
	"context"
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
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/tensor"
)

// Blob is an output's data outside of its golden file: an .npy file that gzip packed, which
// np.load(gzip.open(…)) reads, known by the SHA-256 of its bytes.
type Blob struct {
	In     string `json:"in"`     // needsSidecar
	SHA256 string `json:"sha256"` // of the packed bytes
	Bytes  int64  `json:"bytes"`  // packed
	Raw    int64  `json:"raw"`    // of the .npy file
}

func (b *Blob) sound() error {
	switch {
	case b.In != NeedsSidecar:
		return fmt.Errorf("unknown place %q", b.In)
	case !IsSum(b.SHA256) || b.Bytes <= 0 || b.Raw <= 0:
		return fmt.Errorf("%q of %d bytes is not a blob", b.SHA256, b.Bytes)
	}
	return nil
}

// blobExtension ends the name of a blob next to a golden file.
const BlobExtension = ".npy.gz"

// DataFolder is where the data of the golden file at path lies: digits.data beside digits.json, and
// beside the file that a link leads to. All that is in it is that golden file's.
func DataFolder(path string) string {
	return strings.TrimSuffix(Unlinked(path), ".json") + ".data"
}

// Beside is where the blob of a golden file lies.
func (b *Blob) Beside(folder string) string {
	return filepath.Join(folder, b.SHA256+BlobExtension)
}

// source reads the data that is not in a golden file. A file that has none costs nothing.
type source struct {
	ctx    context.Context
	path   string // of the golden file
	packed int64  // what was read so far
	raw    int64  // what it unpacked to
}

func newSource(ctx context.Context, path string) *source { return &source{ctx: ctx, path: path} }

// read is the data of an output. What it unpacks to is bounded, and its bytes must give the sum
// that the head names.
func (s *source) read(o Output) (*tensor.Tensor, error) {
	at := o.Blob.Beside(DataFolder(s.path))
	if _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) {
		return nil, Elsewhere("output %q: its data is missing: %s; commit it where the golden file "+
			"was written, or check it out", o.Name, Shown(at))
	}
	if t := s.readStored(at, o); t != nil {
		return t, nil
	}
	array, err := s.unpack(at, o.Blob)
	if err != nil {
		if left := Leftover(at, nil); left != nil {
			return nil, Elsewhere("output %q: %s: %w", o.Name, Shown(at), left)
		}
		return nil, fmt.Errorf("output %q: its data in %s %w", o.Name, Shown(at), err)
	}
	t, err := array.As(o.Type)
	if err != nil {
		return nil, fmt.Errorf("output %q: its data in %s: %w", o.Name, Shown(at), err)
	}
	return t, nil
}

// unpack reads the .npy file out of a blob.
func (s *source) unpack(path string, b *Blob) (array npy.Array, err error) {
	f, err := regular.Open(path)
	if err != nil {
		return array, fmt.Errorf("cannot be read: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	info, err := f.Stat()
	if err != nil {
		return array, err
	}
	if info.Size() != b.Bytes {
		return array, fmt.Errorf("has %d bytes, the head says %d: it was damaged", info.Size(), b.Bytes)
	}
	s.packed += b.Bytes
	if limit := budget.Unpacked(s.packed); b.Raw > limit-s.raw {
		return array, budget.Refuse("which", b.Raw, limit-s.raw)
	}
	s.raw += b.Raw
	hash := newSumAside()
	all := io.TeeReader(cancelled{s.ctx, f}, hash)
	array, err = unzipped(all, b.Raw)
	_, rest := io.Copy(io.Discard, all)
	sum := hash.sum()
	if rest != nil {
		return array, rest
	}
	if sum != b.SHA256 {
		return array, fmt.Errorf("has the sha256 %s, the head says %s: it was damaged", sum, b.SHA256)
	}
	return array, err
}

// unzipped is the .npy file of that size in a packed one.
func unzipped(r io.Reader, size int64) (array npy.Array, err error) {
	z, err := gzip.NewReader(bufio.NewReaderSize(r, 64<<10))
	if err != nil {
		return array, fmt.Errorf("cannot be unpacked: %w", err)
	}
	if array, err = npy.Read(z, size); err != nil {
		return array, fmt.Errorf("cannot be unpacked: %w", err)
	}
	if n, err := z.Read(make([]byte, 1)); n > 0 || err != io.EOF {
		return array, errors.New("cannot be unpacked: more follows the array, or it is damaged")
	}
	return array, nil
}

// cancelled ends where its context does.
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

// packing is how hard blobs are packed: numbers of a network gain a tenth, whatever the effort.
const packing = gzip.BestSpeed

// Whether a large output is worth packing is asked of some pieces of it, a quarter of it at most.
// 100 MB take seconds to pack and one to unpack, and git packs what was not.
const (
	tried      = 16       // pieces
	triedBytes = 32 << 10 // of each, or less
	worthwhile = 0.6      // of their size, or less, packed
)

// PackingOf is packing where it pays, and else [gzip.NoCompression]. It depends on the data alone.
// What has no tree of sums is packed in any case: all cores read no blob of it.
func PackingOf(t *tensor.Tensor) int {
	if !hasTree(t) {
		return packing
	}
	piece := min(triedBytes, t.Size()/(4*tried))
	count := new(counter)
	z, err := gzip.NewWriterLevel(count, packing)
	for i := 0; i < tried && err == nil; i++ {
		at := i * ((t.Size() - piece) / (tried - 1))
		_, err = z.Write(t.Part(at, at+piece))
	}
	if err == nil && z.Close() == nil && float64(*count) > worthwhile*tried*float64(piece) {
		return gzip.NoCompression
	}
	return packing
}

// Pack writes a tensor as a blob at path.
func Pack(path string, t *tensor.Tensor, level int) (*Blob, error) {
	file, err := npy.Layout(t)
	if err != nil {
		return nil, err
	}
	hash, count := newSumAside(), new(counter)
	err = wholefile.Write(path, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(io.MultiWriter(w, hash, count), level)
		if err != nil {
			return err
		}
		_, header := z.Write(file.Header)
		_, data := z.Write(file.Data)
		return errors.Join(header, data, z.Close())
	})
	return &Blob{SHA256: hash.sum(), Bytes: int64(*count),
		Raw: int64(file.Len())}, err
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// BytesText is a size for people.
func BytesText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}
