package runfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/modelparity/modelparity/internal/regular"
)

// Leftover returns an error for a file that version control left unusable: a Git LFS pointer, or a
// file with a merge conflict. Updates must not replace such a file, because the real content still
// exists. cause is the error from reading the file; if it is nil, Leftover checks only the start of
// the file.
func Leftover(path string, cause error) error {
	f, err := regular.Open(path)
	if err != nil {
		return nil // the error is reported when the file is read
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	const pointer = "version https://git-lfs.github.com/spec/"
	if start, err := r.Peek(len(pointer)); err == nil && string(start) == pointer {
		return &ForeignError{Text: "the file is a Git LFS pointer without its content: run git lfs pull"}
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

// conflict returns the line number at which the first merge conflict begins, or 0 if there is none.
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
			return 0 // the error is reported when the file is read
		}
	}
}
