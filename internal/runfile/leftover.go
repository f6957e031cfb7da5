package runfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/modelparity/modelparity/internal/regular"
)

// Leftover is an error for a file that version control left in another's place: a Git LFS pointer,
// or both sides of a merge. No update replaces it, because the reference is elsewhere, and intact.
// cause is why the file cannot be read; nil asks only for what is seen at its start.
func Leftover(path string, cause error) error {
	f, err := regular.Open(path)
	if err != nil {
		return nil // reading it reports the error
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	const pointer = "version https://git-lfs.github.com/spec/"
	if start, err := r.Peek(len(pointer)); err == nil && string(start) == pointer {
		return &ForeignError{Text: "the file is a Git LFS pointer, its content is not here: " +
			"run git lfs pull"}
	}
	if cause == nil {
		return nil
	}
	if line := conflict(r); line > 0 {
		return &ForeignError{Text: fmt.Sprintf("the file holds both sides of a merge, from line %d: "+
			"take one with git checkout --ours or --theirs, and then update it if it does not hold", line)}
	}
	return nil
}

// conflict is the line at which a merge conflict begins, or 0.
func conflict(r *bufio.Reader) int {
	begin, middle := 0, false
	for line, start := 1, true; ; {
		part, err := r.ReadSlice('\n')
		if start {
			switch {
			case bytes.HasPrefix(part, []byte("<<<<<<< ")):
				begin, middle = line, false
			case begin > 0 && bytes.HasPrefix(part, []byte("=======")):
				middle = true
			case middle && bytes.HasPrefix(part, []byte(">>>>>>> ")):
				return begin
			}
		}
		switch {
		case err == nil:
			line, start = line+1, true
		case errors.Is(err, bufio.ErrBufferFull):
			start = false
		case err == io.EOF:
			return 0
		default:
			return 0 // reading it reports the error
		}
	}
}
