package blobstore

import (
	"encoding/hex"
	"fmt"
	"hash"
	"io"
)

// summed passes on what is written to it, as far as the blob may be long, and sums it.
type summed struct {
	to   io.Writer
	hash hash.Hash
	left int64
	n    int64

	failed error // of what it passes on to
}

func (s *summed) Write(b []byte) (int, error) {
	if int64(len(b)) > s.left {
		return 0, fmt.Errorf("gave more bytes than the blob has: %d", s.n+s.left)
	}
	n, err := s.to.Write(b)
	s.failed = err
	s.hash.Write(b[:n])
	s.left, s.n = s.left-int64(n), s.n+int64(n)
	return n, err
}

// check is an error unless all of the blob was written.
func (s *summed) check(id ID) error {
	if s.left > 0 {
		return fmt.Errorf("gave %d bytes of the blob %s, which has %d", s.n, id.SHA256, id.Bytes)
	}
	if got := hex.EncodeToString(s.hash.Sum(nil)); got != id.SHA256 {
		return fmt.Errorf("gave wrong bytes for the blob %s: their SHA-256 is %s", id.SHA256, got)
	}
	return nil
}
