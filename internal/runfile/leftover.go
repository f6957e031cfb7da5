package runfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/modelparity/modelparity/internal/regular"
)

// Leftover returns an error for a file that version control left unusable: a Git LFS pointer,
// or a merge conflict. Updates must not replace such a file, because the real reference still
// exists. cause is the error from reading the file; with nil, Leftover checks only the start of
// the file.
func Leftover(path string, cause error) error {
	f, err := regular.Open(path)
	if err != nil {
		return nil // reading the file reports the error
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	const pointer = "version https://git-lfs.github.com/spec/"
	if start, err := r.Peek(len(pointer)); err == nil && string(start) == pointer {
		return &ForeignError{Text: "the file is a Git LFS pointer, its content is missing: " +
			"run git lfs pull"}
	}
	if cause == nil {
		return nil
	}
	if line := conflict(r); line > 0 {
		return &ForeignError{Text: fmt.Sprintf("the file has a merge conflict at line %d: take one "+
			"side with git checkout --ours or --theirs, and update it if the spec then fails", line)}
	}
	return nil
}

// conflict returns the first line of a merge conflict, or 0.
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
			return 0 // reading the file reports the error
		}
	}
}
