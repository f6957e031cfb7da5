package wholefile

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/modelparity/modelparity/internal/regular"
)

// besideOld writes a file, compares it on the way with the one that it may replace, and has the
// disk begin as soon as they differ: much is there when it has to have all of it.
type besideOld struct {
	to      *os.File
	old     *os.File // nil where nothing is compared, or nothing differs from nothing
	buffer  []byte
	err     error // of reading old
	written int64
	begun   int64 // up to where the disk has begun
}

// together is how many bytes the disk begins with at a time.
const together = 4 << 20

// newBesideOld compares with the file at path; if that cannot be read, the new one differs.
func newBesideOld(to *os.File, path string) *besideOld {
	b := &besideOld{to: to}
	if old, err := regular.Open(path); err == nil {
		b.old, b.buffer = old, make([]byte, 64<<10)
	}
	return b
}

// Write writes p, and compares it while both files are the same so far.
func (b *besideOld) Write(p []byte) (int, error) {
	for rest := p; b.old != nil && len(rest) > 0; {
		n := min(len(rest), len(b.buffer))
		read, err := io.ReadFull(b.old, b.buffer[:n])
		if !bytes.Equal(b.buffer[:read], rest[:n]) {
			b.differs()
		}
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			b.err = err
		}
		rest = rest[n:]
	}
	n, err := b.to.Write(p)
	b.written += int64(n)
	if b.old == nil && b.written-b.begun >= together {
		beginWriteback(b.to, b.begun, b.written-b.begun)
		b.begun = b.written
	}
	return n, err
}

// ReadFrom leaves what is not compared to the system, which may copy it by itself.
func (b *besideOld) ReadFrom(r io.Reader) (n int64, err error) {
	if b.old != nil {
		return io.Copy(struct{ io.Writer }{b}, r)
	}
	n, err = b.to.ReadFrom(r)
	b.written += n
	return n, err
}

// differs ends the comparison.
func (b *besideOld) differs() {
	b.err = errors.Join(b.err, b.old.Close())
	b.old = nil
}

// same reports whether all that was written is all that the old file holds, and closes it.
func (b *besideOld) same() (bool, error) {
	if b.old == nil {
		return false, b.err
	}
	n, err := b.old.Read(b.buffer[:1])
	if err == io.EOF {
		err = nil
	}
	return n == 0, errors.Join(b.err, err, b.old.Close())
}
