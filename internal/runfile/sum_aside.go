package runfile

import (
	"crypto/sha256"
	"encoding/hex"
)

// sumAside is the SHA-256 of what is written to it, computed by a goroutine of its own, which ends
// with [sumAside.sum]. Where a core is free, writing goes on meanwhile.
type sumAside struct {
	chunks, free chan []byte
	done         chan string
}

func newSumAside() *sumAside {
	const chunk, ahead = 128 << 10, 4
	s := &sumAside{make(chan []byte, ahead), make(chan []byte, ahead), make(chan string, 1)}
	for range ahead {
		s.free <- make([]byte, 0, chunk)
	}
	go func() {
		hash := sha256.New()
		for chunk := range s.chunks {
			hash.Write(chunk)
			s.free <- chunk[:0]
		}
		s.done <- hex.EncodeToString(hash.Sum(nil))
	}()
	return s
}

// Write copies p, which may change afterwards.
func (s *sumAside) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		chunk := <-s.free
		n := min(len(rest), cap(chunk))
		s.chunks <- append(chunk, rest[:n]...)
		rest = rest[n:]
	}
	return len(p), nil
}

// sum is that of all that was written. Nothing may be written afterwards.
func (s *sumAside) sum() string {
	close(s.chunks)
	return <-s.done
}
