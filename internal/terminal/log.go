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

// Loudest is the highest volume: -vvvv, or Polygraphy's ULTRA_VERBOSE.
const Loudest = 4

// Louder turns a volume up or down. One above [Loudest] is an error, since it would add nothing.
func Louder(volume *int, by int) error {
	if *volume += by; *volume > Loudest {
		return fmt.Errorf("there are %d levels: -vvvv shows everything, so write -v %d times at most",
			Loudest, Loudest)
	}
	return nil
}

// severities are Polygraphy's words for how much is printed, with what they are here: 0 is normal,
// each step above shows more, -1 the verdict only, and -2 nothing.
var severities = map[string]int{"ULTRA_VERBOSE": 4, "SUPER_VERBOSE": 3, "EXTRA_VERBOSE": 2,
	"VERBOSE": 1, "INFO": 0, "START": -1, "FINISH": -1, "WARNING": -1, "ERROR": -1, "CRITICAL": -2}

// Verbosity reads the words of Polygraphy's --verbosity: a severity for what is printed, and
// backend:SEVERITY, or that of a file below it such as backend/trt, for the engines' own logs. All
// of Polygraphy's other paths are Python files that are not here, which is an error.
func Verbosity(words ...string) (volume, engines int, err error) {
	for _, word := range words {
		path, text := "", word
		if colon := strings.LastIndexByte(word, ':'); colon >= 0 {
			path, text = word[:colon], word[colon+1:]
		}
		level, known := severities[strings.ToUpper(text)]
		switch {
		case !known:
			return 0, 0, fmt.Errorf("unknown severity %q: want ULTRA_VERBOSE, SUPER_VERBOSE, "+
				"EXTRA_VERBOSE, VERBOSE, INFO, START, FINISH, WARNING, ERROR or CRITICAL", text)
		case path == "":
			volume = level
		case path == "backend" || strings.HasPrefix(path, "backend/"):
			if level > 0 {
				engines = max(engines, level+1) // -v is not yet a log
			}
		default:
			return 0, 0, fmt.Errorf("%s is a path of Polygraphy's own files; write a severity alone, or "+
				"backend:SEVERITY for the engines' logs", path)
		}
	}
	return volume, engines, nil
}

// Format is how lines are printed.
type Format struct {
	Stamps bool // the time goes first
	Plain  bool // no colours
}

// ParseFormat reads the words of Polygraphy's --log-format.
func ParseFormat(words ...string) (f Format, err error) {
	for _, word := range words {
		switch word {
		case "timestamp":
			f.Stamps = true
		case "no-colors":
			f.Plain = true
		case "line-info":
			return f, errors.New("line-info names lines of Polygraphy's own Python files, and no such " +
				"file runs here; drop it")
		default:
			return f, fmt.Errorf("unknown format %q: want timestamp or no-colors", word)
		}
	}
	return f, nil
}

// Stamped writes lines to w with the time of day before each: "(15:04:05) ". Writes of several
// goroutines follow one another.
func Stamped(w io.Writer, now func() time.Time) io.Writer {
	return &stamped{to: w, now: now, fresh: true}
}

// StampedIf is [Stamped] by the clock where that is asked for, else w.
func StampedIf(asked bool, w io.Writer) io.Writer {
	if !asked {
		return w
	}
	return Stamped(w, time.Now)
}

type stamped struct {
	mu    sync.Mutex
	to    io.Writer
	now   func() time.Time
	fresh bool // a line begins
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
