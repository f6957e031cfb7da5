package isolated

import (
	"errors"
	"go/scanner"
	"go/token"
	"io"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/option"
)

// Option limits the engine's process. An option prints itself as the Go call that creates it.
type Option = option.Option[settings]

type settings struct {
	Memory   int64         `json:"memory,omitempty"` // in bytes; 0: a share of the free memory
	Patience time.Duration `json:"patience"`         // 0: no limit

	log     io.Writer // nil: the log is discarded
	verbose bool
}

var kind = option.Kind[settings]{Package: "isolated", Name: "isolated",
	Defaults: func() settings { return settings{Patience: 5 * time.Minute} }}

// Memory ends the process if its resident memory exceeds the given number of bytes; the default is
// nine tenths of the memory that is free when the process starts. The memory is checked every 20
// ms, so a process may briefly exceed the limit. Limits need Linux: on other systems the option is
// an error, and there is no default limit.
func Memory(bytes int64) Option {
	return option.Field(option.Call("isolated.Memory", bytes), bytes,
		func(s *settings) *int64 { return &s.Memory },
		option.Refuse(bytes <= 0, "the limit must be more than 0 bytes"))
}

// Patience ends the process if opening the model, or one iteration, takes longer than d. The
// default is 5 minutes, and 0 means no limit. The context of a run can end the process earlier.
// Increase the limit for an engine that builds for a long time, such as TensorRT.
func Patience(d time.Duration) Option {
	return option.Field(option.Call("isolated.Patience", d), d,
		func(s *settings) *time.Duration { return &s.Patience },
		option.Refuse(d < 0, "the duration must not be negative"))
}

// Log writes the output of the process to w, and also the engine's own log if the engine has one
// ([backends.Capabilities]): a summary, or every detail if verbose is true. In a spec, pass
// GinkgoWriter. Without this option, only a crash shows any output: its last lines.
func Log(w io.Writer, verbose bool) Option {
	return option.LeftOut("isolated.Log", "a writer", func(s *settings) error {
		if w == nil {
			return errors.New("the writer is nil; pass GinkgoWriter or os.Stderr")
		}
		s.log, s.verbose = w, verbose
		return nil
	})
}

// logs returns the engine's log level: "", "info" or "verbose".
func (s *settings) logs() string {
	switch {
	case s.log == nil:
		return ""
	case s.verbose:
		return "verbose"
	}
	return "info"
}

// comments extracts from Go source the comments that name omitted options.
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
