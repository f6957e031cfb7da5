// Package budget limits the memory that readers use for a hostile file to 64 MiB plus four times
// the file's size. The bytes of the file itself need no limit. But two things can be far larger
// than the bytes that encode them: structure, such as millions of empty objects, and packed data,
// such as zeros in an archive.
package budget

import (
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/modelparity/modelparity/internal/memory"
	"github.com/modelparity/modelparity/internal/values"
)

// room is the number of bytes that even the smallest file may expand to. The rest of the 64 MiB is
// for the program and for garbage that has not been collected yet.
const room = 16 << 20

// Structure counts the memory of the objects that a reader creates: names, headers, lists. The zero
// value is ready to use.
type Structure struct {
	// Streamed is true if the file itself is not held in memory, which leaves more memory for
	// structure.
	Streamed bool

	taken int64
}

// Take adds n bytes of structure; read is the number of bytes of the file that the reader has read
// so far. Take fails if the structure exceeds room plus one and a half times the bytes read, or two
// and a half times if the file is streamed.
func (s *Structure) Take(n int, read int64) error {
	if s.taken += int64(n); s.taken > room && s.taken-int64(n) <= room {
		memory.Crowded()
	}
	allowed := room + read + read/2
	if s.Streamed {
		allowed += read
	}
	if s.taken > allowed {
		return errors.New("too many objects for a file of this size")
	}
	return nil
}

// Variable is the environment variable that raises the limit of packed data for each file. Its
// value is a number of bytes, optionally with K, M or G for powers of 1024.
const Variable = "MODELPARITY_UNPACK_LIMIT"

// Unpacked returns how many bytes the packed data in a file may take after unpacking. size is the
// size of the file. The limit is room plus twice the size, or the value of [Variable] if that is
// greater.
func Unpacked(size int64) int64 {
	limit := int64(math.MaxInt64)
	if size < math.MaxInt64/4 {
		limit = room + 2*size
	}
	if raised, err := values.Size(os.Getenv(Variable)); err == nil {
		limit = max(limit, raised)
	}
	return limit
}

// Packed counts the bytes that the packed data of a file takes after unpacking.
type Packed struct{ limit, taken int64 }

// NewPacked returns a counter for a file of the given size.
func NewPacked(size int64) *Packed { return &Packed{limit: Unpacked(size)} }

// Take adds n bytes. It returns an error if the total exceeds [Unpacked]. what names the data in
// the error.
func (p *Packed) Take(what string, n int64) error {
	if n < 0 || p.taken > math.MaxInt64-n {
		n = math.MaxInt64 - p.taken
	}
	p.taken += n
	if p.taken > p.limit {
		return Refuse(what, p.taken, p.limit)
	}
	return nil
}

// Refuse returns the error for data that needs more bytes than the limit allows. what names the
// data.
func Refuse(what string, need, limit int64) error {
	return &RefusedError{fmt.Sprintf("%s would take %s, but the limit for this file is %s; if you "+
		"trust the file, set %s=%s in the environment", what, megabytes(need), megabytes(limit),
		Variable, enough(need))}
}

// RefusedError says that a file's packed data is too large. A reader that tries several formats
// stops at this error, because the data would be too large in any format.
type RefusedError struct{ text string }

func (e *RefusedError) Error() string { return e.text }

func megabytes(n int64) string { return fmt.Sprintf("%.0f MB", math.Ceil(float64(n)/1e6)) }

// enough returns a value for [Variable] that would allow need bytes.
func enough(need int64) string {
	if need <= 1<<30 {
		return fmt.Sprintf("%dM", (need+1<<20-1)>>20)
	}
	return fmt.Sprintf("%dG", need>>30+1)
}
