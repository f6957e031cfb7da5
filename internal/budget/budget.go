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

// allowance is the memory, in bytes, that the contents of a file may take, even if the file is very
// small. It is a part of the 64 MiB in the package comment. The rest of the 64 MiB is for the
// program, and for garbage that has not been collected yet.
const allowance = 16 << 20

// Structure counts the memory of the objects that a reader creates: names, headers, lists. The zero
// value is ready to use.
type Structure struct {
	// Streamed is true if the file itself is not held in memory, which leaves more memory for the
	// objects.
	Streamed bool

	taken int64
}

// Take counts n more bytes of objects. consumed is how many bytes of the file the reader has read
// so far. Take fails if the objects exceed 16 MiB plus 1.5 times consumed, or 2.5 times if the file
// is streamed.
func (s *Structure) Take(n int, consumed int64) error {
	if s.taken += int64(n); s.taken > allowance && s.taken-int64(n) <= allowance {
		memory.Crowded()
	}
	allowed := allowance + consumed + consumed/2
	if s.Streamed {
		allowed += consumed
	}
	if s.taken > allowed {
		return errors.New("too many objects for a file of this size")
	}
	return nil
}

// Variable is the environment variable that can raise the limit for the packed data in each file.
// Its value is a number of bytes, optionally with the suffix K, M or G for powers of 1024.
const Variable = "MODELPARITY_UNPACK_LIMIT"

// Unpacked returns how many bytes the packed data in a file may take after unpacking. size is the
// size of the file. The limit is 16 MiB plus twice the size, or the value of [Variable] if that is
// larger.
func Unpacked(size int64) int64 {
	limit := int64(math.MaxInt64)
	if size < math.MaxInt64/4 {
		limit = allowance + 2*size
	}
	if raised, err := values.Size(os.Getenv(Variable)); err == nil {
		limit = max(limit, raised)
	}
	return limit
}

// Packed counts how many bytes the packed data of a file takes after unpacking, and limits them.
type Packed struct{ limit, taken int64 }

// NewPacked returns a [Packed] for a file of the given size.
func NewPacked(size int64) *Packed { return &Packed{limit: Unpacked(size)} }

// Take counts n more bytes, and returns an error if the total exceeds [Unpacked]. name is the name
// of the data, for the error.
func (p *Packed) Take(name string, n int64) error {
	if n < 0 || p.taken > math.MaxInt64-n {
		n = math.MaxInt64 - p.taken
	}
	p.taken += n
	if p.taken > p.limit {
		return Refuse(name, p.taken, p.limit)
	}
	return nil
}

// Refuse returns the error for data that needs more bytes than the limit allows. name is the name
// of the data.
func Refuse(name string, need, limit int64) error {
	return &RefusedError{fmt.Sprintf("%s would take %s, but the limit for this file is %s; if you "+
		"trust the file, set %s=%s in the environment", name, megabytes(need), megabytes(limit),
		Variable, enough(need))}
}

// RefusedError says that a file's packed data is too large. A reader that tries several formats
// stops at this error, because the data would be too large in any format.
type RefusedError struct{ text string }

func (e *RefusedError) Error() string { return e.text }

func megabytes(n int64) string { return fmt.Sprintf("%.0f MB", math.Ceil(float64(n)/1e6)) }

// enough returns a value for [Variable] that would allow n bytes.
func enough(n int64) string {
	if n <= 1<<30 {
		return fmt.Sprintf("%dM", (n+1<<20-1)>>20)
	}
	return fmt.Sprintf("%dG", n>>30+1)
}
