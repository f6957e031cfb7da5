package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// Loudest is the highest log level. The flag -vvvv sets it, and so does Polygraphy's ULTRA_VERBOSE.
const Loudest = 4

// Louder raises a log level by the given number. It returns an error if the result exceeds
// [Loudest], because a higher level has no effect.
func Louder(volume *int, by int) error {
	if *volume += by; *volume > Loudest {
		return fmt.Errorf("-v was given more than %d times; -vvvv already shows everything",
			Loudest)
	}
	return nil
}

// severities maps Polygraphy's severities to log levels. 0 is the normal level, higher levels print
// more, -1 prints only the verdict, and -2 prints nothing.
var severities = map[string]int{"ULTRA_VERBOSE": 4, "SUPER_VERBOSE": 3, "EXTRA_VERBOSE": 2,
	"VERBOSE": 1, "INFO": 0, "START": -1, "FINISH": -1, "WARNING": -1, "ERROR": -1, "CRITICAL": -2}

// Verbosity parses the values of Polygraphy's --verbosity. A plain severity sets volume, the log
// level of this program. backend:SEVERITY, or a longer path such as backend/trt:SEVERITY, sets
// engines, the log level of the engines. Other paths are for Polygraphy's Python files; they are an
// error.
func Verbosity(words ...string) (volume, engines int, err error) {
	for _, word := range words {
		path, text := "", word
		if colon := strings.LastIndexByte(word, ':'); colon >= 0 {
			path, text = word[:colon], word[colon+1:]
		}
		level, known := severities[strings.ToUpper(text)]
		switch {
		case !known:
			return 0, 0, fmt.Errorf("unknown severity %q; use ULTRA_VERBOSE, SUPER_VERBOSE, "+
				"EXTRA_VERBOSE, VERBOSE, INFO, START, FINISH, WARNING, ERROR or CRITICAL", text)
		case path == "":
			volume = level
		case path == "backend" || strings.HasPrefix(path, "backend/"):
			if level > 0 {
				engines = max(engines, level+1) // engines log from volume 2 (-vv) on
			}
		default:
			return 0, 0, fmt.Errorf("%s is a path in Polygraphy's source; write only a severity, "+
				"or backend:SEVERITY for the engines' logs", path)
		}
	}
	return volume, engines, nil
}

// ParseFormat parses the values of Polygraphy's --log-format: whether to start each line with the
// time, and whether to leave out colours.
func ParseFormat(words ...string) (stamps, plain bool, err error) {
	for _, word := range words {
		switch word {
		case "timestamp":
			stamps = true
		case "no-colors":
			plain = true
		case "line-info":
			return stamps, plain, errors.New("line-info refers to Polygraphy's Python source, which " +
				"modelparity does not run; drop it")
		default:
			return stamps, plain, fmt.Errorf("unknown format %q; use timestamp or no-colors", word)
		}
	}
	return stamps, plain, nil
}

// Stamped returns a writer that prints the time of day before each line: "(15:04:05) ". It is safe
// for concurrent use.
func Stamped(w io.Writer, now func() time.Time) io.Writer {
	return &stamped{to: w, now: now, fresh: true}
}

type stamped struct {
	mu    sync.Mutex
	to    io.Writer
	now   func() time.Time
	fresh bool // the next byte begins a line
}

func (s *stamped) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stamp := []byte(s.now().Format("(15:04:05) "))
	var out []byte
	for line := range bytes.Lines(data) {
		if s.fresh {
			out = append(out, stamp...)
		}
		out = slices.Concat(out, line)
		s.fresh = bytes.HasSuffix(line, []byte("\n"))
	}
	if _, err := s.to.Write(out); err != nil {
		return 0, err
	}
	return len(data), nil
}
