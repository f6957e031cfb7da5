package terminal

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/internal/names"
)

// Escaped is a writer that applies [names.Escape] to whole lines. Names in files may contain
// sequences that control a terminal, or commands of a build server that reads the log.
type Escaped struct {
	mu     sync.Mutex
	to     io.Writer
	line   []byte // the line that has not ended yet
	err    error
	breaks *strings.Replacer // writes names with line breaks in one line
}

// NewEscaped returns an Escaped that writes to w. args are the arguments of a command: if a file
// name in args contains line breaks, the writer escapes them wherever the name occurs, so that the
// name stays on one line.
func NewEscaped(w io.Writer, args ...string) *Escaped {
	var pairs []string
	for _, arg := range args {
		for name := range strings.SplitSeq(filepath.ToSlash(arg), "/") {
			name = strings.TrimSuffix(name, filepath.Ext(name)) // names of outputs have others
			if strings.Contains(strings.TrimSpace(name), "\n") {
				pairs = append(pairs, name, names.Line(name))
			}
		}
	}
	return &Escaped{to: w, breaks: strings.NewReplacer(pairs...)}
}

// Write writes all complete lines, and keeps an incomplete last line for later.
func (e *Escaped) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.line = append(e.line, e.breaks.Replace(string(p))...)
	if end := bytes.LastIndexByte(e.line, '\n') + 1; end > 0 {
		e.print(end)
	}
	return len(p), e.err
}

// Flush writes the last line, if it does not end in a line break, and returns the first error of
// all writes.
func (e *Escaped) Flush() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.print(len(e.line))
	return e.err
}

func (e *Escaped) print(n int) {
	_, err := io.WriteString(e.to, names.Escape(string(e.line[:n])))
	if e.line = append(e.line[:0], e.line[n:]...); e.err == nil {
		e.err = err
	}
}

// Raw returns the writer behind w if w is an [Escaped], and otherwise w. It is for modelparity's
// own escape sequences.
func Raw(w io.Writer) io.Writer {
	if e, ok := w.(*Escaped); ok {
		return e.to
	}
	return w
}
