package runfile

import (
	"bufio"
	"bytes"
	"io"
	"regexp"

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
		return Protected("the file is a Git LFS pointer without its content: run git lfs pull")
	}
	if cause == nil {
		return nil
	}
	text, err := io.ReadAll(r)
	if at := conflict.FindIndex(text); err == nil && at != nil {
		return Protected("the file has a merge conflict at line %d: take one side with git checkout "+
			"--ours or --theirs; if a spec that uses the file then fails, update the file",
			1+bytes.Count(text[:at[0]], []byte("\n")))
	}
	return nil
}

var conflict = regexp.MustCompile(`(?ms)^<<<<<<< .*?^=======.*?^>>>>>>> `)
