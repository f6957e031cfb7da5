package runfile

import (
	"crypto/sha256"
	"encoding/hex"
)

// sumAside computes the SHA-256 of its input in a goroutine, so that reading or writing the data
// can continue on another core. Call [sumAside.sum] to end the goroutine.
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

// Write copies p, so the caller may reuse it.
func (s *sumAside) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		chunk := <-s.free
		n := min(len(rest), cap(chunk))
		s.chunks <- append(chunk, rest[:n]...)
		rest = rest[n:]
	}
	return len(p), nil
}

// sum returns the checksum of all bytes written. Write must not be called afterwards.
func (s *sumAside) sum() string {
	close(s.chunks)
	return <-s.done
}
