package wholefile

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/modelparity/modelparity/internal/regular"
)

// comparingWriter writes a new file and compares it with the old file that it may replace. As soon
// as the two differ, it starts to write the new file to the disk, so that the final sync takes
// less time.
type comparingWriter struct {
	to      *os.File
	old     *os.File // nil if there is no old file, or once the files differ
	buffer  []byte
	err     error // the error from reading old
	written int64
	begun   int64 // number of bytes that are being written to the disk
}

// together is the number of bytes that are written to the disk at a time.
const together = 4 << 20

// newComparingWriter returns a writer that compares with the file at path. If that file cannot be
// read, the files count as different.
func newComparingWriter(to *os.File, path string) *comparingWriter {
	b := &comparingWriter{to: to}
	if old, err := regular.Open(path); err == nil {
		b.old, b.buffer = old, make([]byte, 64<<10)
	}
	return b
}

// Write writes p. It also compares p with the old file if the files have been equal so far.
func (b *comparingWriter) Write(p []byte) (int, error) {
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

// ReadFrom lets the system copy the data if the files already differ, so that nothing is left to
// compare.
func (b *comparingWriter) ReadFrom(r io.Reader) (n int64, err error) {
	if b.old != nil {
		return io.Copy(struct{ io.Writer }{b}, r)
	}
	n, err = b.to.ReadFrom(r)
	b.written += n
	return n, err
}

// differs records that the files differ, and closes the old file.
func (b *comparingWriter) differs() {
	b.err = errors.Join(b.err, b.old.Close())
	b.old = nil
}

// same closes the old file and reports whether the new file equals it.
func (b *comparingWriter) same() (bool, error) {
	if b.old == nil {
		return false, b.err
	}
	n, err := b.old.Read(b.buffer[:1])
	if err == io.EOF {
		err = nil
	}
	return n == 0, errors.Join(b.err, err, b.old.Close())
}
