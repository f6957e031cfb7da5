// Package budget bounds what readers build from a hostile file to 64 MiB plus four times its size.
// The file's own bytes need no further bound. Two things can be far larger than the bytes they come
// from: structure, such as millions of empty objects, and packed data, such as zeros in an archive.
package budget

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// room is what any file may expand to: most of the 64 MiB, which must also hold the program and
// garbage not yet collected.
const room = 16 << 20

// Structure accounts for the objects that a reader makes of what it reads: names, headers, lists.
// The zero value is ready to use.
type Structure struct {
	// Streamed says that the file itself is not held in memory, which leaves more for structure.
	Streamed bool

	taken int64
}

// Take accounts for n bytes of memory, once the first read bytes of the file were read. It is an
// error as soon as structure takes more than room and one and a half times those bytes, or two and
// a half times where they are not held.
func (s *Structure) Take(n int, read int64) error {
	s.taken += int64(n)
	allowed := room + read + read/2
	if s.Streamed {
		allowed += read
	}
	if s.taken > allowed {
		return errors.New("more empty structure than a file of this size has")
	}
	return nil
}

// Variable is the environment variable that raises how much packed data may expand: bytes, with K,
// M or G for powers of 1024. It counts for each file.
const Variable = "MODELPARITY_UNPACK_LIMIT"

// Unpacked returns how many bytes the packed data of a file of that size may expand to: room plus
// twice the size, or the value of [Variable] if that is more.
func Unpacked(size int64) int64 {
	limit := int64(math.MaxInt64)
	if size < math.MaxInt64/4 {
		limit = room + 2*size
	}
	if raised, ok := Bytes(os.Getenv(Variable)); ok {
		limit = max(limit, raised)
	}
	return limit
}

// Packed accounts for what a file's packed data expands to.
type Packed struct{ limit, taken int64 }

// NewPacked returns the account of a file of that size.
func NewPacked(size int64) *Packed { return &Packed{limit: Unpacked(size)} }

// Take accounts for n bytes of what. It is an error as soon as all that was taken is more than
// [Unpacked].
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

// Refuse is the error about what, which would expand to need bytes where limit are allowed.
func Refuse(what string, need, limit int64) error {
	return fmt.Errorf("%s would take %s, the limit for this file is %s; if it is to be trusted, set "+
		"%s=%s in the environment", what, megabytes(need), megabytes(limit), Variable, enough(need))
}

func megabytes(n int64) string { return fmt.Sprintf("%.0f MB", math.Ceil(float64(n)/1e6)) }

// enough is a value of Variable that allows need bytes.
func enough(need int64) string {
	if need <= 1<<30 {
		return fmt.Sprintf("%dM", (need+1<<20-1)>>20)
	}
	return fmt.Sprintf("%dG", need>>30+1)
}

// Bytes reads a number of bytes, with K, M or G for powers of 1024.
func Bytes(text string) (int64, bool) {
	shift := 0
	switch upper := strings.ToUpper(text); {
	case strings.HasSuffix(upper, "K"):
		shift = 10
	case strings.HasSuffix(upper, "M"):
		shift = 20
	case strings.HasSuffix(upper, "G"):
		shift = 30
	}
	if shift > 0 {
		text = text[:len(text)-1]
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n << shift, err == nil && n >= 0 && n <= math.MaxInt64>>shift
}
