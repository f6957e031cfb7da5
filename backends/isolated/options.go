package isolated

import (
	"errors"
	"go/scanner"
	"go/token"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/option"
)

// Option limits what the engine's process may take. An option prints itself as the Go call that
// makes it.
type Option = option.Option[settings]

// settings is the sum of the options.
type settings struct {
	Memory   int64         `json:"memory,omitempty"` // 0: what is free when the process starts
	Patience time.Duration `json:"patience"`         // 0: for ever

	log     io.Writer // nil is nowhere
	verbose bool
}

var kind = option.Kind[settings]{Package: "isolated", Name: "isolated",
	Defaults: func() settings { return settings{Patience: 5 * time.Minute} }}

// Memory ends the process once more than the given bytes of it are resident; without this option,
// once nine tenths of the memory are, that are free when the process starts. The memory is looked
// at every 20 ms, so a process may take a little more. It needs Linux: elsewhere the option is an
// error, and without it nothing is limited.
func Memory(bytes int64) Option {
	return option.New(option.Call("isolated.Memory", number(bytes)), func(s *settings) error {
		if bytes <= 0 {
			return errors.New("the limit must be more than 0 bytes")
		}
		s.Memory = bytes
		return nil
	})
}

// Patience ends the process if opening the model, or one iteration, takes longer than d; 5 minutes
// without this option, and 0 waits for ever. The context of a run ends it earlier. Give more where
// an engine builds for long, as TensorRT may.
func Patience(d time.Duration) Option {
	return option.New(option.Call("isolated.Patience", number(d)), func(s *settings) error {
		if d < 0 {
			return errors.New("the duration must not be negative")
		}
		s.Patience = d
		return nil
	})
}

// Log writes to w what the process prints while it lives, and the log of an engine that keeps one
// ([backends.Capabilities]): what it does, or every detail of it. In a spec w is GinkgoWriter.
// Without this option only the last words of a crash are shown.
func Log(w io.Writer, verbose bool) Option {
	return option.LeftOut("isolated.Log", "a writer", func(s *settings) error {
		if w == nil {
			return errors.New("the writer is nil; give GinkgoWriter or os.Stderr")
		}
		s.log, s.verbose = w, verbose
		return nil
	})
}

// logs is what an engine is asked to log: "", "info" or "verbose".
func (s *settings) logs() string {
	switch {
	case s.log == nil:
		return ""
	case s.verbose:
		return "verbose"
	}
	return "info"
}

// number prints as it is, in Go and for people.
type number int64

func (n number) GoString() string { return strconv.FormatInt(int64(n), 10) }

// comments is what the comments in Go source say: what an engine left out of it.
func comments(source string) string {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", files.Base(), len(source)), []byte(source), nil, scanner.ScanComments)
	var said []string
	for {
		_, what, text := s.Scan()
		switch what {
		case token.EOF:
			return strings.Join(said, ", ")
		case token.COMMENT:
			text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "/*"), "*/"))
			said = append(said, strings.TrimPrefix(text, "left out: "))
		}
	}
}
